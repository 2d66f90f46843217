/* require('auth/asManagedUser'): whoever comes in is a managed user, who must be active, with the roles of both. */
module.exports = function (security, user) {
  if (!user) throw { code: 401, message: 'There is no such managed user' };
  if (user.accountStatus !== 'active') throw { code: 401, message: 'The managed user is not active' };
  // The server makes names of references, and never that of a built-in role of one that somebody has made.
  var roles = (user.authzRoles || []).map(function (role) {
    return role._ref;
  });
  security.authorization.id = user._id;
  security.authorization.component = 'managed/user';
  security.authorization.roles = security.authorization.roles.concat(roles);
  return require('auth/customAuthz').setProtectedAttributes(security);
};
