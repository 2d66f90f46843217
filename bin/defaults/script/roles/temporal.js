/* Temporal constraints: `[{"duration": "<ISO start>/<ISO end>"}]`. Without an offset a time is meant in UTC. */
function instantOf(text) {
  return Date.parse(/T[\d:.,]+$/.test(text) ? text + 'Z' : text);
}

/* From when until when, in milliseconds. */
exports.spanOf = function (constraint) {
  return String(constraint.duration).split('/').map(instantOf);
};

exports.isInEffect = function (constraints) {
  return (constraints || []).every(function (constraint) {
    var span = exports.spanOf(constraint);
    return span[0] <= Date.now() && Date.now() < span[1];
  });
};
