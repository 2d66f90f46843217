/*
 * require('ui/onCreateUser'): for the onCreate hook of users, as
 *
 *     require('ui/onCreateUser').setDefaultFields(object);
 */

/* An active account, and the right to log in, when nobody says otherwise. */
exports.setDefaultFields = function (user) {
  if (!user.accountStatus) user.accountStatus = 'active';
  if (!user.authzRoles)
    user.authzRoles = [{ _ref: 'repo/internal/role/' + identityServer.getProperty('svc.role.authorized') }];
  return user;
};

/* Users of other identity providers are known by the modules of authentication.json; nothing of them is kept beside. */
exports.createIdpRelationships = function () {};

exports.emailUser = function () {
  logger.warn('No mail was sent to the new user: scripts send none, processes have tasks of the type mail');
};
