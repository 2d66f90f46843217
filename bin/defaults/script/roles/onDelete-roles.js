/*
 * Refuses to delete a role that somebody has. Variables of the script reference: `membersPropNames`, the relationships
 * that count (default ["members"]).
 */
var properties = typeof membersPropNames === 'undefined' ? ['members'] : membersPropNames;

properties.forEach(function (property) {
  var members = svc.query(resourceName + '/' + property, { _queryFilter: 'true', _pageSize: 1 }).result;
  if (members.length > 0) {
    throw {
      code: 409,
      message: 'Cannot delete a role that is currently granted',
      detail: {
        id: 'ROLE_GRANTED',
        field: '/' + property,
        hint:
          'Take it from those who have it first: GET ' + resourceName + '/' + property + '?_queryFilter=true',
      },
    };
  }
});
