import type { DaylightSaving } from '#cron/index.ts';
import type { JsonObject } from '#json/index.ts';
import { type Language, type Resource, resource } from '#resource/index.ts';
import { nextFiring } from '../schedule/next-firing.ts';
import { FURTHER_FIELDS, SCHEDULE_FIELDS, type ScheduleDefinition, timingOf } from '../schedule/schedule.ts';
import { scheduleWords } from '../schedule/schedule-words.ts';
import type { JobView } from './job-view-repository.ts';

/**
 * The schedule as it is read back: its fields, when it fires in words, the node that has it in memory, its triggers, and its next and previous
 * firing.
 *
 * @param now epoch ms; a schedule that waits for the end of its own run fires next after it
 */
export function jobResourceOf(
  job: JobView,
  {
    revision,
    now,
    dst,
    language,
  }: {
    /** Null where none is shown. */
    readonly revision: string | null;
    readonly now: number;
    readonly dst: DaylightSaving;
    readonly language: Language;
  },
): Resource {
  const { definition, triggers } = job;
  const isRunning = triggers[0]?.['acquired'] === true;
  const next =
    job.next_run_at === null && isRunning ? nextFiring(timingOf(definition, dst), now) : job.next_run_at;
  return resource(job.id, revision, {
    ...fieldsOf(definition),
    words: scheduleWords(definition, language),
    ...(job.owner === null ? {} : { nodeId: job.owner }),
    triggers: [...triggers],
    nextRunDate: iso(next),
    previousRunDate: iso(job.previous_run_at),
  });
}

/** Stored as jsonb, which keeps no order of members; people read the fields in the order of the specification. */
export function fieldsOf(definition: ScheduleDefinition): JsonObject {
  const own = FURTHER_FIELDS.filter((field) => definition[field] !== undefined);
  return Object.fromEntries([...SCHEDULE_FIELDS, ...own].map((field) => [field, definition[field] ?? null]));
}

function iso(at: Date | number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
