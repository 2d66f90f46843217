import { type RawBuilder, sql } from 'kysely';
import type { Db, GroupWrite } from '#database/index.ts';
import { type JsonObject, lastOf } from '#json/index.ts';
import {
  instantColumn,
  type QueryColumn,
  type QueryTable,
  queryTable,
  type TablePage,
  textColumn,
} from '#repo/index.ts';
import { parsePath, plainQuery, type QueryRequest } from '#resource/index.ts';
import type { Mapping } from './mapping.ts';

/** Who made the change that a delivery follows from; null where it was the server itself. */
export interface Cause {
  readonly transaction_id: string | null;
  readonly security: JsonObject | null;
}

/** A delivery that is still to be done. */
export interface OutboxRow extends Cause {
  readonly mapping: string;
  readonly source_id: string;
  /** What the source was, encrypted; null where it is not gone. */
  readonly old_value: JsonObject | null;
  /** How often it has failed. */
  readonly attempt: number;
  /** Whether it is one of all: what it would take away is held. */
  readonly is_cautious: boolean;
  /** The generation, another one after each change. */
  readonly generation: string;
}

export interface NewDelivery extends Omit<OutboxRow, 'is_cautious' | 'generation'> {
  readonly is_dead: boolean;
  readonly error: JsonObject | null;
  /** What it has failed for the lack of (`missingPrint`), where that is why. */
  readonly waits_for: string | null;
  /** How many ms from now it is due. */
  readonly delayMs: number;
}

/** One that has been put off to after the commit. */
export interface PutOff {
  readonly mapping: string;
  readonly source_id: string;
  readonly old_value: JsonObject | null;
  readonly cause: Cause;
}

/** What is shown of one. */
export interface QueueRow {
  readonly mapping: string;
  readonly source_id: string;
  readonly state: 'waiting' | 'retrying' | 'held' | 'dead';
  readonly attempt: number;
  readonly due_at: Date;
  readonly error: JsonObject | null;
  readonly first_at: Date;
  readonly user_id: string | null;
  readonly transaction_id: string | null;
}

const STATE = sql`case when is_dead then 'dead' when is_held then 'held' when attempt > 0 then 'retrying' else 'waiting' end`;
const ID = sql`mapping || ':' || source_id`;

const TABLE: QueryTable = {
  columns: new Map<string, QueryColumn>([
    ['_id', { expression: ID, type: 'text', notNull: true }],
    ['mapping', textColumn('mapping')],
    ['sourceId', textColumn('source_id')],
    ['state', { expression: STATE, type: 'text', notNull: true }],
    ['attempt', { expression: sql`attempt`, type: 'number', notNull: true }],
    ['dueAt', instantColumn('due_at', true)],
    ['firstAt', instantColumn('first_at', true)],
    ['userId', { expression: sql`security->>'authenticationId'`, type: 'text' }],
    ['transactionId', textColumn('transaction_id')],
  ]),
};

const CLAIMED = sql.raw(
  'mapping, source_id, old_value, attempt, transaction_id, security, is_cautious, generation::text',
);

const SHOWN = sql`mapping, source_id, ${STATE} as state, attempt, due_at, error, first_at,
  security->>'authenticationId' as user_id, transaction_id`;

export function queryOutbox(db: Db, request: QueryRequest): Promise<TablePage<QueueRow>> {
  const source = { table: TABLE, select: SHOWN, from: sql`sync_outbox` };
  return queryTable<QueueRow>(db, request, source, plainQuery(request));
}

export async function findWaiting(
  db: Db,
  mapping: string,
  sourceIds: readonly string[],
): Promise<readonly QueueRow[]> {
  const { rows } = await sql<QueueRow>`
    select ${SHOWN} from sync_outbox
    where mapping = ${mapping} and source_id = any(${sql.val(sourceIds)}::text[])`.execute(db);
  return rows;
}

/** What is there already of the source object is replaced: what it says is older. */
export async function putInOutbox(db: Db, delivery: NewDelivery): Promise<void> {
  const { mapping, source_id, old_value, attempt, is_dead, error, delayMs, security } = delivery;
  await sql`
    insert into sync_outbox as o (mapping, source_id, old_value, attempt, due_at, is_dead, error, waits_for, transaction_id, security)
    values (${mapping}, ${source_id}, ${written(old_value)}::jsonb, ${attempt},
      clock_timestamp() + ${delayMs} * interval '1 ms', ${is_dead}, ${written(error)}::jsonb, ${delivery.waits_for},
      ${delivery.transaction_id}, ${written(security)}::jsonb)
    on conflict (mapping, source_id) do update
    set generation = nextval('sync_generation'), old_value = coalesce(excluded.old_value, o.old_value),
      attempt = excluded.attempt, due_at = excluded.due_at, is_dead = excluded.is_dead,
      is_held = false, leased_by = null, error = coalesce(excluded.error, o.error), waits_for = excluded.waits_for,
      transaction_id = excluded.transaction_id, security = excluded.security`.execute(db);
}

