/*
 * `augmentSecurityContext`: of the roles that the account has in the property `userRoles` of the module, only those of
 * the server itself (`repo/internal/role`).
 */
(function () {
  var property = (properties.propertyMapping || {}).userRoles;
  if (!property) throw { code: 500, message: 'The module has no userRoles in its propertyMapping' };
  var authorization = security.authorization;
  var path = authorization.component + '/' + encodeURIComponent(authorization.id);
  var account = svc.read(path, null, ['*', property]);
  if (!account || !account[property]) throw { code: 401, message: 'The account has no ' + property };
  var roles = account[property]
    .map(function (role) {
      return role._ref;
    })
    .filter(function (reference) {
      return /^(?:repo\/)?internal\/role\//.test(reference);
    });
  return {
    authenticationId: security.authenticationId,
    authorization: { id: authorization.id, component: authorization.component, roles: roles },
  };
})();
