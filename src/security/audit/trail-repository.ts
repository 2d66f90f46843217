import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';
import { firstOf, lastOf } from '#json/index.ts';
import { AUDIT_TOPICS, type AuditTopic } from './audit-event.ts';
import { TRAIL_SCHEMA } from './audit-role.ts';
import type { Seal } from './seal.ts';
import { IS_SOUND_SEAL, isoTime, MOST_EVENT_BYTES, shortened } from './sound-row-repository.ts';
import type { StoredEntry } from './stored-entry.ts';

/** Times at which something was sealed, as ISO: `from` is in it, `to` is not. */
export interface TrailRange {
  readonly from?: string;
  readonly to?: string;
}

const PAGE_SEALS = 200;
const PAGE_ENTRIES = 1_000;
/** Entries of any size. */
const PAGE_WHOLE = 50;
/** Bytes of entries as JSON: so much is in memory at once, and one entry more. */
const PAGE_BYTES = 32 * 2 ** 20;

/** A seal as it is stored, and how to go on from it. */
export interface StoredSeal {
  /** Undefined where no node can have made the row. */
  readonly seal: Seal | undefined;
  /** The number as a text, since it may be none that can be calculated with. */
  readonly number: string;
  readonly place: string;
  readonly row: string;
}

/**
 * What has the name of a table of the trail, and would be found in its place by nodes whose role writes it (`svc audit role`): that role
 * may create what it likes beside the schema of the trail.
 */
export async function listInTheWay(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ relation: string }>`
    select n.nspname || '.' || c.relname as relation
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relname in ('audit_event', 'audit_seal', 'audit_unsealed')
      and (n.nspname = 'public' or n.nspname = any(current_schemas(false))) and n.nspname <> ${TRAIL_SCHEMA}
      and exists (select from pg_namespace where nspname = ${TRAIL_SCHEMA})
    order by relation`.execute(db);
  return rows.map(({ relation }) => relation);
}

/** The next seals in the order of their numbers, with about a thousand entries. */
export async function findSeals(
  db: Db,
  { from, to }: TrailRange,
  after: StoredSeal | undefined,
): Promise<StoredSeal[]> {
  const isNext =
    after === undefined
      ? sql`true`
      : sql`(number, tableoid, ctid) > (${after.number}::int8, ${after.place}::oid, ${after.row}::tid)`;
  const { rows } = await sql<Seal & { isSound: boolean; name: string; place: string; row: string }>`
    select "isSound", number::text as name, place, row, case when "isSound" then number else 0 end as number,
           ${isoTime(sql`month`)} as month, ${shortened('node')} as node, part, ${isoTime(sql`sealed_at`)} as "sealedAt",
           case when "isSound" then ids::text[] else '{}' end as ids, ${shortened('previous')} as previous,
           ${shortened('digest')} as digest, ${shortened('signature')} as signature
    from (select *, sum(weight) over (order by number, tableoid, ctid) - weight as before
          from (select *, tableoid, ctid, tableoid::text as place, ctid::text as row, ${IS_SOUND_SEAL} as "isSound",
                       case when ${IS_SOUND_SEAL} then cardinality(ids) else 0 end as weight
                from audit_seal
                where ${isNext} and (${from ?? null}::timestamptz is null or sealed_at >= ${from}::timestamptz)
                  and (${to ?? null}::timestamptz is null or sealed_at < ${to}::timestamptz)
                order by number, tableoid, ctid limit ${PAGE_SEALS}) next) page
    where before < ${PAGE_ENTRIES} order by page.number, tableoid, ctid`.execute(db);
  return rows.map(({ isSound, name, place, row, ...seal }) => ({
    seal: isSound ? seal : undefined,
    number: name,
    place,
    row,
  }));
}

