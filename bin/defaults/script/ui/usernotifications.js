/*
 * What the caller is to be told: GET endpoint/usernotifications, the newest first, and DELETE
 * endpoint/usernotifications/<id> when it has been read. A script or a process tells a user something by
 * svc.create('repo/ui/notification', null, { receiverId: <id of the user>, createDate: <timestamp>, message: … }).
 * conf/endpoint-usernotifications.json puts it there.
 */
(function () {
  var receiver = context.security.authorization.id;
  var notifications = 'repo/ui/notification';

  if (request.method === 'read' && request.resourcePath === '') {
    var filter = 'receiverId eq ' + JSON.stringify(receiver);
    return {
      notifications: svc.query(notifications, { _queryFilter: filter, _sortKeys: '-createDate' }).result,
    };
  }
  if (request.method === 'delete' && request.resourcePath !== '') {
    var path = notifications + '/' + encodeURIComponent(request.resourcePath);
    var notification = svc.read(path);
    // Whoever guesses the id of somebody else's does not learn that it exists.
    if (notification === null || notification.receiverId !== receiver) {
      throw { code: 404, message: 'There is no notification ' + request.resourcePath };
    }
    return svc.delete(path, notification._rev);
  }
  throw { code: 501, message: 'Notifications can be read, and deleted one by one' };
})();
