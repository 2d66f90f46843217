/*
 * `augmentSecurityContext`: whoever comes in is the managed user of their name, with the roles of both. The user must be
 * active, and the only one of that name: of two nobody can say who is meant.
 */
var named = svc.query(
  'managed/user',
  { _queryFilter: 'userName eq ' + JSON.stringify(security.authenticationId), _pageSize: 2 },
  ['*', 'authzRoles'],
).result;
require('auth/asManagedUser')(security, named.length === 1 ? named[0] : null);
