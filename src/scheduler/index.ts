/**
 * Schedules and their firings.
 *
 * Words: a *schedule* is declared, a *job* is registered, a *trigger* says when, a *firing* is one run of it; to
 * *acquire* is to claim what is due; a *misfire* came too late; the *ledger* says how each planned time ended.
 * Invariants: a fire never touches the definition; a run completes in the transaction of its effects, or not at
 * all; only the database's clock is asked.
 */
export { FileSchedules, type ScheduleFile } from './file-schedules.ts';
export { type Firing, type FiringEnd, type FiringPlatform, fireTrigger } from './fire-trigger.ts';
export { jobResource, type SchedulerPlatform } from './job-resource.ts';
export { type Holder, releaseRuns } from './run-repository.ts';
export { shortServiceName } from './schedule.ts';
export { type Scheduled, type ScheduledService, ScheduledServices } from './scheduled-service.ts';
export { schedulerResource } from './scheduler-resource.ts';
export { scriptScheduledService } from './script-scheduled-service.ts';
export { TriggerPoller } from './trigger-poller.ts';
export { triggerResource } from './trigger-resource.ts';
