/* Temporal constraints: `[{"duration": "<ISO start>/<ISO end>"}]`. */
exports.isInEffect = function (constraints) {
  return (constraints || []).every(function (constraint) {
    var span = String(constraint.duration).split('/').map(Date.parse);
    return span[0] <= Date.now() && Date.now() < span[1];
  });
};
