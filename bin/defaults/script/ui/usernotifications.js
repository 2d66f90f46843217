/*
 * What the caller is to be told: GET endpoint/usernotifications, the newest first, and DELETE
 * endpoint/usernotifications/<id> when it has been read. A script or a process tells a user something by
 * svc.create('repo/ui/notification', null, { receiverId: <id of the user>, createDate: <timestamp>, message: … }); accounts of
 * other types are receivers by their path, such as managed/customer/7.
 * conf/endpoint-usernotifications.json puts it there.
 */
require('ui/notifications').answer(request, context);
