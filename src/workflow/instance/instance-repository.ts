import { type RawBuilder, sql } from 'kysely';
import type { HistoryLevel } from '#config/index.ts';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Delegation, TaskFacts } from '../engine/index.ts';
import { keeps } from '../history/history-level.ts';
import type { JobFacts } from '../job/job-step.ts';
import {
  type Instance,
  type LockedInstance,
  type StoredState,
  type Suspension,
  type VariableEntry,
  withVariables,
} from './instance.ts';
import { SUSPENSION } from './suspension-repository.ts';

/** A task at the moment of the lock: what its listeners see, and what decides who may do what with it. */
export interface LockedTask {
  readonly facts: TaskFacts;
  readonly revision: number;
}

interface LockedRow {
  readonly id: string;
  readonly definition_id: string;
  readonly definition_key: string;
  readonly definition_name: string | null;
  readonly deployment_id: number | null;
  readonly root_id: string;
  readonly super_instance_id: string | null;
  readonly super_execution: number | null;
  readonly business_key: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly tenant_id: string;
  readonly start_user_id: string | null;
  readonly started_at: Date;
  readonly state: StoredState;
  readonly revision: number;
  readonly seen_revision: number | null;
  readonly variables: readonly VariableEntry[];
  readonly suspended: Suspension | null;
  readonly task: TaskRow | null;
}

export interface LockOptions {
  /** The number of the task that the transition is about. */
  readonly task?: number;
  /** The root has ended in this transaction: nobody else can come to the instance any more, and it stands alone. */
  readonly isOrphan?: boolean;
  /** Gives up instead of waiting for a transition that is under way. */
  readonly skipLocked?: boolean;
}

/**
 * Locks the tree of a running instance, by the state row of its root, and reads where the instance stands.
 * There is one lock for a whole tree of calls, so parents and children never wait for each other.
 *
 * @returns undefined when it is not running (or, when told so, locked)
 */
export async function lockInstance(
  db: Db,
  id: string,
  options: LockOptions = {},
): Promise<(LockedInstance & { readonly task?: LockedTask }) | undefined> {
  const query = lockQuery(id, options);
  let row = (await query.execute(db)).rows[0];
  // The lock had to wait: only the locked row is as it is now, the rest as it was before.
  if (row !== undefined && row.revision !== row.seen_revision) row = (await query.execute(db)).rows[0];
  return row === undefined ? undefined : readLocked(row);
}

/** As `lockInstance`, without the lock. */
export async function seeInstance(
  db: Db,
  id: string,
  options: Pick<LockOptions, 'task'>,
): Promise<(LockedInstance & { readonly task?: LockedTask }) | undefined> {
  const row = (await stateQuery(id, options, sql``).execute(db)).rows[0];
  return row === undefined ? undefined : readLocked(row);
}

function lockQuery(id: string, options: LockOptions) {
  return stateQuery(id, options, locking(options));
}

function locking({ skipLocked }: Pick<LockOptions, 'skipLocked'>): RawBuilder<unknown> {
  return sql`for update of root ${skipLocked === true ? sql`skip locked` : sql``}`;
}

function stateQuery(id: string, { task, isOrphan }: LockOptions, lock: RawBuilder<unknown>) {
  const root = isOrphan === true ? sql.ref('s.instance_id') : sql.ref('s.root_id');
  const taskColumn =
    task === undefined
      ? sql`null::jsonb`
      : sql`(select to_jsonb(t) || jsonb_build_object(
                 'due', extract(epoch from t.due_at) * 1000,
                 'created', extract(epoch from t.created_at) * 1000,
                 'claimed', extract(epoch from t.claimed_at) * 1000,
                 'users', (select coalesce(jsonb_agg(l.user_id), '[]') from workflow_identity_link l
                           where l.task_id = t.id and l.type = 'candidate' and l.user_id is not null),
                 'groups', (select coalesce(jsonb_agg(l.group_id), '[]') from workflow_identity_link l
                            where l.task_id = t.id and l.type = 'candidate' and l.group_id is not null))
               from workflow_task t
               where t.instance_id = s.instance_id and t.execution = ${task} and t.ended_at is null)`;
  return sql<LockedRow>`
    select ${lockedColumns(root)}, ${taskColumn} as task
    from workflow_state s
    join workflow_state root on root.instance_id = ${root}
    join workflow_instance i on i.id = s.instance_id
    where s.instance_id = ${id}
    ${lock}`;
}

