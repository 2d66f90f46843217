import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { QueryColumn } from '#repo/index.ts';
import { queryTable, type TablePage } from '#repo/index.ts';
import { plainQuery, type QueryRequest } from '#resource/index.ts';

/** A trigger as the specification's record has it. */
export interface TriggerRecord {
  readonly _id: string;
  /** Counts the edits that changed its times. */
  readonly _rev: string;
  readonly name: string;
  readonly group: string;
  readonly state: number;
  readonly previous_state: number;
  readonly acquired: boolean;
  readonly nodeId: string | null;
  readonly serialized: string;
}

/** The trigger without what the service is invoked with, which may hold what references to secrets stand for. */
const SERIALIZED = `(serialized::jsonb #- '{definition,invokeContext}')::text`;
const SELECTION = sql.raw(
  `_id, serialized::json->>'generation' as _rev, name, "group", state, previous_state, acquired, "nodeId", ${SERIALIZED} as serialized`,
);

const COLUMNS = new Map<string, QueryColumn>([
  ['_id', { expression: sql.ref('_id'), type: 'text', notNull: true }],
  ['name', { expression: sql.ref('name'), type: 'text', notNull: true }],
  ['group', { expression: sql.ref('group'), type: 'text', notNull: true }],
  ['state', { expression: sql.ref('state'), type: 'number', notNull: true }],
  ['previous_state', { expression: sql.ref('previous_state'), type: 'number', notNull: true }],
  ['acquired', { expression: sql.ref('acquired'), type: 'boolean', notNull: true }],
  ['nodeId', { expression: sql.ref('nodeId'), type: 'text' }],
  ['serialized', { expression: sql.raw(SERIALIZED), type: 'text', notNull: true }],
]);

export async function queryTriggers(db: Db, request: QueryRequest): Promise<TablePage<TriggerRecord>> {
  return queryTable<TriggerRecord>(
    db,
    request,
    {
      table: { columns: COLUMNS },
      select: SELECTION,
      from: sql`(select * from scheduler_trigger_view where owner is null) as triggers`,
    },
    plainQuery(request),
  );
}

/** @param name the trigger's name, which is its job's id */
export async function findTrigger(db: Db, name: string): Promise<TriggerRecord | undefined> {
  const { rows } =
    await sql<TriggerRecord>`select ${SELECTION} from scheduler_trigger_view where name = ${name} and owner is null`.execute(
      db,
    );
  return rows[0];
}

/** The ids of triggers that wait. */
export async function listWaiting(db: Db): Promise<string[]> {
  const { rows } = await sql<{ _id: string }>`
    select _id from scheduler_trigger_view where owner is null and not acquired and next_fire_at is not null order by _id`.execute(
    db,
  );
  return rows.map(({ _id }) => _id);
}

/** The ids of triggers that a node has, by the names of all live nodes. */
export async function listAcquired(db: Db): Promise<JsonObject> {
  const { rows } = await sql<{ node: string; ids: string[] }>`
    select n.node, coalesce(jsonb_agg(t._id order by t._id) filter (where t._id is not null), '[]') as ids
    from svc_node n left join scheduler_trigger_view t on t."nodeId" = n.node and t.owner is null
    where n.state <> 'down' or t._id is not null
    group by n.node`.execute(db);
  return Object.fromEntries(rows.map(({ node, ids }) => [node, ids]));
}
