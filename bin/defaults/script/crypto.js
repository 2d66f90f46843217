/* require('crypto'): the cryptography functions of svc by themselves. */
exports.encrypt = svc.encrypt;
exports.decrypt = svc.decrypt;
exports.isEncrypted = svc.isEncrypted;
exports.isHashed = svc.isHashed;
exports.matches = svc.matches;

/* The algorithm may be left out. */
exports.hash = function (value, algorithm) {
  return svc.hash(value, algorithm === undefined ? null : algorithm);
};
