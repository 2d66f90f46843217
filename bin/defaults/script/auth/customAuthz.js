/* require('auth/customAuthz'): conditions for rules of access and for endpoints, about `request` and `context`. */

/* The request concerns the caller's own object, or something below it. */
exports.ownDataOnly = function () {
  var caller = context.security.authorization;
  var own = caller.component + '/' + caller.id;
  return request.resourcePath === own || request.resourcePath.indexOf(own + '/') === 0;
};

/* A query names no expression, only a filter or an id. */
exports.disallowQueryExpression = function () {
  return request.method !== 'query' || !request.queryExpression;
};

exports.isQueryOneOf = function (allowed) {
  return request.method === 'query' && (allowed[request.resourcePath] || []).indexOf(request.queryId) >= 0;
};

/* A patch or an update touches only the named properties. */
exports.restrictPatchToFields = function (fields) {
  var touched =
    request.method === 'patch'
      ? request.patchOperations.map(function (operation) {
          return String(operation.field).replace(/^\//, '').split('/')[0];
        })
      : Object.keys(request.content || {}).filter(function (name) {
          return name.charAt(0) !== '_';
        });
  return touched.every(function (name) {
    return fields.indexOf(name) >= 0;
  });
};

exports.hasRole = function (role) {
  return context.security.authorization.roles.indexOf(role) >= 0;
};
