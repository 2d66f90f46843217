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

export { checkSchedules } from './check-schedules.ts';
export { explainFiring } from './explain/explain-firing.ts';
export { fireTogether } from './fire/fire-together.ts';
export { fireTrigger } from './fire/fire-trigger.ts';
export {
  importSchedule,
  releaseSchedule,
  requireSchedule,
  type ScheduleImport,
  withdrawSchedule,
} from './schedule/import-schedule.ts';
export { contextSeals } from './schedule/sealed-context.ts';
export { schedulerFeature } from './scheduler-feature.ts';
export { FIRING, FIRINGS } from './scheduler-node.ts';
export { ScheduledServices } from './service/scheduled-service.ts';
export { isPaused, setPaused } from './view/running-repository.ts';
