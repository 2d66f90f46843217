import type { JsonObject } from '#json/index.ts';
import { type Resource, resource } from '#resource/index.ts';
import type { DaylightSaving } from './cron/index.ts';
import type { JobView } from './job-view-repository.ts';
import type { MemorySchedule } from './memory-schedules.ts';
import { nextFiring } from './next-firing.ts';
import { FURTHER_FIELDS, SCHEDULE_FIELDS, type ScheduleDefinition, timingOf } from './schedule.ts';

/**
 * The schedule as it is read back: its fields, its triggers, and its next and previous firing.
 *
 * @param now epoch ms; a schedule that waits for the end of its own run fires next after it
 */
export function jobResourceOf(job: JobView, now: number, dst: DaylightSaving): Resource {
  const { definition, triggers } = job;
  const isRunning = triggers[0]?.['acquired'] === true;
  const next =
    job.next_run_at === null && isRunning ? nextFiring(timingOf(definition, dst), now) : job.next_run_at;
  return resource(job.id, null, {
    ...fieldsOf(definition),
    triggers: [...triggers],
    nextRunDate: iso(next),
    previousRunDate: iso(job.previous_run_at),
  });
}

/** A schedule in memory as a row of the persisted ones; only the trigger's id and revision are missing. */
export function memoryJobView({
  id,
  definition,
  trigger,
  nextRunAt,
  previousRunAt,
}: MemorySchedule): JobView {
  const date = (at: number | null) => (at === null ? null : new Date(at));
  return {
    id,
    definition,
    triggers: trigger === null ? [] : [trigger],
    next_run_at: date(nextRunAt),
    previous_run_at: date(previousRunAt),
  };
}

/** Stored as jsonb, which keeps no order of members; people read the fields in the order of the specification. */
export function fieldsOf(definition: ScheduleDefinition): JsonObject {
  const own = FURTHER_FIELDS.filter((field) => definition[field] !== undefined);
  return Object.fromEntries([...SCHEDULE_FIELDS, ...own].map((field) => [field, definition[field] ?? null]));
}

function iso(at: Date | number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
