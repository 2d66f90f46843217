import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { QueryRequest } from '#resource/index.ts';
import type { Execution } from '../engine/index.ts';
import { idIs, type Listing, type ListPage, listPage, textIs, variableIs } from '../query/list-repository.ts';
import { isTrue, readInstant, VARIABLE, variableParameters } from '../query/parameter.ts';
import type { QueryKind } from '../query/query-kind.ts';
import type { Suspension } from './instance.ts';
import { SUSPENSION } from './suspension-repository.ts';

/** An instance as REST shows it, without its state. */
export interface InstanceRow {
  readonly id: string;
  readonly definition_id: string;
  readonly definition_key: string;
  readonly definition_name: string | null;
  readonly deployment_id: number | null;
  readonly super_instance_id: string | null;
  readonly business_key: string | null;
  readonly business_status: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly tenant_id: string;
  readonly start_user_id: string | null;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly delete_reason: string | null;
  readonly variables: JsonObject;
  /** Its executions that count rounds of multi-instance activities; null when it has ended. */
  readonly rounds: readonly Pick<Execution, 'at' | 'loop' | 'index'>[] | null;
  /** The revision of its tree, and whether that is suspended; null when it has ended. */
  readonly standing: { readonly revision: number; readonly suspended: Suspension | null } | null;
}

const column = (name: string): RawBuilder<unknown> => sql.ref(`i.${name}`);
const ID = column('id');
const after = (name: string, of: string) => (value: string) =>
  sql`${column(of)} >= ${readInstant(name, value)}::timestamptz`;
const before = (name: string, of: string) => (value: string) =>
  sql`${column(of)} <= ${readInstant(name, value)}::timestamptz`;

/**
 * Variables of sub-processes and tokens are shown as well, those of tasks are not; of two with one name the one of the
 * latest scope wins.
 */
const SELECT = sql`i.*, (select coalesce(jsonb_object_agg(v.name, v.value order by v.scope), '{}')
  from workflow_variable v where v.instance_id = i.id and v.scope >= 0 and v.name <> 'svccontext') as variables,
  (select jsonb_path_query_array(s.state, '$.executions[*] ? (exists(@.loop) || exists(@.index))')
   from workflow_state s where s.instance_id = i.id) as rounds,
  (select jsonb_build_object('revision', root.revision, 'suspended', ${SUSPENSION})
   from workflow_state s join workflow_state root on root.instance_id = s.root_id where s.instance_id = i.id) as standing`;

const LISTING: Listing = {
  select: SELECT,
  from: sql`workflow_instance i`,
  base: [],
  filters: {
    processDefinitionId: textIs(column('definition_id')),
    processDefinitionKey: textIs(column('definition_key')),
    processInstanceId: idIs(column('id')),
    superProcessInstanceId: idIs(column('super_instance_id')),
    processInstanceBusinessKey: textIs(column('business_key')),
    businessStatus: textIs(column('business_status')),
    startUserId: textIs(column('start_user_id')),
    tenantId: textIs(column('tenant_id')),
    finished: (value) => (isTrue(value) ? sql`i.ended_at is not null` : undefined),
    unfinished: (value) => (isTrue(value) ? sql`i.ended_at is null` : undefined),
    involvedUserId: (value) =>
      sql`i.id in (select l.instance_id from workflow_identity_link l where l.user_id = ${value})`,
    startedAfter: after('startedAfter', 'started_at'),
    startedBefore: before('startedBefore', 'started_at'),
    finishedAfter: after('finishedAfter', 'ended_at'),
    finishedBefore: before('finishedBefore', 'ended_at'),
  },
  others: [VARIABLE],
  sorts: {
    processInstanceId: ID,
    processDefinitionId: column('definition_id'),
    processInstanceBusinessKey: column('business_key'),
    startTime: column('started_at'),
    endTime: column('ended_at'),
    durationInMillis: sql`(i.ended_at - i.started_at)`,
    // Nothing gives a tenant yet.
    tenantId: ID,
  },
  id: ID,
};

const RUNNING: Listing = { ...LISTING, base: [sql`i.ended_at is null`] };

export async function listInstances(
  db: Db,
  request: QueryRequest,
  kind: QueryKind,
  isHistory: boolean,
): Promise<ListPage<InstanceRow>> {
  const more = variableParameters(request.parameters).map(([name, value]) =>
    variableIs(column('id'), name, value),
  );
  return listPage(db, request, kind, isHistory ? LISTING : RUNNING, more);
}

export async function findInstance(db: Db, id: string): Promise<InstanceRow | undefined> {
  const { rows } =
    await sql<InstanceRow>`select ${SELECT} from workflow_instance i where i.id = ${id}`.execute(db);
  return rows[0];
}
