/* require('roles/relationshipHelper'): the edges of an object, whether they came with it or have to be asked for. */

/* `path` is the object's, such as "managed/user/jane"; default: that of the running hook. */
exports.find = function (holder, property, path) {
  var owner = path || resourceName;
  if (holder[property]) {
    return holder[property];
  }
  // An object that is being created has no edges yet but those that it brings, and a type without the property has none.
  // The object itself is not read: this may be the script that runs whenever it is.
  try {
    return svc.query(owner + '/' + property, { _queryId: 'find-relationships-for-resource' }).result;
  } catch (error) {
    if (error.code !== 404) throw error;
    return [];
  }
};
