import { sql } from 'kysely';
import { type Db, oneRow } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { AuditTopic } from './audit-event.ts';

/** An entry of another server's trail. */
export interface HistoryEntry {
  /** Made of what the entry says, so that it comes only once. */
  readonly id: string;
  readonly topic: AuditTopic;
  /** Epoch ms. */
  readonly at: number;
  readonly transactionId: string;
  readonly userId: string | null;
  readonly objectId: string | null;
  readonly event: JsonObject;
}

/** @param source from where they come @returns how many were not there */
export async function insertHistory(
  db: Db,
  source: string,
  entries: readonly HistoryEntry[],
): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into audit_history (id, topic, recorded_at, transaction_id, user_id, object_id, event, source)
    select id, topic, to_timestamp(at / 1000), "transactionId", "userId", "objectId", event, ${source}
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
      as entry (id uuid, topic text, at float8, "transactionId" text, "userId" text, "objectId" text, event jsonb)
    on conflict do nothing`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** How many of them are there. */
export async function knownHistory(db: Db, entries: readonly Pick<HistoryEntry, 'id'>[]): Promise<number> {
  const { rows } = await sql<{ known: number }>`
    select count(*)::int as known from audit_history where id = any(${entries.map(({ id }) => id)}::uuid[])`.execute(
    db,
  );
  return rows[0]?.known ?? 0;
}

/** The month, in UTC, from whose beginning on entries are kept: as `audit_prune` has it for the trail. */
const KEPT_FROM = (keepDays: number) => sql<Date>`
  date_trunc('month', (now() - greatest(${keepDays} * interval '1 day', audit_keep_at_least())) at time zone 'UTC') at time zone 'UTC'`;

/** What is older does not come, because it would not stay. */
export async function historyKeptFrom(db: Db, keepDays: number): Promise<Date> {
  const { rows } = await sql<{ from: Date }>`select ${KEPT_FROM(keepDays)} as from`.execute(db);
  return oneRow(rows).from;
}

/** @param most in one statement @returns how many were older than is kept */
export async function pruneHistory(db: Db, keepDays: number, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_history where id in (
      select id from audit_history where recorded_at < ${KEPT_FROM(keepDays)}
      order by recorded_at limit ${most} for update skip locked)`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

export async function deleteHistory(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`delete from audit_history`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

export async function countHistory(db: Db): Promise<
  readonly {
    readonly source: string;
    readonly topic: string;
    readonly items: number;
    readonly lastAt: Date;
  }[]
> {
  const { rows } = await sql<{ source: string; topic: string; items: number; lastAt: Date }>`
    select source, topic, count(*)::int as items, max(recorded_at) as "lastAt" from audit_history
    group by source, topic order by source, topic`.execute(db);
  return rows;
}
