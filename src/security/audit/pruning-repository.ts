import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';
import { MOST_EVENT_BYTES } from './sound-row-repository.ts';
import type { StoredEntry } from './stored-entry.ts';
import { ENTRY_COLUMNS } from './trail-repository.ts';

const PAGE_ENTRIES = 100;

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
  return oneRow(rows).months;
}

/** Records of prunings, the newest first, and entries that are made to look like one. */
export async function* readPrunings(db: Db): AsyncGenerator<StoredEntry> {
  let isOlder = sql`true`;
  for (;;) {
    const { rows } = await sql<
      StoredEntry & { readonly moment: string; readonly place: string; readonly row: string }
    >`
      select ${ENTRY_COLUMNS}, recorded_at::text as moment, tableoid::text as place, ctid::text as row from audit_event
      where topic = 'config' and object_id = 'audit' and event->>'operation' = 'PRUNE' and not event ? 'handMade'
        and octet_length(event::text) <= ${MOST_EVENT_BYTES} and ${isOlder}
      order by recorded_at desc, tableoid desc, ctid desc limit ${PAGE_ENTRIES}`.execute(db);
    yield* rows;
    const last = rows[PAGE_ENTRIES - 1];
    if (last === undefined) return;
    isOlder = sql`(recorded_at, tableoid, ctid)
      < (${last.moment}::timestamptz, ${last.place}::oid, ${last.row}::tid)`;
  }
}

/** How many entries of the trail, and of what has come from other servers, are older. @param most that are counted */
export async function countBefore(db: Db, before: Date, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from (select from audit_event where recorded_at < ${before} limit ${most}) own
      union all select from (select from audit_history where recorded_at < ${before} limit ${most}) other
      limit ${most}) early`.execute(db);
  return oneRow(rows).count;
}
