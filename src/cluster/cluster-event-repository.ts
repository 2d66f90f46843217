import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { instantColumn, type QueryColumn, queryTable, type TablePage, textColumn } from '#repo/index.ts';
import { plainQuery, type QueryRequest } from '#resource/index.ts';

/** What has become of a node. */
export interface ClusterEvent {
  readonly id: string;
  readonly at: Date;
  readonly node: string;
  readonly kind: 'joined' | 'left' | 'lost' | 'recovered' | 'drained' | 'resumed';
  readonly epoch: number;
  readonly by: string | null;
  readonly detail: JsonObject | null;
}

const TABLE = {
  columns: new Map<string, QueryColumn>([
    ['_id', { expression: sql`lpad(event_id::text, 19, '0')`, type: 'text', notNull: true }],
    ['at', instantColumn('at', true)],
    ['node', textColumn('node')],
    ['kind', textColumn('kind')],
    ['epoch', { expression: sql`epoch`, type: 'number', notNull: true }],
    ['by', textColumn('by', false)],
  ]),
};

export function queryClusterEvents(db: Db, request: QueryRequest): Promise<TablePage<ClusterEvent>> {
  const select = sql`lpad(event_id::text, 19, '0') as id, at, node, kind, epoch, by, detail`;
  const source = { table: TABLE, select, from: sql`svc_node_event` };
  return queryTable<ClusterEvent>(db, request, source, plainQuery(request));
}

export async function findClusterEvent(db: Db, id: string): Promise<ClusterEvent | undefined> {
  if (!/^\d{1,19}$/.test(id)) return undefined;
  const { rows } = await sql<ClusterEvent>`
    select lpad(event_id::text, 19, '0') as id, at, node, kind, epoch, by, detail from svc_node_event
    where event_id = ${id}::numeric`.execute(db);
  return rows[0];
}

/** The last ones of a node, the latest first. */
export async function listEventsOf(db: Db, node: string, most: number): Promise<readonly ClusterEvent[]> {
  const { rows } = await sql<ClusterEvent>`
    select lpad(event_id::text, 19, '0') as id, at, node, kind, epoch, by, detail from svc_node_event
    where node = ${node} order by event_id desc limit ${most}`.execute(db);
  return rows;
}
