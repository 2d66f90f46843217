/*
 * require('auth/orgPrivileges'): for augmentSecurityContext of configurations with delegated administration. Privileges
 * grant nothing here: who may do what stands in script/access.js.
 */
exports.assignPrivilegesToUser = function (resource, security) {
  return arguments[7] || security;
};
