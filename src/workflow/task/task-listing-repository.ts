import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';
import { BadRequestError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { QueryRequest } from '#resource/index.ts';
import type { ProcessState } from '../engine/index.ts';
import {
  type Condition,
  definitionIs,
  idIs,
  type Listing,
  type ListPage,
  listPage,
  textIs,
  variableIs,
} from '../query/list-repository.ts';
import { isTrue, readInteger, VARIABLE, variableParameters } from '../query/parameter.ts';
import type { QueryKind } from '../query/query-kind.ts';
import { type Candidates, isOfCandidates, tasksOfCandidates } from './candidate-repository.ts';

/** A task as REST shows it, open or ended. */
export interface TaskRow {
  readonly id: string;
  readonly instance_id: string;
  readonly execution: number;
  readonly element: string;
  readonly definition_id: string;
  readonly definition_key: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly assignee: string | null;
  readonly owner: string | null;
  readonly delegation: string | null;
  readonly priority: number;
  readonly due_at: Date | null;
  readonly category: string | null;
  readonly form_key: string | null;
  readonly parent_task_id: string | null;
  readonly tenant_id: string;
  readonly created_at: Date;
  readonly claimed_at: Date | null;
  readonly ended_at: Date | null;
  readonly delete_reason: string | null;
  readonly revision: number;
}

const column = (name: string): RawBuilder<unknown> => sql.ref(`t.${name}`);
/** Begins with the id of the instance, and nothing gives a tenant yet: both orders are that of the id. */
const ID = column('id');
const FROM = sql`workflow_task t`;

const COMMON_FILTERS: Listing['filters'] = {
  executionId: idIs(column('id')),
  processDefinitionId: textIs(column('definition_id')),
  processDefinitionKey: textIs(column('definition_key')),
  processInstanceId: idIs(column('instance_id')),
  assignee: textIs(column('assignee')),
  taskId: idIs(column('id')),
  // Some clients of the field call it so.
  _id: idIs(column('id')),
  owner: textIs(column('owner')),
  description: textIs(column('description')),
  tenantId: textIs(column('tenant_id')),
  priority: (value) => sql`t.priority = ${readInteger('priority', value)}`,
};

const OPEN: Listing = {
  select: sql`t.*`,
  from: FROM,
  base: [sql`t.ended_at is null`],
  filters: {
    ...COMMON_FILTERS,
    processDefinitionId: definitionIs(column('definition_id'), column('definition_key')),
    name: textIs(column('name')),
    unassigned: (value) => (isTrue(value) ? sql`t.assignee is null` : undefined),
  },
  others: ['taskCandidateUser', 'taskCandidateGroup', 'taskCandidateOrAssigned', VARIABLE],
  sorts: {
    _id: ID,
    name: column('name'),
    description: column('description'),
    priority: column('priority'),
    assignee: column('assignee'),
    processInstanceId: ID,
    executionId: ID,
    createTime: column('created_at'),
    dueDate: column('due_at'),
    tenantId: ID,
  },
  id: ID,
};

const HISTORY: Listing = {
  select: sql`t.*`,
  from: FROM,
  base: [],
  filters: {
    ...COMMON_FILTERS,
    taskName: textIs(column('name')),
    deleteReason: textIs(column('delete_reason')),
    finished: (value) => (isTrue(value) ? sql`t.ended_at is not null` : undefined),
    unfinished: (value) => (isTrue(value) ? sql`t.ended_at is null` : undefined),
    processFinished: (value) => (isTrue(value) ? processHasEnded(sql`is not null`) : undefined),
    processUnfinished: (value) => (isTrue(value) ? processHasEnded(sql`is null`) : undefined),
  },
  others: ['taskCandidateUser', 'taskCandidateGroup', VARIABLE],
  sorts: {
    taskId: ID,
    _id: ID,
    taskName: column('name'),
    description: column('description'),
    priority: column('priority'),
    assignee: column('assignee'),
    processInstanceId: ID,
    executionId: ID,
    tenantId: ID,
    processDefinitionId: column('definition_id'),
    durationInMillis: sql`(t.ended_at - t.created_at)`,
    startTime: column('created_at'),
    endTime: column('ended_at'),
    owner: column('owner'),
    dueDate: column('due_at'),
    deleteReason: column('delete_reason'),
    taskDefinitionKey: column('element'),
  },
  id: ID,
};

function processHasEnded(test: RawBuilder<unknown>): Condition {
  return sql`exists (select from workflow_instance i where i.id = t.instance_id and i.ended_at ${test})`;
}

/** The groups of a user, asked for at most once in a query. */
export type GroupsOf = (user: string) => Promise<readonly string[]>;

export async function listOpenTasks(
  db: Db,
  request: QueryRequest,
  kind: QueryKind,
  groupsOf: GroupsOf,
): Promise<ListPage<TaskRow>> {
  const asked = kind === 'filtered' ? await readCandidates(request, groupsOf, true) : undefined;
  const more = variableConditions(request);
  if (asked === undefined) return listPage(db, request, kind, OPEN, more);
  const { free, candidates } = asked;
  return listPage(db, request, kind, OPEN, [free, ...more], {
    condition: isOfCandidates(candidates, true),
    from: (conditions, order) => tasksOfCandidates(db, candidates, conditions, order),
  });
}

export async function listHistoricTasks(
  db: Db,
  request: QueryRequest,
  kind: QueryKind,
  groupsOf: GroupsOf,
): Promise<ListPage<TaskRow>> {
  const asked = kind === 'filtered' ? await readCandidates(request, groupsOf, false) : undefined;
  const more = asked === undefined ? [] : [asked.free, isOfCandidates(asked.candidates, false)];
  return listPage(db, request, kind, HISTORY, [...more, ...variableConditions(request)]);
}

export async function listTasksOf(db: Db, instanceId: string): Promise<TaskRow[]> {
  const { rows } = await sql<TaskRow>`
    select t.* from workflow_task t where t.instance_id = ${instanceId} order by t.execution`.execute(db);
  return rows;
}

export async function findTask(db: Db, id: string): Promise<TaskRow | undefined> {
  const { rows } = await sql<TaskRow>`select t.* from workflow_task t where t.id = ${id}`.execute(db);
  return rows[0];
}

/** What an open task shows besides its row: the visible variables and the candidates. */
export interface TaskSurroundings {
  readonly variables: readonly (readonly [scope: number, name: string, value: JsonObject[string]])[];
  readonly users: string[];
  readonly groups: string[];
  readonly state: Pick<ProcessState, 'executions'> | null;
}

export async function findSurroundings(db: Db, task: TaskRow): Promise<TaskSurroundings> {
  const { rows } = await sql<TaskSurroundings>`
    select (select coalesce(jsonb_agg(jsonb_build_array(v.scope, v.name, v.value)), '[]')
            from workflow_variable v where v.instance_id = ${task.instance_id} and v.name <> 'svccontext') as variables,
           (select coalesce(jsonb_agg(l.user_id order by l.user_id), '[]') from workflow_identity_link l
            where l.task_id = ${task.id} and l.type = 'candidate' and l.user_id is not null) as users,
           (select coalesce(jsonb_agg(l.group_id order by l.group_id), '[]') from workflow_identity_link l
            where l.task_id = ${task.id} and l.type = 'candidate' and l.group_id is not null) as groups,
           (select s.state from workflow_state s where s.instance_id = ${task.instance_id}) as state`.execute(
    db,
  );
  return oneRow(rows);
}

function variableConditions(request: QueryRequest): Condition[] {
  return variableParameters(request.parameters).map(([name, value]) =>
    variableIs(column('instance_id'), name, value),
  );
}

interface Asked {
  readonly free: Condition;
  readonly candidates: Candidates;
}

/** The candidates that are asked for: by name or by role, of tasks that nobody has; both parameters together mean either. */
async function readCandidates(
  { parameters }: QueryRequest,
  groupsOf: GroupsOf,
  isOpen: boolean,
): Promise<Asked | undefined> {
  const {
    taskCandidateUser: user,
    taskCandidateGroup: groupList,
    taskCandidateOrAssigned: either,
  } = parameters;
  const isCandidate = user !== undefined || groupList !== undefined;
  if (either !== undefined && isCandidate) throw exclusive();
  if (either !== undefined) {
    return {
      free: sql`(t.assignee = ${either} or t.assignee is null)`,
      candidates: { user: either, assignee: either, groups: [...new Set(await groupsOf(either))] },
    };
  }
  if (!isCandidate) return undefined;
  const groups = [...(groupList?.split(',') ?? []), ...(user === undefined ? [] : await groupsOf(user))];
  return {
    // Tasks that have ended count too, whoever had them.
    free: isOpen ? sql`t.assignee is null` : sql`(t.assignee is null or t.ended_at is not null)`,
    candidates: { user, groups: [...new Set(groups)] },
  };
}

function exclusive(): BadRequestError {
  return new BadRequestError(
    'taskCandidateOrAssigned cannot go together with taskCandidateUser or taskCandidateGroup',
    { id: 'WORKFLOW_BAD_PARAMETER', field: 'taskCandidateOrAssigned' },
  );
}
