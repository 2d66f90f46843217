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
  var receiver = require('ui/notifications').receiverOf(user);
  if (receiver === (caller.component === 'managed/user' ? '' : caller.component + '/') + caller.id) return;
  svc.create('repo/ui/notification', null, {
    receiverId: receiver,
    requesterId: caller.id,
    requester: context.security.authenticationId,
    createDate: new Date().toISOString(),
    notificationType: 'profile',
    message: 'Your profile has been changed',
  });
};