function lockedColumns(root: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
           i.id, i.definition_id, i.definition_key, i.definition_name, i.deployment_id, ${root} as root_id, i.super_instance_id,
           i.super_execution, i.business_key, i.name, i.description, i.tenant_id, i.start_user_id, i.started_at,
           s.state, root.revision, ${SUSPENSION} as suspended,
           (select r.revision from workflow_state r where r.instance_id = ${root}) as seen_revision,
           (select coalesce(jsonb_agg(jsonb_build_array(v.scope, v.name, v.value, v.type = 'date', v.owner)), '[]')
            from workflow_variable v where v.instance_id = s.instance_id and v.scope = any(s.scopes)) as variables`;
}

export interface LockedJob {
  readonly job: JobFacts;
  readonly locked: LockedInstance;
}

/** Locks the tree of the instance that a job is for. @returns undefined when either is gone */
export async function lockForJob(db: Db, id: string): Promise<LockedJob | undefined> {
  // The first look may have waited for the lock, and then have seen but a part.
  const ids = sql`${[id]}::uuid[]`;
  return (await findForJobs(db, ids, locking({})))[0] ?? (await findForJobs(db, ids, locking({})))[0];
}

/** Where the instances stand that jobs are for, without a lock. @returns one job for each tree, the earliest */
export function seeForJobs(db: Db, ids: readonly string[]): Promise<LockedJob[]> {
  // The others would be read in vain, and what belongs to an instance may be much.
  const earliest = sql`array(
    select distinct on (s.root_id) j.id
    from workflow_job j join workflow_state s on s.instance_id = j.instance_id
    where j.id = any(${ids}::uuid[])
    order by s.root_id, j.due_at)`;
  return findForJobs(db, ids.length === 1 ? sql`${ids}::uuid[]` : earliest, sql``);
}

/** Instances one by one: a plan that was made for few of them must not read all of many. */
async function findForJobs(
  db: Db,
  ids: RawBuilder<unknown>,
  lock: RawBuilder<unknown>,
): Promise<LockedJob[]> {
  const { rows } = await sql<LockedRow & { readonly job: JobFacts }>`
    select ${lockedColumns(sql.ref('s.root_id'))}, null::jsonb as task, to_jsonb(j) as job
    from workflow_job j
    join workflow_state s on s.instance_id = j.instance_id
    join workflow_state root on root.instance_id = s.root_id
    cross join lateral (
      select id, definition_id, definition_key, definition_name, deployment_id, super_instance_id, super_execution,
        business_key, name, description, tenant_id, start_user_id, started_at
      from workflow_instance where id = s.instance_id offset 0) i
    where j.id = any(${ids})
    order by root.instance_id, j.due_at
    ${lock}`.execute(db);
  const trees = new Set<string>();
  // One whose row was moved while it was read is only seen in part.
  return rows.flatMap(({ job, ...row }) => {
    if (row.revision !== row.seen_revision || trees.has(row.root_id)) return [];
    trees.add(row.root_id);
    return [{ job, locked: readLocked(row) }];
  });
}

function readLocked(row: LockedRow): LockedInstance & { task?: LockedTask } {
  return {
    instance: readInstance(row),
    state: withVariables(row.state, row.variables),
    settled: new Set(row.variables.flatMap(([, name, , , owner]) => (owner === 'caller' ? [] : [name]))),
    revision: row.revision,
    suspended: row.suspended,
    ...(row.task === null ? {} : { task: readTask(row.task) }),
  };
}

function readInstance(row: LockedRow): Instance {
  return {
    id: row.id,
    definitionId: row.definition_id,
    definitionKey: row.definition_key,
    definitionName: row.definition_name,
    deploymentId: row.deployment_id,
    rootId: row.root_id,
    caller:
      row.super_instance_id === null
        ? null
        : { instanceId: row.super_instance_id, execution: row.super_execution ?? 0 },
    businessKey: row.business_key,
    name: row.name,
    description: row.description,
    tenantId: row.tenant_id,
    startUserId: row.start_user_id,
    startedAt: row.started_at.getTime(),
  };
}

/** A task as the statement puts it together. */
interface TaskRow {
  readonly name: string | null;
  readonly description: string | null;
  readonly assignee: string | null;
  readonly owner: string | null;
  readonly users: string[];
  readonly groups: string[];
  readonly due: number | null;
  readonly priority: number;
  readonly category: string | null;
  readonly form_key: string | null;
  readonly delegation: Delegation | null;
  readonly created: number;
  readonly claimed: number | null;
  readonly revision: number;
}

function readTask({
  users,
  groups,
  due,
  form_key,
  created,
  claimed,
  revision,
  ...facts
}: TaskRow): LockedTask {
  return {
    facts: {
      ...facts,
      candidateUsers: users,
      candidateGroups: groups,
      dueAt: due,
      formKey: form_key,
      createdAt: created,
      ...(claimed === null ? {} : { claimedAt: claimed }),
    },
    revision,
  };
}

/** The running instances that these executions of an instance called. */
export async function listChildren(db: Db, instanceId: string, execution?: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from workflow_instance
    where super_instance_id = ${instanceId} and ended_at is null
    ${execution === undefined ? sql`` : sql`and super_execution = ${execution}`}
    order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Drops what a lower history level does not keep of an instance that has ended. */
export async function forgetDetails(db: Db, id: string, level: HistoryLevel): Promise<void> {
  if (!keeps(level, 'instance')) {
    await sql`delete from workflow_instance where id = ${id}`.execute(db);
    return;
  }
  if (!keeps(level, 'activity'))
    await sql`delete from workflow_variable where instance_id = ${id}`.execute(db);
  if (!keeps(level, 'task')) {
    await sql`with links as (delete from workflow_identity_link where instance_id = ${id} and task_id is not null)
              delete from workflow_task where instance_id = ${id}`.execute(db);
  }
}

/** The variables of tasks themselves, by their execution. */
export async function listTaskVariables(db: Db, instanceId: string): Promise<Map<number, JsonObject>> {
  const { rows } = await sql<{ scope: number; variables: JsonObject }>`
    select -scope as scope, jsonb_object_agg(name, value) as variables from workflow_variable
    where instance_id = ${instanceId} and scope < 0 and name <> 'svccontext' group by scope`.execute(db);
  return new Map(rows.map(({ scope, variables }) => [scope, variables]));
}

/** Where an instance stands, without a lock; undefined when it is not running. */
export async function findState(db: Db, id: string): Promise<StoredState | undefined> {
  const { rows } = await sql<{ state: StoredState }>`
    select state from workflow_state where instance_id = ${id}`.execute(db);
  return rows[0]?.state;
}
