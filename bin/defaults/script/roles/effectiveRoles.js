/*
 * Calculates the effective roles of an object: its grants that are in effect now. For configurations that declare
 * `effectiveRoles` with an onRetrieve script; `queryConfig` does the same without one.
 *
 * Variables of the script reference: `rolesPropName` (default "roles").
 */
var temporal = require('roles/temporal');
var property = typeof rolesPropName === 'undefined' ? 'roles' : rolesPropName;
var grants = object[property];

if (!grants && object._id) {
  grants = svc.query(resourceName + '/' + property, { _queryId: 'find-relationships-for-resource' }).result;
}

(grants || [])
  .filter(function (grant) {
    if (!temporal.isInEffect((grant._refProperties || {}).temporalConstraints)) {
      return false;
    }
    var role = svc.read(grant._ref);
    return role !== null && temporal.isInEffect(role.temporalConstraints);
  })
  .map(function (grant) {
    return { _ref: grant._ref };
  });
