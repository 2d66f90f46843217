/* require('ui/notifications'): what users are told, kept as repo/ui/notification. */
var COLLECTION = 'repo/ui/notification';

/* So many are shown, and removed at once. */
var MOST = 1000;

var PEOPLE = 'managed/user/';

/* Such as managed/customer/7. A plain id is that of managed/user. */
function pathOf(receiver) {
  return String(receiver).indexOf('/') < 0 ? PEOPLE + receiver : String(receiver);
}

/*
 * What a notification may call its receiver: the path, and for managed/user the id alone as well. An internal user goes by its id as long
 * as nobody in managed/user has that, and whoever was given the name of an internal user for an id does not go by it.
 */
function namesOf(receiver) {
  var path = pathOf(receiver);
  var internal = /^repo\/internal\/user\/(.*)$/.exec(path);
  if (internal !== null && svc.read(PEOPLE + encodeURIComponent(internal[1])) === null)
    return [path, internal[1]];
  if (path.indexOf(PEOPLE) !== 0) return [path];
  var id = path.slice(PEOPLE.length);
  return svc.read('repo/internal/user/' + encodeURIComponent(id), null, ['_id']) === null
    ? [path, id]
    : [path];
}

/* What a notification calls the object that a hook is about. */
exports.receiverOf = function (object) {
  var path = typeof resourceName === 'string' ? resourceName : PEOPLE + object._id;
  return path.indexOf(PEOPLE) === 0 ? object._id : path;
};

/* The newest. */
exports.listFor = function (receiver) {
  var filter = namesOf(receiver)
    .map(function (name) {
      return 'receiverId eq ' + JSON.stringify(name);
    })
    .join(' or ');
  return svc.query(COLLECTION, { _queryFilter: filter, _sortKeys: '-createDate', _pageSize: MOST }).result;
};

exports.removeAllFor = function (receiver) {
  for (var found = exports.listFor(receiver); found.length > 0; found = exports.listFor(receiver)) {
    found.forEach(function (notification) {
      svc.delete(COLLECTION + '/' + encodeURIComponent(notification._id), notification._rev);
    });
  }
};

/* Of the object that a hook is about. */
exports.removeAllOf = function (object) {
  exports.removeAllFor(exports.receiverOf(object));
};

/* The answer of an endpoint to its caller. */
exports.answer = function (request, context) {
  // A key, a token or an account of another type may have the id of a user, and is not that user.
  var caller = context.security.authorization;
  var receiver = caller.component.replace(/^internal\/user$/, 'repo/internal/user') + '/' + caller.id;

  if (request.method === 'read' && request.resourcePath === '') {
    return { notifications: exports.listFor(receiver) };
  }
  if (request.method === 'delete' && request.resourcePath !== '') {
    var path = COLLECTION + '/' + encodeURIComponent(request.resourcePath);
    var notification = svc.read(path);
    // Whoever guesses the id of somebody else's does not learn that it exists.
    if (notification === null || namesOf(receiver).indexOf(notification.receiverId) < 0) {
      throw { code: 404, message: 'There is no notification ' + request.resourcePath };
    }
    return svc.delete(path, notification._rev);
  }
  throw { code: 501, message: 'Notifications can be read, and deleted one by one' };
};
