/*
 * require('roles/conditionalRoles'): for hooks of users and roles. A type whose hooks ask for these grants has them from
 * the server, which keeps them in step with users and roles in the transaction that changes one; there is nothing left
 * to do here.
 */
exports.updateConditionalGrantsForUser = function (user) {
  return user;
};

exports.createConditionalGrantsForUser = exports.updateConditionalGrantsForUser;

exports.evaluateConditionalRoles = function (user) {
  return user;
};

exports.roleCreate = function (role) {
  return role;
};

exports.roleUpdate = function (before, role) {
  return role;
};
