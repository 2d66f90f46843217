/**
 * Schedules and their firings.
 *
 * Words: a *schedule* is declared, a *job* is registered, a *trigger* says when, a *firing* is one run of it; to
 * *acquire* is to claim what is due; a *misfire* came too late; the *ledger* says how each planned time ended; a
 * *job store* keeps schedules, for all nodes or *in memory* of one, which is a row that belongs to a life of it and
 * goes with that. How due firings are claimed, seated, started and given back is that of all work (`src/work`).
 * Invariants: an id means what the node has in memory, then what is persisted, then what others have in memory; a fire never touches the definition; a run completes in the transaction of its effects, or has none;
 * only the database's clock is asked.
 */

export { type DaylightSaving, nextFireTime, parseCron } from './cron/index.ts';
export { CustomServices } from './custom-service.ts';
export { type Explanation, explainFiring } from './explain-firing.ts';
export { FileSchedules, type ScheduleFile } from './file-schedules.ts';
export { fireTogether } from './fire-together.ts';
export {
  type FiringEnd,
  type FiringPlatform,
  type FiringResult,
  fireTrigger,
} from './fire-trigger.ts';
export type { Firing } from './firing.ts';
export { firingResource } from './firing-resource.ts';
export { jobResource } from './job-resource.ts';
export { type JobStore, jobStore } from './job-store.ts';
export type { SchedulerPlatform } from './kept-schedules.ts';
export { endLife } from './release-repository.ts';
export { longServiceName, parseSchedule, shortServiceName } from './schedule.ts';
export { type Scheduled, type ScheduledService, ScheduledServices } from './scheduled-service.ts';
export { schedulerResource } from './scheduler-resource.ts';
export { scriptScheduledService } from './script-scheduled-service.ts';
export { type ContextSeals, contextSeals } from './sealed-context.ts';
export type { SecretReference } from './secret-context.ts';
export { TriggerPoller } from './trigger-poller.ts';
export { triggerListResource, triggerResource } from './trigger-resource.ts';
export type { Tuning } from './tuning.ts';
export { provisionerScheduledService, syncScheduledService } from './unconfigured-service.ts';
