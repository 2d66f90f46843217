/*
 * The roles that users may ask for, by name, and whether the caller has them: GET endpoint/requestables?_queryFilter=true.
 * Those are the managed roles with `requestable`; of each it tells name and description and nothing else. It answers in
 * pages of 100 at most. conf/endpoint-requestables.json puts it there.
 */
(function () {
  var MOST_ROLES = 100;
  if (request.method !== 'query') throw { code: 501, message: 'Roles can only be queried here' };

  var page = svc.query(
    'managed/role',
    {
      _queryFilter: 'requestable eq true',
      _sortKeys: 'name',
      _pageSize: Math.min(request.pageSize || MOST_ROLES, MOST_ROLES),
      _pagedResultsCookie: request.pagedResultsCookie,
    },
    ['_id', 'name', 'description'],
  );
  var authorization = context.security.authorization;
  var caller =
    authorization.component === 'managed/user'
      ? svc.read('managed/user/' + encodeURIComponent(authorization.id), null, ['effectiveRoles'])
      : null;
  var held = ((caller && caller.effectiveRoles) || []).map(function (role) {
    return role._ref;
  });
  return {
    result: page.result.map(function (role) {
      return {
        _id: role._id,
        name: role.name,
        description: role.description,
        held: held.indexOf('managed/role/' + role._id) >= 0,
      };
    }),
    pagedResultsCookie: page.pagedResultsCookie,
  };
})();
