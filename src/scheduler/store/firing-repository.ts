import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { instantColumn, type QueryColumn, queryTable, type TablePage } from '#repo/index.ts';
import { plainQuery, type QueryRequest } from '#resource/index.ts';
import type { Completion, Run, RunKey } from '../run/run.ts';

/** Entries of the ledger for runs that have no row, because they were taken back. */
export async function recordFirings(
  db: Db,
  completions: readonly (Pick<Completion, 'entries'> & {
    readonly run: Pick<Run, 'triggerId' | 'generation' | 'attempt'>;
  })[],
): Promise<number> {
  const rows = completions.flatMap(({ run, entries }) =>
    entries.map((entry) => ({
      ...entry,
      plannedAt: new Date(entry.plannedAt),
      startedAt: entry.startedAt === null ? null : new Date(entry.startedAt),
      triggerId: run.triggerId,
      generation: run.generation,
      attempt: run.attempt,
    })),
  );
  if (rows.length === 0) return 0;
  const { numAffectedRows } = await sql`
    insert into scheduler_firing (planned_at, trigger_id, generation, job_id, outcome, node, attempt, started_at,
                                  late_ms, error, log, why)
    select e."plannedAt", e."triggerId", e.generation, e."jobId", e.outcome, e.node, e.attempt, e."startedAt",
           e."lateMs", e.error, e.log, e.why
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e(
      "plannedAt" timestamptz, "triggerId" bigint, generation int, "jobId" text, outcome text, node text,
      attempt smallint, "startedAt" timestamptz, "lateMs" float8, error jsonb, log jsonb, why text)
    on conflict do nothing`.execute(db);
  return Number(numAffectedRows ?? 0);
}

const COLUMNS: readonly (readonly [string, QueryColumn])[] = [
  [
    '_id',
    {
      expression: sql`(trigger_id || '.' || generation || '.' || (extract(epoch from planned_at) * 1000)::bigint)`,
      type: 'text',
      notNull: true,
    },
  ],
  ['schedule', { expression: sql.ref('job_id'), type: 'text', notNull: true }],
  ['plannedAt', { ...instantColumn('planned_at'), notNull: true }],
  ['outcome', { expression: sql.ref('outcome'), type: 'text', notNull: true }],
  ['failed', { expression: sql`(error is not null)`, type: 'boolean', notNull: true }],
  ['node', { expression: sql.ref('node'), type: 'text', notNull: true }],
  ['attempt', { expression: sql`attempt::int`, type: 'number', notNull: true }],
  ['claimedAt', instantColumn('claimed_at')],
  ['startedAt', instantColumn('started_at')],
  ['endedAt', { ...instantColumn('ended_at'), notNull: true }],
  ['lateMs', { expression: sql`round(late_ms::numeric, 1)::float8`, type: 'number' }],
  [
    'tookMs',
    {
      expression: sql`round((extract(epoch from ended_at - started_at) * 1000)::numeric, 1)::float8`,
      type: 'number',
    },
  ],
  ['why', { expression: sql.ref('why'), type: 'text' }],
  ['error', { expression: sql.ref('error'), type: 'json' }],
  ['log', { expression: sql.ref('log'), type: 'json' }],
];

/** An entry of the ledger as the REST interface shows it; its members are those of `COLUMNS`. */
export interface FiringView extends JsonObject {
  readonly _id: string;
}

const SELECTION = selectionOf(COLUMNS);

function selectionOf(columns: typeof COLUMNS): RawBuilder<unknown> {
  return sql.join(columns.map(([name, { expression }]) => sql`${expression} as ${sql.ref(name)}`));
}

/** The default order: the ledger grows all day, and a page in the order of its ids would have to sort everything. */
const LATEST_FIRST = [{ pointer: ['plannedAt'], descending: true }];

export async function queryFirings(db: Db, request: QueryRequest): Promise<TablePage<FiringView>> {
  return queryTable<FiringView>(
    db,
    request.sortKeys.length > 0 ? request : { ...request, sortKeys: LATEST_FIRST },
    {
      table: { columns: new Map(COLUMNS) },
      select: SELECTION,
      from: sql`scheduler_firing`,
    },
    plainQuery(request),
  );
}

export async function findFiring(db: Db, key: RunKey): Promise<FiringView | undefined> {
  const { rows } = await sql<FiringView>`
    select ${SELECTION} from scheduler_firing
    where planned_at = ${new Date(key.fireAt)} and trigger_id = ${key.triggerId} and generation = ${key.generation}`.execute(
    db,
  );
  return rows[0];
}

/**
 * The entries of a schedule whose planned time lies in a span, earliest first; at most 50.
 *
 * @param of `node`: only those of that node
 */
export async function listFirings(
  db: Db,
  { jobId, node }: { readonly jobId: string; readonly node: string | null },
  from: Date,
  to: Date,
): Promise<FiringView[]> {
  const { rows } = await sql<FiringView>`
    select ${SELECTION} from scheduler_firing
    where job_id = ${jobId} and planned_at between ${from} and ${to} and (${node}::text is null or node = ${node})
    order by planned_at limit 50`.execute(db);
  return rows;
}

const SHORT: ReadonlySet<string> = new Set(['_id', 'schedule', 'plannedAt', 'outcome', 'failed']);
const SHORT_SELECTION = selectionOf(COLUMNS.filter(([name]) => SHORT.has(name)));

/** One of the latest entries of a schedule. */
export interface LatestFiring extends JsonObject {
  readonly _id: string;
  readonly schedule: string;
  readonly plannedAt: string;
  readonly outcome: string;
  readonly failed: boolean;
}

/** The latest `count` entries of each of the schedules, the latest first. */
export async function listLatest(
  db: Db,
  { ids, count }: { readonly ids: readonly string[]; readonly count: number },
): Promise<LatestFiring[]> {
  const { rows } = await sql<LatestFiring>`
    select last.* from unnest(${[...ids]}::text[]) as asked(id)
    cross join lateral (
      select ${SHORT_SELECTION} from scheduler_firing
      where job_id = asked.id order by planned_at desc limit ${count}) last`.execute(db);
  return rows;
}
