import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { QueryColumn, QueryTable } from '#repo/index.ts';
import { queryTable, type TablePage } from '#repo/index.ts';
import { plainQuery, type QueryRequest } from '#resource/index.ts';
import { FURTHER_FIELDS, SCHEDULE_FIELDS, type ScheduleDefinition } from './schedule.ts';

/** A schedule with its moving part: its trigger record, its next and its previous run. */
export interface JobView {
  readonly id: string;
  readonly definition: ScheduleDefinition;
  readonly triggers: readonly JsonObject[];
  readonly next_run_at: Date | null;
  readonly previous_run_at: Date | null;
}

const COLUMNS = sql.raw('id, definition, triggers, next_run_at, previous_run_at');
/** Without what the service is invoked with, which may hold what references to secrets stand for. */
const TRIGGERS = `(select coalesce(jsonb_agg(case when t ? 'serialized' then jsonb_set(t, '{serialized}',
    to_jsonb(((t->>'serialized')::jsonb #- '{definition,invokeContext}')::text)) else t end), '[]')
  from jsonb_array_elements(triggers) t)`;
const SHOWN = sql.raw(`id, definition, ${TRIGGERS} as triggers, next_run_at, previous_run_at`);
const isoOf = (column: string) =>
  sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

const TABLE: QueryTable = {
  columns: new Map<string, QueryColumn>([
    ['_id', { expression: sql.ref('id'), type: 'text', notNull: true }],
    ...[...SCHEDULE_FIELDS, ...FURTHER_FIELDS].map(
      (field) => [field, { expression: sql.raw(`(definition->'${field}')`), type: 'json' }] as const,
    ),
    ['triggers', { expression: sql.raw(TRIGGERS), type: 'json' }],
    ['nextRunDate', { expression: isoOf('next_run_at'), type: 'text' }],
    ['previousRunDate', { expression: isoOf('previous_run_at'), type: 'text' }],
  ]),
};

export async function findJobView(db: Db, id: string): Promise<JobView | undefined> {
  const { rows } = await sql<JobView>`select ${SHOWN} from scheduler_job_view where id = ${id}`.execute(db);
  return rows[0];
}

/** @param further schedules that are not in the database; the answer is as if they were */
export async function queryJobViews(
  db: Db,
  request: QueryRequest,
  further: readonly JobView[],
): Promise<TablePage<JobView>> {
  return queryTable<JobView>(
    db,
    request,
    { table: TABLE, select: SHOWN, from: fromAll(further) },
    plainQuery(request),
  );
}

function fromAll(further: readonly JobView[]): RawBuilder<unknown> {
  if (further.length === 0) return sql`scheduler_job_view`;
  const rows = JSON.stringify(further as unknown as JsonValue);
  return sql`(select ${COLUMNS} from scheduler_job_view
              where id <> all(${further.map(({ id }) => id)}::text[])
              union all
              select id collate "C", definition, triggers, next_run_at, previous_run_at
              from jsonb_to_recordset(${rows}::jsonb) as m(
                id text, definition jsonb, triggers jsonb, next_run_at timestamptz, previous_run_at timestamptz)) as jobs`;
}
