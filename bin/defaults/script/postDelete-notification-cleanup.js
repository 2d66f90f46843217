/* For the postDelete hook of users: what they were to be told goes with them. */
exports.removeConnectedNotifications = function (deleted) {
  if (deleted && deleted._id) require('ui/notifications').removeAllOf(deleted);
};

exports.removeConnectedNotificationData = exports.removeConnectedNotifications;
