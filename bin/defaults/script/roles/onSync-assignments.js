/*
 * For the onSync hook of assignments where users calculate their effective assignments with onRetrieve scripts: when
 * something of an assignment has changed, the members of its roles are checked. What is derived by `queryConfig`
 * follows without it.
 *
 * Variables of the script reference: `rolesPropName` (default "roles"), `membersPropName` (default "members"). Or by
 *
 *     require('roles/onSync-assignments').syncUsersOfRolesWithAssignment(resourceName, oldObject, newObject, ['members'])
 */
function syncUsersOfRolesWithAssignment(resourcePath, before, after, memberProperties, rolesProperty) {
  var check = require('roles/check');
  var roles = rolesProperty || 'roles';
  if (!before || !after || !check.differ(before, after, [roles])) {
    return;
  }
  svc.query(resourcePath + '/' + roles, { _queryFilter: 'true' }).result.forEach(function (edge) {
    memberProperties.forEach(function (members) {
      check.checkRelated(edge._ref, members);
    });
  });
}

if (typeof exports === 'object') {
  exports.syncUsersOfRolesWithAssignment = syncUsersOfRolesWithAssignment;
} else {
  syncUsersOfRolesWithAssignment(
    resourceName,
    oldObject,
    newObject,
    [typeof membersPropName === 'undefined' ? 'members' : membersPropName],
    typeof rolesPropName === 'undefined' ? 'roles' : rolesPropName,
  );
}
