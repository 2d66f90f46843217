/*
 * For the onSync hook of assignments where users calculate their effective assignments with onRetrieve scripts: when
 * something of an assignment has changed, the members of its roles are checked. What is derived by `queryConfig`
 * follows without it.
 *
 * Variables of the script reference: `rolesPropName` (default "roles"), `membersPropName` (default "members"). Or by
 *
 *     require('roles/onSync-assignments').syncUsersOfRolesWithAssignment(resourceName, oldObject, newObject, ['roles'])
 *
 * whose last argument names properties that do not count.
 */
function syncUsersOfRolesWithAssignment(
  resourcePath,
  before,
  after,
  ignored,
  rolesProperty,
  membersProperty,
) {
  var check = require('roles/check');
  if (!before || !after || !check.differ(before, after, ignored || [])) {
    return;
  }
  svc
    .query(resourcePath + '/' + (rolesProperty || 'roles'), { _queryFilter: 'true' })
    .result.forEach(function (edge) {
      check.checkRelated(edge._ref, membersProperty || 'members');
    });
}

if (typeof exports === 'object') {
  exports.syncUsersOfRolesWithAssignment = syncUsersOfRolesWithAssignment;
} else {
  var rolesName = typeof rolesPropName === 'undefined' ? 'roles' : rolesPropName;
  var membersName = typeof membersPropName === 'undefined' ? 'members' : membersPropName;
  syncUsersOfRolesWithAssignment(resourceName, oldObject, newObject, [rolesName], rolesName, membersName);
}
