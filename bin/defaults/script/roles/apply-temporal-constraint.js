/*
 * Runs when something begins or ceases to be in effect, and has those checked whom it concerns: the object
 * `object.resource`, or all objects that its relationship `object.property` leads to.
 */
function check(path) {
  if (svc.read(path, {}, ['_id']) !== null) {
    svc.action(path, 'triggerSyncCheck', {});
  }
}

if (!object.property) {
  check(object.resource);
} else if (svc.read(object.resource, {}, ['_id']) !== null) {
  var cookie = null;
  do {
    var query = { _queryFilter: 'true', _pageSize: 100 };
    if (cookie) {
      query._pagedResultsCookie = cookie;
    }
    var page = svc.query(object.resource + '/' + object.property, query);
    page.result.forEach(function (edge) {
      check(edge._ref);
    });
    cookie = page.pagedResultsCookie;
  } while (cookie);
}
