/*
 * Calculates the effective assignments of an object: those of its effective roles, each once. For configurations that
 * declare `effectiveAssignments` with an onRetrieve script; `queryConfig` does the same without one.
 *
 * Variables of the script reference: `effectiveRolesPropName` (default "effectiveRoles"),
 * `assignmentsPropName` (default "assignments").
 */
var rolesProperty = typeof effectiveRolesPropName === 'undefined' ? 'effectiveRoles' : effectiveRolesPropName;
var assignmentsProperty = typeof assignmentsPropName === 'undefined' ? 'assignments' : assignmentsPropName;
var seen = {};
var assignments = [];

(object[rolesProperty] || []).forEach(function (role) {
  if (role._ref.indexOf('managed/role/') !== 0) {
    return;
  }
  svc.query(role._ref + '/' + assignmentsProperty, { _queryFilter: 'true' }).result.forEach(function (edge) {
    if (seen[edge._ref]) {
      return;
    }
    seen[edge._ref] = true;
    var assignment = svc.read(edge._ref);
    if (assignment !== null) {
      assignments.push(assignment);
    }
  });
});

assignments;
