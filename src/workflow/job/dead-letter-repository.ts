import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { QueryRequest } from '#resource/index.ts';
import { executionId, parseExecutionId } from '../instance/instance-id.ts';
import { idIs, type Listing, type ListPage, listPage, textIs } from '../query/list-repository.ts';
import type { QueryKind } from '../query/query-kind.ts';
import type { JobRow } from './job-repository.ts';

export type DeadLetterRow = JobRow & { readonly execution_id: string | null };

const column = (name: string): RawBuilder<unknown> => sql.ref(`j.${name}`);
const ID = column('id');
/** A migrated instance takes its jobs along. */
const DEFINITION = sql`coalesce(i.definition_id, j.definition_id)`;

const LISTING: Listing = {
  select: sql`j.*, ${DEFINITION} as definition_id`,
  from: sql`workflow_job j left join workflow_instance i on i.id = j.instance_id`,
  base: [sql`j.is_dead`],
  filters: {
    jobId: idIs(column('id')),
    executionId(value) {
      const { instanceId, execution } = parseExecutionId(value) ?? {};
      return instanceId === undefined
        ? sql`false`
        : sql`(j.instance_id = ${instanceId}::uuid and coalesce(j.execution, 0) = ${execution})`;
    },
    processDefinitionId: textIs(DEFINITION),
    processInstanceId: idIs(column('instance_id')),
  },
  sorts: {
    createTime: column('created_at'),
    executionId: sql`(j.instance_id, j.execution)`,
    _id: ID,
    processInstanceId: column('instance_id'),
    retries: column('retries'),
  },
  id: ID,
};

export async function listDeadLetters(
  db: Db,
  request: QueryRequest,
  kind: QueryKind,
): Promise<ListPage<DeadLetterRow>> {
  const page = await listPage<JobRow>(db, request, kind, LISTING);
  return { ...page, rows: page.rows.map(withExecutionId) };
}

export async function findDeadLetter(db: Db, id: string): Promise<DeadLetterRow | undefined> {
  const row = await findShownJob(db, id);
  return row?.is_dead === true ? row : undefined;
}

/** A job, dead or not, as it is shown. */
export async function findShownJob(db: Db, id: string): Promise<DeadLetterRow | undefined> {
  const { rows } = await sql<JobRow>`
    select ${LISTING.select} from ${LISTING.from} where j.id = ${id}`.execute(db);
  return rows[0] && withExecutionId(rows[0]);
}

/** How often a job was tried, and the body of its last error, `at` which place of a script. */
export interface Failure {
  readonly attempts: number;
  readonly detail: JsonObject;
}

/** Undefined when the queue has forgotten it. */
export async function findFailure(db: Db, queue: string, jobId: string): Promise<Failure | undefined> {
  const { rows } = await sql<Failure>`
    select attempts, detail from svc_dead_letter
    where queue = ${queue} and data->>'job' = ${jobId} order by died_at desc limit 1`.execute(db);
  return rows[0];
}

/** Where an instance has jobs that are out of attempts. */
export async function listFailedElements(db: Db, instanceId: string): Promise<string[]> {
  const { rows } = await sql<{ element: string }>`
    select distinct element from workflow_job
    where instance_id = ${instanceId} and kind in ('async', 'timer') and is_dead`.execute(db);
  return rows.map(({ element }) => element);
}

function withExecutionId(row: JobRow): DeadLetterRow {
  const { instance_id, execution } = row;
  return { ...row, execution_id: instance_id === null ? null : executionId(instance_id, execution ?? 0) };
}
