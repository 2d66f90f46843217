/**
 * What every feature stands on, and what it brings.
 *
 * Words: the *platform* is the same in the main thread and in script threads; a *feature* answers paths, offers services
 * to schedules, and has a *part* on each node: loops, gauges, health, and what it does when another node sends a *wake-up*.
 */
export type { Feature, NodeGround, NodePart, ThreadsOfNode } from './feature.ts';
export { asField, checkService, type Inspection, isOff } from './inspection.ts';
export { listenerNode } from './listener-node.ts';
export { CHANNEL, type Platform, WAKE_UP } from './platform.ts';
export { JOB, JOBS, queueNode } from './queue-node.ts';
export type { RequireAccount } from './require-account.ts';
export { inRightThread, REQUEST } from './right-thread.ts';
export {
  longServiceName,
  type OfferedService,
  type ScheduledRun,
  type ScheduledService,
  shortServiceName,
} from './scheduled-service.ts';
export type { Synchronizer, SyncNotification, SyncResults } from './synchronizer.ts';
