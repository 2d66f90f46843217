/* require('roles/relationshipHelper'): the edges of an object, whether they came with it or have to be asked for. */

/* `path` is the object's, such as "managed/user/jane"; default: that of the running hook. */
exports.find = function (holder, property, path) {
  var owner = path || resourceName;
  if (holder[property]) {
    return holder[property];
  }
  // An object that is being created has no edges yet but those that it brings.
  if (!holder._id || svc.read(owner, {}, ['_id']) === null) {
    return [];
  }
  return svc.query(owner + '/' + property, { _queryId: 'find-relationships-for-resource' }).result;
};
