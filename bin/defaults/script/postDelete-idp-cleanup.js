/* For the postDelete hook of users. Nothing of other identity providers is kept beside a user, so nothing is left. */
exports.removeConnectedIdpData = function () {};
