/*
 * `augmentSecurityContext`: whoever comes in is the managed user of their name, with the roles of both. The user must be
 * active.
 */
require('auth/asManagedUser')(
  security,
  svc.query('managed/user', { _queryFilter: 'userName eq ' + JSON.stringify(security.authenticationId) }, [
    '*',
    'authzRoles',
  ]).result[0],
);
