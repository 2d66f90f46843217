/*
 * Gives an empty installation three users to look at, one of whom has left. Runs once, from
 * conf/schedule-sample-users.json; delete both files when you have users of your own.
 */
var SAMPLES = [
  { userName: 'avo', givenName: 'Anna', sn: 'Vogel', mail: 'anna.vogel@example.com' },
  { userName: 'bkim', givenName: 'Bo', sn: 'Kim', mail: 'bo.kim@example.com', endDate: '2099-12-31' },
  { userName: 'cdi', givenName: 'Carla', sn: 'Diaz', mail: 'carla.diaz@example.com', endDate: '2020-01-31' },
];

var existing = svc.query('managed/user', { _queryFilter: 'true', _pageSize: 1 }).result.length;
if (existing === 0) {
  SAMPLES.forEach(function (user) {
    svc.create('managed/user', user.userName, user);
  });
  logger.info('created {} sample users', SAMPLES.length);
}