/** What is stored of the source is delivered once more, though nobody has changed it. */
export async function putAgain(db: Db, mapping: string, sourceId: string): Promise<void> {
  await sql`
    insert into sync_outbox as o (mapping, source_id) values (${mapping}, ${sourceId})
    on conflict (mapping, source_id) do update
    set generation = nextval('sync_generation'), due_at = least(o.due_at, clock_timestamp()),
      attempt = case when o.is_dead then 0 else o.attempt end, is_dead = false`.execute(db);
}

/** How deliveries are put off: all of a unit of work with one statement, however many they are. */
export const putOffs: GroupWrite<PutOff> = {
  keyOf: ({ mapping, source_id }) => keyOf(mapping, source_id),
  steps: (rows) => [{ statement: puttingOff(rows) }],
  async run(db, rows) {
    await puttingOff(rows).execute(db);
    return rows.map(() => true);
  },
};

/**
 * Puts rows off in the order of their keys, as all do who write several: so they wait for one another, and not in a
 * circle.
 */
function puttingOff(rows: readonly PutOff[]): RawBuilder<unknown> {
  const latest = new Map<string, PutOff>();
  for (const row of rows) {
    const key = keyOf(row.mapping, row.source_id);
    latest.set(key, { ...row, old_value: row.old_value ?? latest.get(key)?.old_value ?? null });
  }
  const causes = [...new Set(rows.map(({ cause }) => cause))];
  const places = new Map(causes.map((cause, place) => [cause, place]));
  const asked = [...latest.values()].map(({ cause, ...row }) => ({ ...row, cause: places.get(cause) }));
  return sql`
    insert into sync_outbox as o (mapping, source_id, old_value, transaction_id, security)
    select mapping, source_id, old_value, causes -> cause ->> 'transaction_id', nullif(causes -> cause -> 'security', 'null')
    from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
        as asked (mapping text, source_id text, old_value jsonb, cause int),
      (select ${JSON.stringify(causes)}::jsonb as causes) c
    order by mapping collate "C", source_id collate "C"
    on conflict (mapping, source_id) do update
    set generation = nextval('sync_generation'), old_value = coalesce(excluded.old_value, o.old_value), attempt = 0,
      due_at = clock_timestamp(), is_dead = false, is_cautious = false, is_held = false, leased_by = null, waits_for = null,
      transaction_id = excluded.transaction_id, security = excluded.security`;
}

function keyOf(mapping: string, sourceId: string): string {
  return JSON.stringify([mapping, sourceId]);
}

export function takingFromOutbox(
  mapping: string,
  sourceId: string,
  generation?: string,
): RawBuilder<unknown> {
  const same = generation === undefined ? sql`` : sql` and generation = ${generation}`;
  return sql`delete from sync_outbox where mapping = ${mapping} and source_id = ${sourceId}${same}`;
}

/** Whether it may be delivered now: what has to come first of the same source object is not waiting any more, be it as dead. */
function isDue({ name, delivery: { after } }: Due): RawBuilder<boolean> {
  const isFirst =
    after.length === 0
      ? sql``
      : sql` and not exists (select from sync_outbox b where b.mapping = any(${sql.val(after)}::text[]) and b.source_id = o.source_id)`;
  return sql`o.mapping = ${name} and not o.is_dead and not o.is_held and o.due_at <= clock_timestamp()${isFirst}`;
}

type Due = Pick<Mapping, 'name' | 'delivery'>;

/** The delivery that has been due for longest, which nobody else takes before the end of the transaction. */
export async function claimNext(db: Db, mapping: Due): Promise<OutboxRow | undefined> {
  const { rows } = await sql<OutboxRow>`
    select ${CLAIMED} from sync_outbox o where ${isDue(mapping)}
    order by due_at limit 1 for update of o skip locked`.execute(db);
  return rows[0];
}

/** The same of one source object. */
export async function claimDue(db: Db, mapping: Due, sourceId: string): Promise<OutboxRow | undefined> {
  const { rows } = await sql<OutboxRow>`
    select ${CLAIMED} from sync_outbox o where ${isDue(mapping)} and o.source_id = ${sourceId}
    for update of o skip locked`.execute(db);
  return rows[0];
}

/** One by its name, unless somebody else has it. */
export async function claimRow(
  db: Db,
  { mapping, source_id }: Pick<OutboxRow, 'mapping' | 'source_id'>,
): Promise<OutboxRow | undefined> {
  const { rows } = await sql<OutboxRow>`
    select ${CLAIMED} from sync_outbox
    where mapping = ${mapping} and source_id = ${source_id} and not is_dead and not is_held for update skip locked`.execute(
    db,
  );
  return rows[0];
}

/** It comes later. @param failures how often it counts as failed @param job that is at it meanwhile */
export async function postpone(
  db: Db,
  { mapping, source_id }: Pick<OutboxRow, 'mapping' | 'source_id'>,
  delayMs: number,
  failures: number,
  job: string | null = null,
): Promise<void> {
  await sql`
    update sync_outbox
    set attempt = ${failures}, leased_by = ${job}, due_at = clock_timestamp() + ${delayMs} * interval '1 ms'
    where mapping = ${mapping} and source_id = ${source_id}`.execute(db);
}

