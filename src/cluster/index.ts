/**
 * Who is in the cluster and who is alive. Knows nothing of schedules: whoever claims things registers how they
 * are released when their node dies.
 *
 * Words: a *node* is a process, its *epoch* is the fencing token of one life of it, to *take over* is to raise a
 * dead node's epoch. Invariant: what carries an old epoch commits nothing.
 */
export { clusterEventResource } from './cluster-event-resource.ts';
export { clusterResource } from './cluster-resource.ts';
export { noteIncident } from './incident-repository.ts';
export { findPlace, requireKnownDatabase } from './known-database.ts';
export { lockGauges } from './lock-gauges.ts';
export { Membership } from './membership.ts';
export { nodeReporter } from './node-reporter.ts';
export { countNodesBehind, listOtherRings, noteConfiguration } from './node-repository.ts';
export { beginHistory, fenceNodes, listUnstopped } from './place-repository.ts';
export { reachAllNodes } from './reach-all-nodes.ts';
export { foreignRings, requireSharedRing } from './ring-agreement.ts';
export { readSeenMarker, seenMarkerKeeper } from './seen-marker.ts';
export { sessionName } from './session-name.ts';
