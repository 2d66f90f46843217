/* What a new user has when nobody says otherwise: an active account, and the right to log in. */
if (!object.accountStatus) {
  object.accountStatus = 'active';
}
if (!object.authzRoles) {
  object.authzRoles = [{ _ref: 'repo/internal/role/' + identityServer.getProperty('svc.role.authorized') }];
}
