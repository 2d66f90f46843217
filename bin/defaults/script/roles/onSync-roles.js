/*
 * For the onSync hook of roles whose members calculate their effective roles and assignments with onRetrieve scripts:
 * when something of a role has changed besides its members, they are checked, so that what they store follows, and
 * their own hooks run. What is derived by `queryConfig` follows without it. With many members give the script
 * reference a `timeout` in milliseconds.
 *
 * Variables of the script reference: `membersPropName` (default "members").
 */
var check = require('roles/check');
var members = typeof membersPropName === 'undefined' ? 'members' : membersPropName;

if (oldObject && newObject && check.differ(oldObject, newObject, [members, 'authzMembers'])) {
  check.checkRelated(resourceName, members);
}
