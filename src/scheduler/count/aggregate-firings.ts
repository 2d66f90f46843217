import type { Db } from '#database/index.ts';
import { BadRequestError, didYouMean } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  bodyOf,
  listMember,
  namesOf,
  parseQueryFilter,
  pointersOf,
  type QueryFilter,
  refuseUnknownField,
  textMember,
} from '#resource/index.ts';
import { addDuration, parseDuration } from '#time/index.ts';
import { askedTime } from '../asked-time.ts';
import { MINUTE_DAYS } from './firing-count-keeper.ts';
import {
  type CountQuery,
  type CountSpan,
  countFirings,
  type FiringCount,
  GROUPS,
  type Group,
} from './firing-count-repository.ts';
import { percentiles, round } from './tally.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MOST_BUCKETS = 2_000;
const MOST_ROWS = 5_000;
const SHARES = [0.5, 0.95];

/** What is counted. All of it may be left out. */
export const FIRING_COUNT = bodyOf({
  from: textMember(
    'The beginning of the time, such as 2026-08-02T02:00:00Z; by default a day before its end',
  ),
  to: textMember('Its end; by default now'),
  bucket: { description: 'A step such as 1h; none counts the time as a whole' },
  by: { ...listMember({ enum: [...GROUPS] }), description: 'What is counted apart' },
  queryFilter: textMember('Which firings'),
});
const MEMBERS = namesOf(FIRING_COUNT);

/**
 * How many firings were planned in a time, and how late and long they were, by buckets of time, schedule, outcome and node.
 *
 * @param body `{from, to, bucket, by, queryFilter}`, all of which may be left out: the last day as a whole
 * @param now epoch ms
 * @throws BadRequestError `SCHED_BAD_AGGREGATE`
 */
export async function aggregateFirings(db: Db, body: JsonValue, now: number): Promise<JsonObject> {
  const query = readQuery(body, now);
  const rows = await countFirings(db, { ...query, limit: MOST_ROWS + 1 });
  return {
    from: iso(query.from),
    to: iso(query.to),
    bucketSeconds: query.bucket,
    by: [...query.by],
    result: rows.slice(0, MOST_ROWS).map((row) => shown(row, query)),
    truncated: rows.length > MOST_ROWS,
  };
}

function shown(row: FiringCount, { by, bucket }: Pick<CountQuery, 'by' | 'bucket'>): JsonObject {
  const { at, firings, failed, late, lateMax, took, tookMax } = row;
  return {
    ...(bucket === null ? {} : { at: at.toISOString() }),
    ...Object.fromEntries(by.map((group) => [group, row[group] ?? null])),
    count: firings,
    failed,
    lateMs: spread(late, lateMax),
    tookMs: spread(took, tookMax),
  };
}

function spread(tally: string | null, max: number | null): JsonObject {
  const [p50 = null, p95 = null] = percentiles(tally, SHARES, max);
  return {
    p50,
    p95,
    max: max === null ? null : round(max),
  };
}

function readQuery(body: JsonValue, now: number): Omit<CountQuery, 'limit'> {
  if (!isObject(body))
    throw refuse('', 'The body is no object', 'Such as {"bucket": "1h", "by": ["outcome"]}');
  const [unknown] = Object.keys(body).filter((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    throw refuse(unknown, `There is no '${unknown}'`, didYouMean(unknown, MEMBERS) ?? MEMBERS.join(', '));
  }
  const to = askedTime(body, 'to', refuse) ?? now;
  const from = askedTime(body, 'from', refuse) ?? to - DAY_MS;
  if (from >= to) throw refuse('from', `from ${iso(from)} is not before to ${iso(to)}`);
  const bucketMs = bucketOf(body);
  const coarse = bucketMs === null ? to - from > 2 * DAY_MS : bucketMs % HOUR_MS === 0;
  const grainMs = coarse ? HOUR_MS : MINUTE_MS;
  const start = Math.floor(from / grainMs) * grainMs;
  if (!coarse && start < now - MINUTE_DAYS * DAY_MS) {
    const hint = 'Ask for full hours ("1h", "6h", "1d")';
    throw refuse('bucket', `Firings are counted by the minute for ${MINUTE_DAYS} days only`, hint);
  }
  const buckets = bucketMs === null ? 1 : Math.ceil((to - start) / bucketMs);
  if (buckets > MOST_BUCKETS) {
    throw refuse(
      'bucket',
      `These are ${buckets} buckets`,
      `No more than ${MOST_BUCKETS}: ask for longer ones`,
    );
  }
  const by = groupsOf(body);
  const filter = filterOf(body);
  const end = Math.ceil(to / grainMs) * grainMs;
  return {
    from: start,
    to: end,
    spans: coarse ? spansOf(start, end, bucketMs) : [{ grain: 60, from: start, to: end }],
    bucket: bucketMs === null ? null : bucketMs / 1000,
    by,
    filter,
    ofSchedules: by.includes('schedule') || pointersOf(filter).some(([name]) => name === 'schedule'),
  };
}

/** Full days, in UTC, are read as such wherever no bucket ends within one. */
function spansOf(from: number, to: number, bucketMs: number | null): CountSpan[] {
  const hours = (start: number, end: number): CountSpan[] =>
    start < end ? [{ grain: 3600, from: start, to: end }] : [];
  const isOfDays = bucketMs === null || (bucketMs % DAY_MS === 0 && from % DAY_MS === 0);
  const [first, last] = [Math.ceil(from / DAY_MS) * DAY_MS, Math.floor(to / DAY_MS) * DAY_MS];
  if (!isOfDays || first >= last) return hours(from, to);
  return [...hours(from, first), { grain: 86_400, from: first, to: last }, ...hours(last, to)];
}

/** Buckets have a length of their own: no months and years. */
function bucketOf({ bucket }: JsonObject): number | null {
  if (bucket === undefined || bucket === null) return null;
  const isSpan = typeof bucket === 'string' && /^\d{1,6}[smhd]$/.test(bucket);
  const ms = isSpan ? addDuration(0, parseDuration(bucket)) : 0;
  if (ms >= MINUTE_MS && ms % MINUTE_MS === 0) return ms;
  throw refuse(
    'bucket',
    `bucket is ${JSON.stringify(bucket)}`,
    'Full minutes, such as "1m", "15m", "1h" or "1d"',
  );
}

function groupsOf({ by = [] }: JsonObject): readonly Group[] {
  const names = Array.isArray(by) ? by : [by];
  for (const name of names) {
    if (GROUPS.some((group) => group === name)) continue;
    throw refuse('by', `by has ${JSON.stringify(name)}`, `Any of ${GROUPS.join(', ')}`);
  }
  return GROUPS.filter((group) => names.includes(group));
}

function filterOf({ queryFilter = 'true' }: JsonObject): QueryFilter {
  if (typeof queryFilter !== 'string') {
    throw refuse(
      'queryFilter',
      `queryFilter is ${JSON.stringify(queryFilter)}`,
      'Such as schedule eq "nightly"',
    );
  }
  const filter = parseQueryFilter(queryFilter);
  refuseUnknownField({ filter, sortKeys: [] }, [...GROUPS]);
  return filter;
}

function refuse(member: string, message: string, hint?: string): BadRequestError {
  return new BadRequestError(message.slice(0, 300), {
    id: 'SCHED_BAD_AGGREGATE',
    field: `/${member}`,
    ...(hint === undefined ? {} : { hint }),
  });
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
