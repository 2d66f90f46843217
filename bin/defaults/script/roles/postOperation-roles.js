/*
 * For the post hooks of roles and users: when a grant or a role begins or ceases to be in effect is watched by the server
 * itself. Either as the script, or by require('roles/postOperation-roles').manageTemporalConstraints(resourceName).
 */
function manageTemporalConstraints() {}

if (typeof exports === 'object') {
  exports.manageTemporalConstraints = manageTemporalConstraints;
}
