/*
 * For the onSync hook of assignments where users calculate their effective assignments with onRetrieve scripts: when
 * something of an assignment has changed, the members of its roles are checked. What is derived by `queryConfig`
 * follows without it.
 *
 * Variables of the script reference: `rolesPropName` (default "roles"), `membersPropName` (default "members").
 */
var check = require('roles/check');
var roles = typeof rolesPropName === 'undefined' ? 'roles' : rolesPropName;
var members = typeof membersPropName === 'undefined' ? 'members' : membersPropName;

if (oldObject && newObject && check.differ(oldObject, newObject, [roles])) {
  svc.query(resourceName + '/' + roles, { _queryFilter: 'true' }).result.forEach(function (edge) {
    check.checkRelated(edge._ref, members);
  });
}
