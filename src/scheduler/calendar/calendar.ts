import type { DaylightSaving } from '#cron/index.ts';
import type { Db } from '#database/index.ts';
import { BadRequestError, didYouMean } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { bodyOf, type Language, listMember, textMember } from '#resource/index.ts';
import { askedTime } from '../asked-time.ts';
import { nextFiring } from '../schedule/next-firing.ts';
import { timingOf } from '../schedule/schedule.ts';
import { scheduleWords } from '../schedule/schedule-words.ts';
import { listIds } from '../store/job-repository.ts';
import { countSlots, knownOf, listPlanned, type PlannedSchedule } from './calendar-repository.ts';
import { neededSlots, type PlannedRuns } from './needed-slots.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const MOST_DAYS = 31;
const MOST_SCHEDULES = 1_000;
const MOST_TIMES = 5_000;
/** What fires more often in the time is not listed. */
const MOST_OF_ONE = 300;
const BUCKETS = 96;
const MOST_WARNINGS = 20;
const UNITS = [
  ['d', DAY_MS],
  ['h', 60 * MINUTE_MS],
  ['min', MINUTE_MS],
  ['s', 1_000],
] as const;

/** Which calendar is asked for. All of it may be left out. */
export const CALENDAR = bodyOf({
  from: textMember('The beginning of the time, such as 2026-08-02T02:00:00Z; by default now'),
  to: textMember('Its end; by default a day later'),
  ids: listMember({ type: 'string' }, 'Of which schedules; by default of all'),
});

/**
 * When all schedules fire that are planned from one time until before another, how long they take, and how many slots they
 * need at once. What is paused or parked is listed, and needs none.
 *
 * @param body `{from, to, ids}`, all of which may be left out: the next day, of all
 * @param now epoch ms
 * @throws BadRequestError `SCHED_BAD_CALENDAR`
 */
export async function calendarOf(
  db: Db,
  body: JsonValue,
  { now, dst, language }: { readonly now: number; readonly dst: DaylightSaving; readonly language: Language },
): Promise<JsonObject> {
  const members = isObject(body) ? body : {};
  const from = askedTime(members, 'from', refuse) ?? now;
  const to = askedTime(members, 'to', refuse) ?? from + DAY_MS;
  if (from >= to || to - from > MOST_DAYS * DAY_MS) {
    throw refuse(
      'to',
      `from ${iso(from)} to ${iso(to)}`,
      `Up to ${MOST_DAYS} days, from the earlier to the later`,
    );
  }
  const ids = idsOf(members);
  const planned = await listPlanned(db, { ids, limit: MOST_SCHEDULES + 1 });
  const warnings = ids === undefined ? [] : await doubtsAbout(db, ids);
  let room = MOST_TIMES;
  const listed = planned.slice(0, MOST_SCHEDULES).map((schedule) => {
    const runs = runsOf(schedule, { from, to, dst, most: Math.min(MOST_OF_ONE, room) });
    room -= runs.times.length;
    return { schedule, runs };
  });
  const bucketMs = Math.max(MINUTE_MS, Math.ceil((to - from) / BUCKETS / MINUTE_MS) * MINUTE_MS);
  const active = listed.flatMap(({ schedule, runs }) => (schedule.paused || schedule.parked ? [] : runs));
  const needed = neededSlots(active, { from, to, bucketMs });
  const capacity = await countSlots(db);
  return {
    from: iso(from),
    to: iso(to),
    schedules: listed
      .filter(({ runs }) => runs.times.length > 0 || runs.everyMs !== undefined)
      .map(({ schedule, runs }) => shown(schedule, runs, language)),
    truncated: planned.length > MOST_SCHEDULES,
    ...(warnings.length === 0 ? {} : { warnings }),
    slots: {
      capacity,
      bucketSeconds: bucketMs / 1000,
      needed,
      short: needed.flatMap((slots, index) =>
        slots > capacity ? { at: iso(from + index * bucketMs), needed: slots } : [],
      ),
    },
  };
}

function runsOf(
  { definition, tookMs }: PlannedSchedule,
  { from, to, dst, most }: { from: number; to: number; dst: DaylightSaving; most: number },
): PlannedRuns {
  const timing = timingOf(definition, dst);
  const { cron, repetition, startAt } = timing;
  const firesOnce = cron === null && repetition === null;
  const once = startAt !== null && startAt >= from ? startAt : null;
  const times: number[] = [];
  for (
    let at = firesOnce ? once : nextFiring(timing, from - 1);
    at !== null && at < to;
    at = nextFiring(timing, at)
  ) {
    const before = times.at(-1);
    if (before !== undefined && times.length >= most)
      return { times: [], tookMs: tookMs ?? 0, everyMs: at - before };
    times.push(at);
  }
  return { times, tookMs: tookMs ?? 0 };
}

function shown(schedule: PlannedSchedule, { times, everyMs }: PlannedRuns, language: Language): JsonObject {
  const { id, definition, owner, paused, parked, tookMs } = schedule;
  return {
    _id: id,
    words: scheduleWords(definition, language),
    ...(owner === null ? {} : { nodeId: owner }),
    ...(paused ? { paused } : {}),
    ...(parked ? { parked } : {}),
    tookMs: tookMs === null ? null : Math.round(tookMs * 10) / 10,
    ...(everyMs === undefined ? { times: times.map(iso) } : { every: spanOf(everyMs) }),
  };
}

function spanOf(ms: number): string {
  const [unit, length] = UNITS.find(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / length} ${unit}`;
}

function idsOf({ ids }: JsonObject): readonly string[] | undefined {
  if (ids === undefined) return undefined;
  const texts = Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
  if (Array.isArray(ids) && texts.length === ids.length && ids.length <= MOST_SCHEDULES) return texts;
  throw refuse('ids', `ids is ${JSON.stringify(ids)}`, `A list of up to ${MOST_SCHEDULES} ids of schedules`);
}

/** Warnings of ids that no schedule has. A schedule that is disabled is there, and fires at no time. */
async function doubtsAbout(db: Db, ids: readonly string[]): Promise<string[]> {
  const missing = new Set(ids).difference(await knownOf(db, ids));
  const all = missing.size === 0 ? [] : await listIds(db);
  return [...missing]
    .slice(0, MOST_WARNINGS)
    .map((id) => `There is no schedule '${id}'. ${didYouMean(id, all) ?? ''}`.trim());
}

function refuse(member: string, message: string, hint: string): BadRequestError {
  return new BadRequestError(message.slice(0, 300), { id: 'SCHED_BAD_CALENDAR', field: `/${member}`, hint });
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
