import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** A month of the trail that was dropped, and how its chains ended. */
export interface PrunedMonth {
  readonly month: string;
  readonly entries: number;
  readonly seals: number;
  readonly heads: readonly {
    readonly node: string;
    readonly part: number;
    readonly number: number;
    readonly signature: string;
  }[];
}

/** Gives up rather than hold up, behind its lock, those who write. */
export async function addMonths(db: Db): Promise<void> {
  await sql`set local lock_timeout = '2s'`.execute(db);
  await sql`select audit_event_add_partitions()`.execute(db);
}

export async function pruneMonths(db: Db, keepDays: number): Promise<readonly PrunedMonth[]> {
  const { rows } = await sql<{ months: readonly PrunedMonth[] }>`
    select audit_prune(${keepDays} * interval '1 day') as months`.execute(db);
  return rows[0]!.months;
}

/** What the last record of a pruning says; undefined when nothing has ever been pruned. */
export async function findPruning(
  db: Db,
): Promise<{ readonly id: string; readonly sealsPruned: number } | undefined> {
  const { rows } = await sql<{ id: string; sealsPruned: number }>`
    select id::text as id, (event->>'sealsPruned')::int8 as "sealsPruned" from audit_event
    where topic = 'config' and object_id = 'audit' and event->>'operation' = 'PRUNE' and not event ? 'handMade'
      and signature is not null
    order by recorded_at desc, id desc limit 1`.execute(db);
  return rows[0];
}
