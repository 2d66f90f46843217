import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { StoredEntry } from './stored-entry.ts';
import { ENTRY_COLUMNS } from './trail-repository.ts';

const MOST_LOOKED_AT = 100;

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

/** Records of prunings, the newest first, and entries that are made to look like one. */
export async function findPrunings(db: Db): Promise<readonly StoredEntry[]> {
  const { rows } = await sql<StoredEntry>`
    select ${ENTRY_COLUMNS} from audit_event
    where topic = 'config' and object_id = 'audit' and event->>'operation' = 'PRUNE' and not event ? 'handMade'
    order by recorded_at desc, id desc limit ${MOST_LOOKED_AT}`.execute(db);
  return rows;
}
