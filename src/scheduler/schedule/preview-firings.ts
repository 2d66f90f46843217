import type { DaylightSaving } from '#cron/index.ts';
import { BadRequestError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { Language } from '#resource/index.ts';
import { clockNotes, localTime } from './clock-warnings.ts';
import { anchored, firstFiring, nextFiring } from './next-firing.ts';
import { type ScheduleDefinition, type Timing, timingOf } from './schedule.ts';
import { scheduleWords } from './schedule-words.ts';

const DEFAULT_COUNT = 10;
const MAX_COUNT = 1_000;

/**
 * The next dates of a schedule with what its zone's clock shows then, and a note wherever a change of that clock
 * makes a date come late, twice or not at all; its words, and what the changes of a year do to it (`dst`).
 *
 * @param count as it came from outside; 10 when absent
 * @throws BadRequestError for a count that is none
 */
export function previewFirings(
  definition: ScheduleDefinition,
  now: number,
  count: JsonValue | undefined,
  dst: DaylightSaving,
  language: Language = 'en',
): JsonObject {
  const timing = timingOf(anchored(definition, now), dst);
  const dates = listFirings(timing, now, readCount(count));
  return {
    words: scheduleWords(definition, language),
    timeZone: timing.zone.id,
    dates: dates.map((at) => ({
      date: new Date(at).toISOString(),
      localTime: localTime(timing.zone.wallAt(at)),
      ...noteOn(timing, at),
    })),
    dst: clockNotes(timing, now),
    leftOut: dst === 'quartz' ? leftOut(timing, now, dates.at(-1)) : [],
  };
}

function readCount(count: JsonValue | undefined): number {
  const number = Number(count ?? DEFAULT_COUNT);
  if (Number.isInteger(number) && number >= 1 && number <= MAX_COUNT) return number;
  throw new BadRequestError(`count is ${JSON.stringify(count)}`, {
    id: 'SCHED_BAD_COUNT',
    field: '/count',
    hint: `A whole number from 1 to ${MAX_COUNT}`,
  });
}

function listFirings(timing: Timing, now: number, count: number): number[] {
  const dates: number[] = [];
  let next = timing.repetition === null ? firstFiring(timing, now) : nextFiring(timing, now);
  while (next !== null && dates.length < count) {
    dates.push(next);
    next = nextFiring(timing, next);
  }
  return dates;
}

function noteOn({ zone, dst }: Timing, at: number): { note?: string } {
  const wall = zone.wallAt(at);
  const resolution = zone.resolve(wall);
  if (resolution.kind === 'two') {
    const which = at === resolution.later ? 'second' : 'first';
    const rule = dst === 'quartz' ? '; each time fires once, at its second instant' : '';
    return { note: `Clocks go back and show this time twice; this is its ${which} instant${rule}` };
  }
  const before = zone.offsetAt(at - 1);
  if (dst === 'smooth' && before < zone.offsetAt(at)) {
    return { note: 'Clocks go forward; also stands for times that they skip, if the schedule has any' };
  }
  return {};
}

/** Times of the schedule that clocks skip, up to the last date. */
function leftOut(timing: Timing, now: number, last: number | undefined): JsonValue[] {
  if (timing.cron === null || last === undefined) return [];
  const smooth = { ...timing, dst: 'smooth' as const };
  const notes: JsonValue[] = [];
  for (let at = firstFiring(smooth, now); at !== null && at <= last && notes.length < 20; ) {
    const { zone } = timing;
    const forward = zone.offsetAt(at) - zone.offsetAt(at - 1);
    if (forward > 0 && firstFiring(timing, at) !== at) {
      const from = localTime(at + zone.offsetAt(at - 1));
      notes.push(
        `Clocks skip from ${from} to ${localTime(zone.wallAt(at))}; what is planned in between does not fire`,
      );
    }
    at = nextFiring(smooth, at);
  }
  return notes;
}
