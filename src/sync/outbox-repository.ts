import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
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

/** A delivery that is still to be done. */
export interface OutboxRow {
  readonly mapping: string;
  readonly source_id: string;
  /** What the source was, encrypted; null where it is not gone. */
  readonly old_value: JsonObject | null;
  /** How often it has failed. */
  readonly attempt: number;
}

export interface NewDelivery extends OutboxRow {
  readonly is_dead: boolean;
  readonly error: JsonObject | null;
  /** From now. */
  readonly delayMs: number;
}

/** What is shown of one. */
export interface QueueRow {
  readonly mapping: string;
  readonly source_id: string;
  readonly state: 'waiting' | 'retrying' | 'dead';
  readonly attempt: number;
  readonly due_at: Date;
  readonly error: JsonObject | null;
  readonly first_at: Date;
}

const STATE = sql`case when is_dead then 'dead' when attempt > 0 then 'retrying' else 'waiting' end`;
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
  ]),
};

const SHOWN = sql`mapping, source_id, ${STATE} as state, attempt, due_at, error, first_at`;

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
  const { mapping, source_id, old_value, attempt, is_dead, error, delayMs } = delivery;
  await sql`
    insert into sync_outbox as o (mapping, source_id, old_value, attempt, due_at, is_dead, error)
    values (${mapping}, ${source_id}, ${written(old_value)}::jsonb, ${attempt},
      clock_timestamp() + ${delayMs} * interval '1 ms', ${is_dead}, ${written(error)}::jsonb)
    on conflict (mapping, source_id) do update
    set generation = nextval('sync_generation'), old_value = coalesce(excluded.old_value, o.old_value),
      attempt = excluded.attempt, due_at = excluded.due_at, is_dead = excluded.is_dead,
      error = coalesce(excluded.error, o.error)`.execute(db);
}

export function takingFromOutbox(mapping: string, sourceId: string): RawBuilder<unknown> {
  return sql`delete from sync_outbox where mapping = ${mapping} and source_id = ${sourceId}`;
}

/** Deliveries that are due, which nobody else takes before the end of the transaction. */
export async function claimDue(db: Db, mapping: string, most: number): Promise<readonly OutboxRow[]> {
  const { rows } = await sql<OutboxRow>`
    select mapping, source_id, old_value, attempt from sync_outbox
    where mapping = ${mapping} and not is_dead and due_at <= clock_timestamp()
    order by due_at limit ${most} for update skip locked`.execute(db);
  return rows;
}

export async function hasDue(db: Db, mapping: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from sync_outbox where mapping = ${mapping} and not is_dead and due_at <= clock_timestamp() limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

/** Mappings of which something has been due for longer. */
export async function listOverdue(db: Db, forMs: number): Promise<readonly string[]> {
  const { rows } = await sql<{ mapping: string }>`
    select distinct mapping from sync_outbox
    where not is_dead and due_at < clock_timestamp() - ${forMs} * interval '1 ms'`.execute(db);
  return rows.map(({ mapping }) => mapping);
}

/** Those that were given up are tried again. @param mapping null: of all mappings */
export async function reviveDead(db: Db, mapping: string | null): Promise<readonly string[]> {
  const { rows } = await sql<{ mapping: string; count: number }>`
    update sync_outbox set is_dead = false, attempt = 0, due_at = clock_timestamp(),
      generation = nextval('sync_generation')
    where is_dead and (${mapping}::text is null or mapping = ${mapping}) returning mapping`.execute(db);
  return rows.map((row) => row.mapping);
}

export async function countOutbox(db: Db): Promise<{ readonly waiting: number; readonly dead: number }> {
  const { rows } = await sql<{ waiting: number; dead: number }>`
    select count(*) filter (where not is_dead)::int as waiting, count(*) filter (where is_dead)::int as dead
    from sync_outbox`.execute(db);
  return rows[0] ?? { waiting: 0, dead: 0 };
}

/** Every source object of a mapping, and every one that is gone and has a link. @returns how many */
export async function putAllInOutbox(db: Db, { name, source, linkType }: Mapping): Promise<number> {
  const type = lastOf(parsePath(source));
  const end = sql.ref(linkType.isReversed ? 'second_id' : 'first_id');
  const { numAffectedRows = 0n } = await sql`
    insert into sync_outbox as o (mapping, source_id)
    select ${name}, id from managed_object where type = ${type}
    union
    select ${name}, l.${end} from sync_link l
    where l.link_type = ${linkType.name}
      and not exists (select from managed_object m where m.type = ${type} and m.id = l.${end})
    on conflict (mapping, source_id) do update
    set generation = nextval('sync_generation'), attempt = 0, is_dead = false, due_at = clock_timestamp()`.execute(
    db,
  );
  return Number(numAffectedRows);
}

function written(value: JsonObject | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
