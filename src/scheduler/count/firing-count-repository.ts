import { type RawBuilder, sql } from 'kysely';
import { type Db, oneRow } from '#database/index.ts';
import { filterSql, type QueryColumn } from '#repo/index.ts';
import type { QueryFilter } from '#resource/index.ts';

/** What firings are told apart by. */
export const GROUPS = ['schedule', 'outcome', 'node'] as const;
export type Group = (typeof GROUPS)[number];

/** Counts of so many seconds each, from one time until before another, in epoch ms. */
export interface CountSpan {
  readonly grain: 60 | 3600 | 86_400;
  readonly from: number;
  readonly to: number;
}

export interface CountQuery {
  /** Epoch ms, full minutes or hours. */
  readonly from: number;
  /** Epoch ms; not included. */
  readonly to: number;
  /** What is read of which counts: together all of that time, and nothing twice. */
  readonly spans: readonly CountSpan[];
  /** The length of a bucket in seconds; null for one over all of the time. */
  readonly bucket: number | null;
  readonly by: readonly Group[];
  /** Filters by the members of the groups only. */
  readonly filter: QueryFilter;
  /** Whether schedules are told apart, by a group or by the filter. */
  readonly ofSchedules: boolean;
  readonly limit: number;
}

/** What came of the firings of one bucket and group. */
export type FiringCount = Readonly<Partial<Record<Group, string>>> & {
  readonly at: Date;
  readonly firings: number;
  readonly failed: number;
  readonly lateMax: number | null;
  readonly tookMax: number | null;
  /** Tallies; null of none. */
  readonly late: string | null;
  readonly took: string | null;
};

const COLUMNS = {
  columns: new Map<string, QueryColumn>(
    GROUPS.map((group) => [group, { expression: sql.ref(group), type: 'text', notNull: true }]),
  ),
};

/** Counts what the ledger got since the last time. @returns whether there may be more to do at once */
export async function rollFirings(db: Db): Promise<boolean> {
  const { rows } = await sql<{ rolled: boolean }>`select scheduler_roll_firings() as rolled`.execute(db);
  return oneRow(rows).rolled;
}

export async function pruneCounts(db: Db, days: { minutes: number; hours: number }): Promise<void> {
  const span = (count: number) => sql`${count} * interval '1 day'`;
  await sql`select scheduler_firing_count_prune(${span(days.minutes)}, ${span(days.hours)})`.execute(db);
}

/**
 * The counts with what is in the ledger since they were made: one statement, so that nothing is counted twice. The earliest
 * bucket first, and in it the group of most firings.
 */
export async function countFirings(db: Db, query: CountQuery): Promise<FiringCount[]> {
  const { spans, bucket, by, ofSchedules, limit } = query;
  const [from, to] = [new Date(query.from), new Date(query.to)];
  const groups = by.map((group) => sql.ref(group));
  const at =
    bucket === null
      ? sql`${from}::timestamptz`
      : sql`date_bin(${bucket} * interval '1 second', start, ${from}::timestamptz)`;
  const filter = filterSql(query.filter, COLUMNS);
  const counted = spans.map(
    (span) => sql`
      select ${list([sql`${at} as at`, ...groups])}, firings, failed, late_max, took_max, late, took
      from scheduler_firing_count
      where grain = ${sql.lit(span.grain)} and ${ofSchedules ? sql`schedule <> ''` : sql`schedule = ''`}
        and start >= ${new Date(span.from)} and start < ${new Date(span.to)} and ${filter}`,
  );
  const keys = list([sql`at`, ...groups]);
  const { rows } = await sql<FiringCount>`
    select ${keys}, sum(firings)::float8 as firings, sum(failed)::float8 as failed, max(late_max) as "lateMax",
           max(took_max) as "tookMax", sum(late)::text as late, sum(took)::text as took
    from (${sql.join(counted, sql` union all `)}
      union all
      select ${list([at, ...groups])}, firings, failed, late_max, took_max, late, took
      from scheduler_firing_counted, scheduler_count_firings(counted_until, 'infinity', ${from}, ${to})
      where start >= ${from} and start < ${to} and ${filter}) part
    group by ${keys}
    order by at, firings desc, ${keys}
    limit ${limit}`.execute(db);
  return rows;
}

function list(parts: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(parts);
}
