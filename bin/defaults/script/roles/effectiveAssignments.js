/*
 * Effective assignments of an object: those of its effective roles, each once. For configurations that calculate
 * `effectiveAssignments` with an onRetrieve script; `queryConfig` does the same without one. Either as the script
 * itself, with the variables `effectiveRolesPropName` (default "effectiveRoles") and `assignmentsPropName` (default
 * "assignments"), or by
 *
 *     require('roles/effectiveAssignments').calculateEffectiveAssignments(object)
 */
function calculateEffectiveAssignments(holder, rolesProperty, assignmentsProperty) {
  var seen = {};
  var assignments = [];

  (holder[rolesProperty || 'effectiveRoles'] || []).forEach(function (role) {
    if (String(role._ref).indexOf('managed/role/') !== 0) {
      return;
    }
    var path = role._ref + '/' + (assignmentsProperty || 'assignments');
    svc.query(path, { _queryFilter: 'true' }).result.forEach(function (edge) {
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
  return assignments;
}

if (typeof exports === 'object') {
  exports.calculateEffectiveAssignments = calculateEffectiveAssignments;
} else {
  calculateEffectiveAssignments(
    object,
    typeof effectiveRolesPropName === 'undefined' ? 'effectiveRoles' : effectiveRolesPropName,
    typeof assignmentsPropName === 'undefined' ? 'assignments' : assignmentsPropName,
  );
}
