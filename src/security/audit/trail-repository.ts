import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { AUDIT_TOPICS, type AuditTopic } from './audit-event.ts';
import type { Seal } from './seal.ts';
import { isoTime } from './seal-repository.ts';
import type { StoredEntry } from './stored-entry.ts';

/** Times at which something was sealed, as ISO: `from` is in it, `to` is not. */
export interface TrailRange {
  readonly from?: string;
  readonly to?: string;
}

const PAGE_SEALS = 200;
const PAGE_ENTRIES = 1_000;
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** The next seals after a number, with about a thousand entries. */
export async function findSeals(
  db: Db,
  { from, to }: TrailRange,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<Seal[]> {
  const { rows } = await sql<Seal>`
    select number::int8 as number, ${isoTime(sql`month`)} as month, node, part, ${isoTime(sql`sealed_at`)} as "sealedAt",
           ids::text[] as ids, previous, digest, signature
    from (select *, sum(cardinality(ids)) over (order by number) - cardinality(ids) as before
          from (select * from audit_seal
                where number > ${after} and number <= ${upTo}
                  and sealed_at >= ${from ?? '-infinity'}::timestamptz and sealed_at < ${to ?? 'infinity'}::timestamptz
                order by number limit ${PAGE_SEALS}) next) page
    where before < ${PAGE_ENTRIES} order by number`.execute(db);
  return rows;
}

export const ENTRY_COLUMNS = sql`id::text as id, topic, ${isoTime(sql`recorded_at`)} as "recordedAt",
  transaction_id as "transactionId", user_id as "userId", object_id as "objectId", node, signature, event`;

/** Entries with the ids, of the months of their seals. */
export async function findEntries(
  db: Db,
  seals: readonly Pick<Seal, 'ids' | 'month'>[],
): Promise<StoredEntry[]> {
  const months = seals.map(({ month }) => month).sort();
  const { rows } = await sql<StoredEntry>`
    select ${ENTRY_COLUMNS} from audit_event
    where topic = any(${[...AUDIT_TOPICS]}::text[]) and id = any(${seals.flatMap(({ ids }) => ids)}::uuid[])
      and recorded_at >= ${months[0]!}::timestamptz
      and recorded_at < ${months.at(-1)!}::timestamptz + interval '1 month'`.execute(db);
  return rows;
}

/** The next entries of a topic that nobody signed and no seal covers, because they are older than seals. */
export async function findOldEntries(
  db: Db,
  topic: AuditTopic,
  { from, to }: TrailRange,
  after: string | undefined,
): Promise<StoredEntry[]> {
  const { rows } = await sql<StoredEntry>`
    select ${ENTRY_COLUMNS} from audit_event
    where topic = ${topic} and signature is null and id > ${after ?? NO_ID}::uuid
      and recorded_at >= ${from ?? '-infinity'}::timestamptz and recorded_at < ${to ?? 'infinity'}::timestamptz
      and recorded_at < coalesce((select sealed_at from audit_seal where number = 1), 'infinity')
    order by id limit ${PAGE_ENTRIES}`.execute(db);
  return rows;
}

/** An entry that waits for its seal; null when it is not there. */
export interface WaitingEntry {
  readonly id: string;
  readonly entry: StoredEntry | null;
}

/** The entries that wait for their seal, a page at a time. */
export async function findWaiting(db: Db, after: string | undefined): Promise<WaitingEntry[]> {
  const { rows } = await sql<StoredEntry & { readonly waitingId: string }>`
    select waiting.id::text as "waitingId", entry.* from (
      select id, recorded_at from audit_unsealed where id > ${after ?? NO_ID}::uuid order by id limit ${PAGE_ENTRIES}) waiting
    left join lateral (
      select ${ENTRY_COLUMNS} from audit_event e where e.id = waiting.id and e.recorded_at = waiting.recorded_at
      limit 1) entry on true
    order by waiting.id`.execute(db);
  return rows.map(({ waitingId, ...entry }) => ({ id: waitingId, entry: entry.id === null ? null : entry }));
}

export interface SealCount {
  readonly seals: number;
  /** 0 when there is none. */
  readonly highest: number;
  /** When the first seal of all was made; null when it is not there. */
  readonly firstSealedAt: string | null;
  readonly waiting: number;
}

export async function countSeals(db: Db): Promise<SealCount> {
  const { rows } = await sql<SealCount>`
    with unsealed as (select count(*)::int8 as waiting from audit_unsealed)
    select count(*)::int8 as seals, coalesce(max(number), 0)::int8 as highest,
           ${isoTime(sql`(select sealed_at from audit_seal where number = 1 limit 1)`)} as "firstSealedAt",
           (select waiting from unsealed) as waiting
    from audit_seal`.execute(db);
  return rows[0]!;
}

/** Numbers that no seal has, below the highest: first and last of each gap. */
export async function findGaps(db: Db): Promise<{ readonly first: number; readonly last: number }[]> {
  const { rows } = await sql<{ first: number; last: number }>`
    select before + 1 as first, number - 1 as last
    from (select number, lag(number, 1, 0::int8) over (order by number) as before from audit_seal) seal
    where number > before + 1 order by number limit 10`.execute(db);
  return rows;
}

export async function findSignature(db: Db, number: number): Promise<string | undefined> {
  const { rows } = await sql<{ signature: string }>`
    select signature from audit_seal where number = ${number}`.execute(db);
  return rows[0]?.signature;
}

/** Months that have a partition, and the time before and behind them. */
export async function listSpans(db: Db): Promise<{ readonly from: string; readonly to: string }[]> {
  const { rows } = await sql<{ from: string; to: string }>`
    with month as (
      select to_date(right(c.relname, 7), 'YYYY_MM')::timestamp as first
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'audit_event'::regclass and c.relname ~ '^audit_event_\\d{4}_\\d\\d$'),
    span as (
      select first as "from", first + interval '1 month' as "to" from month
      union all select '-infinity', min(first) from month
      union all select max(first) + interval '1 month', 'infinity' from month)
    select ("from" at time zone 'UTC')::text as "from", ("to" at time zone 'UTC')::text as "to"
    from span order by span."from"`.execute(db);
  return rows;
}

export interface LooseEntries {
  /** Signed by nobody and older than the first seal. */
  readonly old: number;
  /** What has been put in by something else than the server, or into whose seals somebody has reached. */
  readonly strays: number;
  readonly examples: readonly { readonly id: string; readonly topic: string; readonly recordedAt: string }[];
}

/** Entries of a span that are in no seal and do not wait for one. */
export async function findLoose(
  db: Db,
  span: { readonly from: string; readonly to: string },
  { from, to }: TrailRange,
): Promise<LooseEntries> {
  const isOld = sql`signature is null
    and recorded_at < coalesce((select sealed_at from audit_seal where number = 1 limit 1),
                               case when exists (select from audit_seal) then '-infinity' else 'infinity' end::timestamptz)`;
  const { rows } = await sql<LooseEntries>`
    with loose as (
      select id, topic, recorded_at, ${isOld} as is_old
      from audit_event e
      where recorded_at >= greatest(${span.from}::timestamptz, ${from ?? '-infinity'}::timestamptz)
        and recorded_at < least(${span.to}::timestamptz, ${to ?? 'infinity'}::timestamptz)
        and not exists (select from audit_unsealed u where u.id = e.id and u.recorded_at = e.recorded_at)
        and not exists (
          select from (select unnest(ids) as id from audit_seal
                       where month >= date_trunc('month', ${span.from}::timestamptz, 'UTC')
                         and month < ${span.to}::timestamptz) s
          where s.id = e.id)),
    stray as (select * from loose where not is_old)
    select (select count(*) from loose where is_old)::int8 as old, (select count(*) from stray)::int8 as strays,
           (select coalesce(jsonb_agg(example), '[]') from (
              select id, topic, ${isoTime(sql`recorded_at`)} as "recordedAt" from stray order by id limit 10) example) as examples`.execute(
    db,
  );
  return rows[0]!;
}
