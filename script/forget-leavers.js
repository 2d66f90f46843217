/*
 * Removes the personal data of somebody who left more than a year ago; the account itself stays.
 *
 * Runs once for each such user, from conf/schedule-forget-leavers.json: every night when that is enabled, or now with
 * `svc scan run forget-leavers --watch`. Whatever this script stores is stored together with the mark that the user
 * is done; an error leaves the user as it was, and does not hold up the others.
 */
var personal = [
  'telephoneNumber',
  'postalAddress',
  'address2',
  'city',
  'postalCode',
  'stateProvince',
  'country',
  'preferences',
].filter(function (property) {
  return input[property] !== undefined && input[property] !== null;
});

if (personal.length > 0) {
  svc.patch(
    objectID,
    null,
    personal.map(function (property) {
      return { operation: 'remove', field: '/' + property };
    }),
  );
}
logger.info('forgot {} of {}, who left on {}', personal.length, input.userName, input.endDate);

true;
