/* require('roles/relationshipHelper'): the edges of an object, whether they came with it or have to be asked for. */

/* `path` is the object's, such as "managed/user/jane"; default: that of the running hook. */
exports.find = function (holder, property, path) {
  if (holder[property]) {
    return holder[property];
  }
  if (!holder._id) {
    return [];
  }
  return svc.query((path || resourceName) + '/' + property, { _queryId: 'find-relationships-for-resource' })
    .result;
};
