/*
 * `augmentSecurityContext`: whoever comes in is the managed user that the relationship `user` of their account leads to,
 * with the roles of both. The user must be active.
 */
(function () {
  var authorization = security.authorization;
  var path = authorization.component + '/' + encodeURIComponent(authorization.id);
  var account = svc.read(path, null, ['*', 'user']);
  var user = account && account.user && svc.read(account.user._ref, null, ['*', 'authzRoles']);
  return require('auth/asManagedUser')(security, user);
})();
