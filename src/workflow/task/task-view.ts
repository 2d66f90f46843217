import { type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import { countersOf, type ProcessDefinition, scopeIdOf, taskScopeId } from '../engine/index.ts';
import type { TaskRow, TaskSurroundings } from './task-listing-repository.ts';

export function viewTask(row: TaskRow): JsonObject {
  return {
    // While a delegation is pending, whoever has the task is its delegate.
    [row.delegation === 'pending' ? 'delegate' : 'assignee']: row.assignee,
    canceled: false,
    category: row.category,
    claimTime: row.claimed_at?.toISOString() ?? null,
    createTime: row.created_at.toISOString(),
    deleted: false,
    description: row.description,
    dueDate: row.due_at?.toISOString() ?? null,
    executionId: row.id,
    formKey: row.form_key,
    name: row.name,
    owner: row.owner,
    parentTaskId: row.parent_task_id,
    priority: row.priority,
    processDefinitionId: row.definition_id,
    processInstanceId: row.instance_id,
    processVariables: {},
    taskDefinitionKey: row.element,
    taskLocalVariables: {},
    tenantId: row.tenant_id,
    updated: false,
  };
}

export function viewHistoricTask(row: TaskRow, taskLocalVariables: JsonObject = {}): JsonObject {
  const { created_at, ended_at } = row;
  return {
    assignee: row.assignee,
    category: row.category,
    claimTime: row.claimed_at?.toISOString() ?? null,
    createTime: created_at.toISOString(),
    deleteReason: row.delete_reason,
    deleted: false,
    description: row.description,
    dueDate: row.due_at?.toISOString() ?? null,
    durationInMillis: ended_at === null ? null : ended_at.getTime() - created_at.getTime(),
    endTime: ended_at?.toISOString() ?? null,
    executionId: row.id,
    name: row.name,
    owner: row.owner,
    priority: row.priority,
    processDefinitionId: row.definition_id,
    processInstanceId: row.instance_id,
    processVariables: {},
    startTime: created_at.toISOString(),
    taskDefinitionKey: row.element,
    taskLocalVariables,
    tenantId: row.tenant_id,
  };
}

/**
 * What is visible from the task: its own variables over those of the scopes around it, among them the counters of
 * multi-instance activities.
 */
export function visibleVariables(
  { execution }: TaskRow,
  { variables, state }: TaskSurroundings,
  { nodes }: ProcessDefinition,
): JsonObject {
  const executions = new Map(state?.executions.map((one) => [one.id, one]) ?? []);
  const layers: (readonly (readonly [name: string, value: JsonValue])[])[] = [];
  const own = (scope: number) =>
    variables.flatMap(([of, name, value]) => (of === scope ? [[name, value] as const] : []));
  for (let at = executions.get(execution); at !== undefined; at = executions.get(at.in ?? -1)) {
    const index = nodes.get(at.at ?? '')?.loop?.indexVariable;
    layers.unshift(Object.entries(countersOf(at, index)), own(scopeIdOf(at)));
  }
  layers.push(own(taskScopeId({ id: execution })));
  const visible: JsonObject = {};
  for (const [name, value] of layers.flat()) setMember(visible, name, value);
  return visible;
}

/** The people and groups to whom the task is offered; who has it or owns it is another matter. */
export function viewCandidates({ users, groups }: TaskSurroundings): JsonObject {
  return { candidateUsers: users, candidateGroups: groups };
}
