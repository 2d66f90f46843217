/*
 * require('ui/onUpdateUser'): for the onUpdate hook of users, as
 *
 *     require('ui/onUpdateUser').preserveLastSync(object, oldObject, request);
 */

/* A client that puts a whole user was never shown what the last synchronization has left, and does not mean to remove it. */
exports.preserveLastSync = function (user, before, request) {
  if (request && request.method === 'update' && user.lastSync === undefined && before && before.lastSync) {
    user.lastSync = before.lastSync;
  }
  return user;
};

/* See ui/onCreateUser: nothing of other identity providers is kept beside the user. */
exports.updateIdpRelationships = function () {};

/* A user who changes its own password or profile knows of it; what somebody else has changed it is told. */
exports.createNotification = function (user, before) {
  var caller = context.security.authorization;
  if (caller.component === 'managed/user' && caller.id === user._id) return;
  svc.create('repo/ui/notification', null, {
    receiverId: user._id,
    requesterId: caller.id,
    requester: context.security.authenticationId,
    createDate: new Date().toISOString(),
    notificationType: 'profile',
    message: 'Your profile has been changed',
  });
};