/** What nobody can have written is cut short: its signature is wrong in any case. */
export const ENTRY_COLUMNS = sql`id::text as id, ${shortened('topic')} as topic, ${isoTime(sql`recorded_at`)} as "recordedAt",
  ${shortened('transaction_id')} as "transactionId", ${shortened('user_id')} as "userId",
  ${shortened('object_id')} as "objectId", ${shortened('node')} as node, ${shortened('signature')} as signature,
  case when octet_length(event::text) <= ${sql.lit(MOST_EVENT_BYTES)} then event end as event`;

/** An entry, and the position of its id in the list that was asked for. */
export interface PlacedEntry {
  readonly place: number;
  readonly entry: StoredEntry;
}

/**
 * The next entries with the ids, of the months of their seals and in the order of the ids: as many as memory has room
 * for, and each twice at most. None when there are no more.
 */
export async function findEntries(
  db: Db,
  ids: readonly string[],
  months: readonly string[],
): Promise<PlacedEntry[]> {
  const sorted = months.toSorted();
  const { rows } = await sql<StoredEntry & { readonly place: number }>`
    select place, ${ENTRY_COLUMNS}
    from (select *, sum(size) over (order by place) - sum(size) over (partition by place) as before
          from (select wanted.place, e.*, octet_length(e.event::text) as size,
                       row_number() over (partition by wanted.place order by e.recorded_at) as copy
                from unnest(${[...ids]}::uuid[]) with ordinality as wanted (id, place)
                join audit_event e on e.id = wanted.id
                where e.topic = any(${[...AUDIT_TOPICS]}::text[]) and e.recorded_at >= ${firstOf(sorted)}::timestamptz
                  and e.recorded_at < ${lastOf(sorted)}::timestamptz + interval '1 month') found
          where copy <= 2) sized
    where before < ${PAGE_BYTES} order by place`.execute(db);
  return rows.map(({ place, ...entry }) => ({ place, entry }));
}

/** Whether an entry is older than seals. @param sealedSince when the first seal was made; ISO, or one of the infinities */
function isOld(sealedSince: string): RawBuilder<boolean> {
  return sql`signature is null and recorded_at < ${sealedSince}::timestamptz`;
}

/** The next entries of a topic that nobody signed and no seal covers, because they are older than seals. */
export async function findOldEntries(
  db: Db,
  topic: AuditTopic,
  { from = '-infinity', to = 'infinity', sealedSince }: TrailRange & { readonly sealedSince: string },
  after: StoredEntry | undefined,
): Promise<StoredEntry[]> {
  const isNext = after === undefined ? sql`true` : sql`id > ${after.id}::uuid`;
  const { rows } = await sql<StoredEntry>`
    select ${ENTRY_COLUMNS} from audit_event
    where topic = ${topic} and ${isNext} and ${isOld(sealedSince)}
      and recorded_at >= ${from}::timestamptz and recorded_at < ${to}::timestamptz
    order by id limit ${PAGE_WHOLE}`.execute(db);
  return rows;
}

/** An entry that waits for its seal; null when it is not there. */
export interface WaitingEntry {
  readonly id: string;
  readonly entry: StoredEntry | null;
}

/** The entries that wait for their seal, a page at a time. */
export async function* readWaiting(db: Db): AsyncGenerator<WaitingEntry> {
  let isNext = sql`true`;
  for (;;) {
    const { rows } = await sql<StoredEntry & { readonly waitingId: string; readonly row: string }>`
      select waiting.id::text as "waitingId", waiting.row, entry.*
      from (select id, recorded_at, ctid::text as row from audit_unsealed where ${isNext}
            order by id, ctid limit ${PAGE_WHOLE}) waiting
      left join lateral (
        select ${ENTRY_COLUMNS} from audit_event e where e.id = waiting.id and e.recorded_at = waiting.recorded_at
        limit 1) entry on true
      order by waiting.id, waiting.row::tid`.execute(db);
    for (const { waitingId, row: _, ...entry } of rows) {
      yield { id: waitingId, entry: entry.id === null ? null : entry };
    }
    const last = rows[PAGE_WHOLE - 1];
    if (last === undefined) return;
    isNext = sql`(id, ctid) > (${last.waitingId}::uuid, ${last.row}::tid)`;
  }
}

