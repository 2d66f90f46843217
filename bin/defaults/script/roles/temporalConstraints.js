/* What hooks of the field ask about the temporal constraints of a role or of a grant. */
var temporal = require('roles/temporal');

exports.isInEffect = temporal.isInEffect;

/* Whether it never comes into effect again: it needs all of its constraints, and the time of one is over. */
exports.areConstraintsExpired = function (limited) {
  var constraints = limited.temporalConstraints || [];
  return constraints.some(function (constraint) {
    return temporal.spanOf(constraint)[1] <= Date.now();
  });
};
