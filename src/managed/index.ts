/**
 * Managed objects: types declared in `managed.json`, and the life of their objects.
 *
 * Words: a *type* has *properties* and *hooks*; the *lifecycle* is the matrix of steps that a request runs
 * through; an *exchange* is one request on its way; an *edge* is one relationship between two objects, seen from an
 * *owner* to a *target*; a *policy* is a kind of rule, a *rule* a policy with its parameters; a *derived* property
 * is read off relationships, and stored derivations are *refreshed* when what they look at changes. Invariants: a life is one unit of work, hooks included; an edge is one row, whichever
 * end wrote it; nothing private and no foreign envelope passes the door; no type has a special status in code.
 */
export { checkManaged } from './check-managed.ts';
export { deriveAnew } from './derive/derive-anew.ts';
export { explainToOperator } from './explain/explain-to-operator.ts';
export { managedFeature } from './managed-feature.ts';
export type { ManagedType } from './managed-type.ts';
export { ManagedTypes } from './managed-types.ts';
export { edgeRow } from './relationship/edge-repository.ts';
