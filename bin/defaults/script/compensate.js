/*
 * For the onSync hook: where another system did not take a change, the change is refused. The hook runs in the transaction
 * that makes it, so there is nothing to put back.
 */
if (syncResults && !syncResults.success) {
  var failed = (syncResults.syncDetails || []).filter(function (detail) {
    return detail.result === 'FAILED' && detail.cause;
  })[0];
  throw failed
    ? failed.cause
    : { code: 500, message: 'Another system did not take the change', detail: syncResults };
}
