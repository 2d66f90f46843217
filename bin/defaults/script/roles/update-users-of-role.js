/* The name by which older configurations know roles/onSync-roles. */
require('roles/onSync-roles').syncUsersOfRoles(
  resourceName,
  oldObject,
  newObject,
  [],
  typeof membersPropName === 'undefined' ? 'members' : membersPropName,
);
