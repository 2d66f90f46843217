/* require('util'): small things that scripts do again and again. */
exports.isArray = Array.isArray;

exports.isObject = function (value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
};

exports.isEmpty = function (value) {
  return (
    value === null ||
    value === undefined ||
    (typeof value === 'object' ? Object.keys(value).length : value.length) === 0
  );
};

exports.clone = function (value) {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
};

/* Fills the places `%s`, `%d` and `%j` in their order; further arguments follow with blanks. */
exports.format = function (pattern) {
  var rest = Array.prototype.slice.call(arguments, 1);
  var text = String(pattern).replace(/%[sdj]/g, function (place) {
    if (rest.length === 0) {
      return place;
    }
    var value = rest.shift();
    return place === '%j' ? JSON.stringify(value) : place === '%d' ? String(Number(value)) : String(value);
  });
  return [text].concat(rest).join(' ');
};
