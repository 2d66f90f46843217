import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { bodyOf, listMember, parseQueryFilter, type QueryFilter, textMember } from '#resource/index.ts';
import { isInstant, parseInstant } from '#time/index.ts';

/** What entries are counted by, besides when they were made. */
export const COUNTED_BY = ['topic', 'user', 'operation'] as const;
export type CountedBy = (typeof COUNTED_BY)[number];

/** A part of the trail that is counted, in equal steps. */
export interface AuditRange {
  readonly from: Date;
  readonly to: Date;
  readonly bucketMs: number;
  readonly by: readonly CountedBy[];
  readonly filter: QueryFilter;
}

const DAY_MS = 86_400_000;
const BUCKETS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: DAY_MS };
const MOST_MS = 92 * DAY_MS;
const MOST_BUCKETS = 1_500;

/** What is counted. All of it may be left out. */
export const AUDIT_COUNT = bodyOf({
  from: textMember(
    'The beginning of the time, such as 2026-08-02T02:00:00Z; by default a day before its end',
  ),
  to: textMember('Its end; by default now'),
  bucket: { enum: Object.keys(BUCKETS), default: 'hour' },
  by: listMember({ enum: [...COUNTED_BY] }, 'What is counted apart'),
  queryFilter: textMember('Which entries, such as userId eq "avo"'),
});

/**
 * Reads `{from, to, bucket, by, queryFilter}`. By default the last day, by the hour.
 *
 * @param now epoch ms
 * @throws BadRequestError `AUDIT_BAD_RANGE` for what is none, and for more than is counted at once
 */
export function parseRange(content: JsonValue, now: number): AuditRange {
  const given: JsonObject = isObject(content) ? content : {};
  const to = timeOf(given, 'to') ?? now;
  const from = timeOf(given, 'from') ?? to - DAY_MS;
  const { bucket = 'hour', by = [], queryFilter = 'true' } = given;
  const bucketMs = typeof bucket === 'string' ? BUCKETS[bucket] : undefined;
  if (bucketMs === undefined) {
    throw refuse('/bucket', bucket, `Use one of ${Object.keys(BUCKETS).join(', ')}`);
  }
  if (from >= to) throw refuse('/from', new Date(from).toISOString(), 'It must come before `to`');
  if (to - from > MOST_MS)
    throw refuse('/from', new Date(from).toISOString(), 'At most 92 days are counted at once');
  if ((to - from) / bucketMs > MOST_BUCKETS) {
    throw refuse('/bucket', bucket, `At most ${MOST_BUCKETS} steps are counted at once; take larger ones`);
  }
  const wrong = Array.isArray(by) ? by.find((name) => !COUNTED_BY.some((known) => known === name)) : by;
  if (wrong !== undefined) throw refuse('/by', wrong, `A list of ${COUNTED_BY.join(', ')}`);
  if (typeof queryFilter !== 'string') throw refuse('/queryFilter', queryFilter, 'Such as userId eq "avo"');
  return {
    from: new Date(from),
    to: new Date(to),
    bucketMs,
    by: COUNTED_BY.filter((name) => Array.isArray(by) && by.includes(name)),
    filter: parseQueryFilter(queryFilter),
  };
}

function timeOf(given: JsonObject, name: 'from' | 'to'): number | undefined {
  const value = given[name] ?? null;
  if (value === null) return undefined;
  const at = typeof value === 'string' ? parseInstant(value) : Number.NaN;
  if (!isInstant(at)) throw refuse(`/${name}`, value, 'A time such as 2026-08-02T02:00:00Z');
  return at;
}

function refuse(field: string, value: JsonValue, hint: string): BadRequestError {
  return new BadRequestError(`${JSON.stringify(value)} cannot be '${field.slice(1)}' of a count`, {
    id: 'AUDIT_BAD_RANGE',
    field,
    hint,
  });
}
