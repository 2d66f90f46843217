/*
 * require('router-authz'): whether the caller may send `request`, decided by rules as in access.js. A rule grants when
 * all of it fits: `pattern` ("*", a path, or "path/*" for what lies below), `roles`, `methods`, `actions`,
 * `excludePatterns` (lists with commas, "*" for any) and `customAuthz`, an expression. The first that fits decides.
 */
var customAuthz = require('auth/customAuthz');

var DEFAULT_RULES = [
  { pattern: '*', roles: identityServer.getProperty('svc.role.admin'), methods: '*', actions: '*' },
];

function list(text) {
  return String(text === undefined || text === null ? '' : text)
    .toLowerCase()
    .split(',')
    .filter(Boolean);
}

function fitsPath(pattern, path) {
  if (pattern === '*' || pattern === path) {
    return true;
  }
  return /\/\*$/.test(pattern) && path.indexOf(pattern.slice(0, -1)) === 0 && path.length >= pattern.length;
}

function has(text, names) {
  var allowed = list(text);
  return names.some(function (name) {
    return allowed.indexOf('*') >= 0 || allowed.indexOf(String(name).toLowerCase()) >= 0;
  });
}

function fitsCustom(expression) {
  if (!expression) {
    return true;
  }
  var names = Object.keys(customAuthz);
  var helpers = names.map(function (name) {
    return customAuthz[name];
  });
  var decide = Function.apply(null, ['request', 'context'].concat(names, 'return (' + expression + ')'));
  return Boolean(decide.apply(null, [request, context].concat(helpers)));
}

function grants(rule) {
  var path = request.resourcePath;
  var excluded = String(rule.excludePatterns || '')
    .split(',')
    .some(function (pattern) {
      return pattern !== '' && fitsPath(pattern, path);
    });
  return (
    !excluded &&
    fitsPath(rule.pattern, path) &&
    has(rule.roles, context.security.authorization.roles.concat('*')) &&
    has(rule.methods, [request.method]) &&
    (request.method !== 'action' || has(rule.actions, [request.action])) &&
    fitsCustom(rule.customAuthz)
  );
}

exports.isAllowed = function (rules) {
  return (rules || DEFAULT_RULES).some(grants);
};

/* Throws 403 unless a rule grants; without rules only administrators pass. */
exports.testAccess = function (rules) {
  if (!exports.isAllowed(rules)) {
    throw { code: 403, message: 'Access denied' };
  }
};
