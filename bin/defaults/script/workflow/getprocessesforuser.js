/*
 * The processes that the caller may start, each in its latest version: GET endpoint/getprocessesforuser.
 * conf/endpoint-getprocessesforuser.json puts it there.
 */
(function () {
  if (request.method !== 'read') throw { code: 501, message: 'Processes can only be read here' };
  var latest = {};
  svc
    .query('workflow/processdefinition', { _queryId: 'query-all-ids' })
    .result.forEach(function (definition) {
      var known = latest[definition.key];
      if (known === undefined || known.version < definition.version) latest[definition.key] = definition;
    });
  var conditions = require('auth/customAuthz');
  var isAdministrator = conditions.hasRole(identityServer.getProperty('svc.role.admin'));
  var processes = Object.keys(latest)
    .sort()
    .map(function (key) {
      return latest[key];
    })
    .filter(function (definition) {
      if (definition.suspended) return false;
      if (isAdministrator) return true;
      var path = 'workflow/processdefinition/' + encodeURIComponent(definition._id);
      return conditions.of({ method: 'read', resourcePath: path }, context).isAllowedToStartProcess();
    });
  return { processes: processes };
})();
