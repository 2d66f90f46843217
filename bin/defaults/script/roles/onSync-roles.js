/*
 * For the onSync hook of roles whose members calculate their effective roles and assignments with onRetrieve scripts:
 * when something of a role has changed besides its members, they are checked, so that what they store follows, and
 * their own hooks run. What is derived by `queryConfig` follows without it. With many members give the script
 * reference a `timeout` in milliseconds.
 *
 * Variables of the script reference: `membersPropName` (default "members"). Or by
 *
 *     require('roles/onSync-roles').syncUsersOfRoles(resourceName, oldObject, newObject, ['members'])
 */
function syncUsersOfRoles(resourcePath, before, after, memberProperties) {
  var check = require('roles/check');
  if (!before || !after || !check.differ(before, after, memberProperties.concat('authzMembers'))) {
    return;
  }
  memberProperties.forEach(function (members) {
    check.checkRelated(resourcePath, members);
  });
}

if (typeof exports === 'object') {
  exports.syncUsersOfRoles = syncUsersOfRoles;
} else {
  syncUsersOfRoles(resourceName, oldObject, newObject, [
    typeof membersPropName === 'undefined' ? 'members' : membersPropName,
  ]);
}
