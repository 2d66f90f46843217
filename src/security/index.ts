/**
 * Who may come in, and what they may do. Authentication turns credentials into a security context; the access
 * filter stands first in the router and is asked for external requests only. Default: no.
 */
export { authorize } from './authorize.ts';
export { accessDenied, readCredentials } from './credentials.ts';
export { ADMIN, createAdministrator, InternalUsers } from './internal-users.ts';