export async function countWaiting(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int8 as n from audit_unsealed`.execute(db);
  return oneRow(rows).n;
}

/** How many numbers have a seal; rows that say the same number count once. @param upTo default all rows */
export async function countSeals(db: Db, upTo?: number): Promise<number> {
  const counted = upTo === undefined ? sql`count(*)` : sql`count(distinct number)`;
  const { rows } = await sql<{ n: number }>`
    select ${counted}::int8 as n from audit_seal
    where number >= 1 and number <= ${upTo ?? Number.MAX_SAFE_INTEGER}`.execute(db);
  return oneRow(rows).n;
}

/** Numbers that no seal has: first and last of each gap. */
export async function findGaps(
  db: Db,
  upTo: number,
): Promise<{ readonly first: number; readonly last: number }[]> {
  const { rows } = await sql<{ first: number; last: number }>`
    select before + 1 as first, number - 1 as last
    from (select number, lag(number, 1, 0::int8) over (order by number) as before
          from audit_seal where number between 1 and ${upTo}) seal
    where number > before + 1 order by number limit 10`.execute(db);
  return rows;
}

/** Whether a seal is there as it was noted. */
export async function hasSeal(db: Db, number: number, signature: string): Promise<boolean> {
  const { rows } = await sql`
    select from audit_seal where number = ${number} and signature = ${signature} limit 1`.execute(db);
  return rows.length > 0;
}

/** A part of all time; without end where nothing comes behind it. */
export interface Span {
  readonly from: string;
  readonly to: string | null;
}

/** All time, cut where the months begin that have a partition, so that each part is about as large as a month. */
export async function listSpans(db: Db): Promise<Span[]> {
  const { rows } = await sql<Span>`
    with cut as (
      select to_date(right(c.relname, 7), 'YYYY_MM')::timestamp as "from"
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'audit_event'::regclass and c.relname ~ '^audit_event_[1-9]\\d{3}_(0[1-9]|1[0-2])$'),
    edge as (
      select "from" from cut union select "from" + interval '1 month' from cut union select '-infinity')
    select ("from" at time zone 'UTC')::text as "from",
           (lead("from") over (order by "from") at time zone 'UTC')::text as "to"
    from edge order by edge."from"`.execute(db);
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
  span: Span,
  { from, to, sealedSince }: TrailRange & { readonly sealedSince: string },
): Promise<LooseEntries> {
  const { rows } = await sql<LooseEntries>`
    with loose as (
      select id, topic, recorded_at, (${isOld(sealedSince)}) as is_old
      from audit_event e
      where recorded_at >= ${span.from}::timestamptz
        and (${span.to}::timestamptz is null or recorded_at < ${span.to}::timestamptz)
        and (${from ?? null}::timestamptz is null or recorded_at >= ${from}::timestamptz)
        and (${to ?? null}::timestamptz is null or recorded_at < ${to}::timestamptz)
        and not exists (select from audit_unsealed u where u.id = e.id and u.recorded_at = e.recorded_at)
        and not exists (
          select from (select unnest(ids) as id from audit_seal
                       where month >= date_trunc('month', ${span.from}::timestamptz, 'UTC')
                         and (${span.to}::timestamptz is null or month < ${span.to}::timestamptz)
                         and ${IS_SOUND_SEAL}) s
          where s.id = e.id)),
    stray as (select * from loose where not is_old)
    select (select count(*) from loose where is_old)::int8 as old, (select count(*) from stray)::int8 as strays,
           (select coalesce(jsonb_agg(example), '[]') from (
              select id, ${shortened('topic')} as topic, ${isoTime(sql`recorded_at`)} as "recordedAt"
              from stray order by id limit 10) example) as examples`.execute(db);
  return oneRow(rows);
}