/** Whoever was at them has ended: they are due. */
export async function takeBackLeased(db: Db, mapping: string, job: string): Promise<void> {
  await sql`
    update sync_outbox set due_at = clock_timestamp(), leased_by = null
    where mapping = ${mapping} and leased_by = ${job}`.execute(db);
}

export async function hasDue(db: Db, mapping: Due): Promise<boolean> {
  const { rows } = await sql`select 1 from sync_outbox o where ${isDue(mapping)} limit 1`.execute(db);
  return rows.length > 0;
}

/** Mappings of which something has been due for longer. */
export async function listOverdue(db: Db, forMs: number): Promise<readonly string[]> {
  const { rows } = await sql<{ mapping: string }>`
    select distinct mapping from sync_outbox
    where not is_dead and not is_held and due_at < clock_timestamp() - ${forMs} * interval '1 ms'`.execute(
    db,
  );
  return rows.map(({ mapping }) => mapping);
}

/** Selects deliveries that were given up: null means all. */
export interface DeadOnes {
  readonly mapping: string | null;
  readonly sourceId: string | null;
}

/** The keys of the rows, locked in their order: see `puttingOff`. */
function chosenOf({ mapping, sourceId }: DeadOnes, state: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`
    select mapping, source_id from sync_outbox
    where ${state} and (${mapping}::text is null or mapping = ${mapping})
      and (${sourceId}::text is null or source_id = ${sourceId})
    order by mapping, source_id for update`;
}

/** They are tried again. @returns how many of each mapping */
export async function reviveDead(db: Db, which: DeadOnes): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ mapping: string; count: number }>`
    with chosen as (${chosenOf(which, sql`is_dead`)}), revived as (
      update sync_outbox o set is_dead = false, attempt = 0, due_at = clock_timestamp(),
        generation = nextval('sync_generation')
      from chosen c where o.mapping = c.mapping and o.source_id = c.source_id returning o.mapping
    ) select mapping, count(*)::int as count from revived group by mapping`.execute(db);
  return new Map(rows.map(({ mapping, count }) => [mapping, count]));
}

/** Nobody delivers any more what is dead or held, nor asks what has become of it. @returns how many there were */
export async function dropGivenUp(db: Db, which: DeadOnes): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with chosen as (${chosenOf(which, sql`(is_dead or is_held)`)}), forgotten as (
      update sync_outside o set intent = null from chosen c
      where o.mapping = c.mapping and o.source_id = c.source_id and o.intent = 'create' and o.made_id is null)
    delete from sync_outbox o using chosen c
    where o.mapping = c.mapping and o.source_id = c.source_id`.execute(db);
  return Number(numAffectedRows);
}

/** @param most of them at a time. @returns how many there were that failed last longer ago */
export async function pruneDead(db: Db, keepDays: number, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from sync_outbox where ctid = any(array(
      select ctid from sync_outbox
      where is_dead and due_at < clock_timestamp() - ${keepDays} * interval '1 day' limit ${most}))`.execute(
    db,
  );
  return Number(numAffectedRows);
}

export interface OutboxCounts {
  readonly waiting: number;
  readonly held: number;
  readonly dead: number;
  /** For how many seconds the one has been due that has been for longest; null where there is none. */
  readonly oldest: number | null;
}

export async function countOutbox(db: Db): Promise<OutboxCounts> {
  const { rows } = await sql<OutboxCounts>`
    select count(*) filter (where not is_dead and not is_held)::int as waiting,
           count(*) filter (where is_held)::int as held, count(*) filter (where is_dead)::int as dead,
           greatest(0, extract(epoch from clock_timestamp() - min(due_at) filter (where not is_dead and not is_held)))::float8 as oldest
    from sync_outbox`.execute(db);
  return rows[0] ?? { waiting: 0, held: 0, dead: 0, oldest: 0 };
}

/** Every source object of a mapping, and every one that is gone and has a link. @returns how many */
export async function putAllInOutbox(
  db: Db,
  { name, source, linkType }: Mapping,
  { transaction_id, security }: Cause,
): Promise<number> {
  const type = lastOf(parsePath(source));
  const end = sql.ref(linkType.isReversed ? 'second_id' : 'first_id');
  const { numAffectedRows = 0n } = await sql`
    insert into sync_outbox as o (mapping, source_id, transaction_id, security, is_cautious)
    select ${name}, id, ${transaction_id}, ${written(security)}::jsonb, true from (
      select id from managed_object where type = ${type}
      union
      select l.${end} from sync_link l
      where l.link_type = ${linkType.name}
        and not exists (select from managed_object m where m.type = ${type} and m.id = l.${end})) sources
    order by id
    on conflict (mapping, source_id) do update
    set generation = nextval('sync_generation'), attempt = 0, is_dead = false, is_held = false, is_cautious = true,
      due_at = clock_timestamp(), error = null`.execute(db);
  return Number(numAffectedRows);
}

function written(value: JsonObject | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
