/*
 * Deactivates users whose last day has passed, and writes one `deactivation` object per user.
 *
 * Runs from conf/schedule-deactivate-leavers.json. The patch, the deactivation object and the completion of the
 * run are one transaction: either all of them happened, or none did.
 */
var today = new Date().toISOString().substring(0, 10);
var leavers = svc.query('managed/user', {
  _queryFilter: 'accountStatus eq "active" and endDate gt "" and endDate lt "' + today + '"',
  _pageSize: object.batchSize,
}).result;

leavers.forEach(function (user) {
  svc.patch('managed/user/' + user._id, user._rev, [
    { operation: 'replace', field: '/accountStatus', value: 'inactive' },
  ]);
  svc.create('managed/deactivation', null, {
    user: 'managed/user/' + user._id,
    userName: user.userName,
    endDate: user.endDate,
    deactivatedAt: new Date().toISOString(),
    reason: 'The last day has passed',
  });
  logger.info('deactivated {}, whose last day was {}', user.userName, user.endDate);
});

leavers.length;
