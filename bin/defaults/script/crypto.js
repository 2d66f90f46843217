/*
 * require('crypto'): the cryptography functions of svc by themselves. What is nothing, or protected already, stays as it
 * is, so that an object can be stored again and again.
 */
exports.decrypt = svc.decrypt;
exports.isEncrypted = svc.isEncrypted;
exports.isHashed = svc.isHashed;
exports.matches = svc.matches;
exports.generateRandomString = svc.generateRandomString;

function isPlain(value) {
  return value !== undefined && value !== null && !svc.isEncrypted(value) && !svc.isHashed(value);
}

/* The cipher and the alias of the key may be left out. */
exports.encrypt = function (value, cipher, alias) {
  if (!isPlain(value)) return value;
  var key = alias || identityServer.getProperty('svc.config.crypto.alias', 'svc-sym-default');
  return svc.encrypt(value, cipher || null, key);
};

/* The algorithm may be left out. */
exports.hash = function (value, algorithm) {
  return isPlain(value) && typeof value === 'string' ? svc.hash(value, algorithm || null) : value;
};
