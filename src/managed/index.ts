/**
 * Managed objects: types declared in `managed.json`, and the life of their objects.
 *
 * Words: a *type* has *properties* and *hooks*; the *lifecycle* is the matrix of steps that a request runs
 * through; an *exchange* is one request on its way. Invariant: a life is one unit of work, hooks included.
 */
export type { ManagedPlatform } from './exchange.ts';
export { managedObjectResource } from './managed-object-resource.ts';
export { ManagedTypes } from './managed-types.ts';
