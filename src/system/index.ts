/**
 * Other systems: directories, files, databases, whose objects are resources at `/system/<name>/<type>`.
 *
 * Words: a *system* is one file `provisioner.openicf-<name>.json`; a *connector* speaks its protocol, and knows the server by
 * `contract.ts` alone; an *object type* says which of its attributes are shown as which properties; a system that does not answer is
 * *away*, and asked again after a pause. Invariants: no secret leaves but to where it is meant for; connections go where the operator
 * lets them; a call ends in its time; a rehearsal writes nothing.
 */
export { checkSystems } from './check-systems.ts';
export type { LiveSync, LiveSyncOrder } from './live-sync.ts';
export type { ObjectChange, SystemChanges } from './system-changes.ts';
export { systemFeature } from './system-feature.ts';
