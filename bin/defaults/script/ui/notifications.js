/* require('ui/notifications'): what users are told, kept as repo/ui/notification. */
var COLLECTION = 'repo/ui/notification';

/* So many are shown, and removed at once. */
var MOST = 1000;

/* The newest. */
exports.listFor = function (receiver) {
  var filter = 'receiverId eq ' + JSON.stringify(String(receiver));
  return svc.query(COLLECTION, { _queryFilter: filter, _sortKeys: '-createDate', _pageSize: MOST }).result;
};

exports.removeAllFor = function (receiver) {
  for (var found = exports.listFor(receiver); found.length > 0; found = exports.listFor(receiver)) {
    found.forEach(function (notification) {
      svc.delete(COLLECTION + '/' + encodeURIComponent(notification._id), notification._rev);
    });
  }
};

/* The answer of an endpoint to its caller. */
exports.answer = function (request, context) {
  // A key or a token may have the id of a user, and is not that user.
  var caller = context.security.authorization;
  var isPerson = /^(?:managed\/|(?:repo\/)?internal\/user$)/.test(caller.component);
  var receiver = isPerson ? caller.id : caller.component + '/' + caller.id;

  if (request.method === 'read' && request.resourcePath === '') {
    return { notifications: exports.listFor(receiver) };
  }
  if (request.method === 'delete' && request.resourcePath !== '') {
    var path = COLLECTION + '/' + encodeURIComponent(request.resourcePath);
    var notification = svc.read(path);
    // Whoever guesses the id of somebody else's does not learn that it exists.
    if (notification === null || notification.receiverId !== receiver) {
      throw { code: 404, message: 'There is no notification ' + request.resourcePath };
    }
    return svc.delete(path, notification._rev);
  }
  throw { code: 501, message: 'Notifications can be read, and deleted one by one' };
};
