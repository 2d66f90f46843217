import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { QueryColumn, QueryTable } from '#repo/index.ts';
import { queryTable, type TablePage } from '#repo/index.ts';
import { plainQuery, type QueryRequest } from '#resource/index.ts';
import { FURTHER_FIELDS, SCHEDULE_FIELDS, type ScheduleDefinition } from '../schedule/schedule.ts';
import { rankOf } from '../store/job-repository.ts';

/** A schedule with its moving part: its trigger record, its next and its previous run. */
export interface JobView {
  readonly id: string;
  readonly definition: ScheduleDefinition;
  readonly triggers: readonly JsonObject[];
  readonly next_run_at: Date | null;
  readonly previous_run_at: Date | null;
  /** The node that has it in memory; null of a persisted one. */
  readonly owner: string | null;
}

/** The triggers without what the service is invoked with, which may hold what references to secrets stand for. */
const TRIGGERS = `(select coalesce(jsonb_agg(case when t ? 'serialized' then jsonb_set(t, '{serialized}',
    to_jsonb(((t->>'serialized')::jsonb #- '{definition,invokeContext}')::text)) else t end), '[]')
  from jsonb_array_elements(triggers) t)`;
const SHOWN = sql.raw(`id, definition, ${TRIGGERS} as triggers, next_run_at, previous_run_at, owner`);
const isoOf = (column: string) =>
  sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

const TABLE: QueryTable = {
  columns: new Map<string, QueryColumn>([
    ['_id', { expression: sql.ref('id'), type: 'text', notNull: true }],
    ...[...SCHEDULE_FIELDS, ...FURTHER_FIELDS].map(
      (field) => [field, { expression: sql.raw(`(definition->'${field}')`), type: 'json' }] as const,
    ),
    ['nodeId', { expression: sql.ref('owner'), type: 'text' }],
    ['triggers', { expression: sql.raw(TRIGGERS), type: 'json' }],
    ['nextRunDate', { expression: isoOf('next_run_at'), type: 'text' }],
    ['previousRunDate', { expression: isoOf('previous_run_at'), type: 'text' }],
  ]),
};

export async function findJobView(db: Db, triggerId: number): Promise<JobView | undefined> {
  const { rows } =
    await sql<JobView>`select ${SHOWN} from scheduler_job_view where trigger_id = ${triggerId}`.execute(db);
  return rows[0];
}

/** For each id, the schedule that it means on this node, as `rankOf` has it. */
export async function queryJobViews(
  db: Db,
  request: QueryRequest,
  nodeName: string,
): Promise<TablePage<JobView>> {
  const from = sql`(
    select v.* from scheduler_job_view v
    where not exists (select from scheduler_job o where o.id = v.id
                      and ${rankOf(sql`o.owner_id`, nodeName)} < ${rankOf(sql`v.owner_id`, nodeName)})) as jobs`;
  return queryTable<JobView>(db, request, { table: TABLE, select: SHOWN, from }, plainQuery(request));
}
