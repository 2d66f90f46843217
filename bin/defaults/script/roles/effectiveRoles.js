/*
 * Effective roles of an object: its grants that are in effect now. For configurations that calculate `effectiveRoles`
 * with an onRetrieve script; `queryConfig` does the same without one. Either as the script itself, with the variable
 * `rolesPropName` (default "roles"), or by
 *
 *     require('roles/effectiveRoles').calculateEffectiveRoles(object, 'roles')
 */
function calculateEffectiveRoles(holder, rolesProperty) {
  var temporal = require('roles/temporal');
  var grants = require('roles/relationshipHelper').find(holder, rolesProperty || 'roles');

  return grants
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
}

if (typeof exports === 'object') {
  exports.calculateEffectiveRoles = calculateEffectiveRoles;
} else {
  calculateEffectiveRoles(object, typeof rolesPropName === 'undefined' ? 'roles' : rolesPropName);
}
