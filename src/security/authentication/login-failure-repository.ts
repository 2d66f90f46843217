import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** After so long without a failure the count begins anew. */
const FORGOTTEN_AFTER = sql`interval '15 minutes'`;

/** @returns how long the worst of the keys is still blocked, in ms; 0 when none is */
export async function longestBlock(db: Db, keys: readonly string[]): Promise<number> {
  const { wait } = await db
    .selectFrom('login_failure')
    .select(
      sql<number>`coalesce(max(extract(epoch from blocked_until - clock_timestamp())) * 1000, 0)::float8`.as(
        'wait',
      ),
    )
    .where('key', 'in', keys)
    .executeTakeFirstOrThrow();
  return Math.max(0, wait);
}

/** Counts a failure and blocks the key when it has had too many: first `firstMs`, doubling up to `longestMs`. */
export async function recordFailure(
  db: Db,
  key: string,
  { free, firstMs, longestMs }: { free: number; firstMs: number; longestMs: number },
): Promise<void> {
  await sql`
    insert into login_failure as f (key, failures, last_at, blocked_until)
    values (${key}, 1, clock_timestamp(), clock_timestamp())
    on conflict (key) do update set
      failures = case when f.last_at < clock_timestamp() - ${FORGOTTEN_AFTER} then 1 else f.failures + 1 end,
      last_at = clock_timestamp(),
      blocked_until = case
        when f.last_at < clock_timestamp() - ${FORGOTTEN_AFTER} or f.failures + 1 < ${free}::int then clock_timestamp()
        else clock_timestamp()
          + least(${firstMs} * power(2, least(f.failures + 1 - ${free}::int, 30)), ${longestMs}) * interval '1 ms' end
  `.execute(db);
}

export async function forgetFailures(db: Db, keys: readonly string[]): Promise<void> {
  await db.deleteFrom('login_failure').where('key', 'in', keys).execute();
  await db
    .deleteFrom('login_failure')
    .where('last_at', '<', sql<Date>`clock_timestamp() - ${FORGOTTEN_AFTER} * 4`)
    .execute();
}
