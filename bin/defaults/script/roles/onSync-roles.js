/*
 * For the onSync hook of roles whose members calculate their effective roles and assignments with onRetrieve scripts:
 * when something of a role has changed besides its members, they are checked, so that what they store follows, and
 * their own hooks run. What is derived by `queryConfig` follows without it. With many members give the script
 * reference a `timeout` in milliseconds.
 *
 * Variables of the script reference: `membersPropName` (default "members"). Or by
 *
 *     require('roles/onSync-roles').syncUsersOfRoles(resourceName, oldObject, newObject, ['members'])
 *
 * whose last argument names properties that do not count.
 */
function syncUsersOfRoles(resourcePath, before, after, ignored, membersProperty) {
  var check = require('roles/check');
  var members = membersProperty || 'members';
  if (!before || !after || !check.differ(before, after, (ignored || []).concat(members, 'authzMembers'))) {
    return;
  }
  check.checkRelated(resourcePath, members);
}

if (typeof exports === 'object') {
  exports.syncUsersOfRoles = syncUsersOfRoles;
} else {
  var membersName = typeof membersPropName === 'undefined' ? 'members' : membersPropName;
  syncUsersOfRoles(resourceName, oldObject, newObject, [], membersName);
}
