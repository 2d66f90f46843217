import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { filterSql } from '#repo/index.ts';
import type { AuditRange, CountedBy } from './audit-range.ts';
import { AUDIT_TABLE } from './audit-repository.ts';

const EXPRESSIONS: Readonly<Record<CountedBy, string>> = {
  topic: 'topic',
  user: 'user_id',
  operation: `coalesce(event->>'operation', event->'request'->>'operation')`,
};

export interface CountedEntries {
  /** Epoch ms. */
  readonly at: number;
  readonly count: number;
  readonly by: readonly (string | null)[];
}

/** How many entries there are in each step; one row more than the most, where there are more. */
export async function countEntries(
  db: Db,
  { from, to, bucketMs, by, filter }: AuditRange,
  most: number,
): Promise<readonly CountedEntries[]> {
  const parts = by.map((name) => sql.raw(EXPRESSIONS[name]));
  const { rows } = await sql<CountedEntries>`
    select (extract(epoch from bucket) * 1000)::int8 as at, count(*)::int8 as count, by
    from (select date_bin(${bucketMs} * interval '1 ms', recorded_at, ${from}::timestamptz) as bucket,
                 jsonb_build_array(${sql.join(parts)}) as by
          from (select * from audit_event
                where recorded_at >= ${from}::timestamptz and recorded_at < ${to}::timestamptz) audit
          where ${filterSql(filter, AUDIT_TABLE)}) counted
    group by bucket, by order by bucket, count(*) desc, by limit ${most + 1}`.execute(db);
  return rows;
}
