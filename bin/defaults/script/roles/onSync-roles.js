/*
 * For the onSync hook of roles: when something of a role has changed besides its members, they are checked, so that
 * what is stored of their effective roles and assignments follows, and their own hooks run. With many members give the
 * script reference a `timeout` in milliseconds.
 *
 * Variables of the script reference: `membersPropName` (default "members").
 */
var check = require('roles/check');
var members = typeof membersPropName === 'undefined' ? 'members' : membersPropName;

if (oldObject && newObject && check.differ(oldObject, newObject, [members, 'authzMembers'])) {
  check.checkRelated(resourceName, members);
}
