import { type Expression, ExpressionError, toText, type Value } from '../../expression/index.ts';
import type { TaskEvent, UserTask } from '../definition.ts';
import type { EndReason, TaskFacts } from '../effect.ts';
import type { TaskView } from '../handlers.ts';
import { optionalValue, resolveValue, runListener } from '../implementation.ts';
import { readPriority } from '../priority.ts';
import type { LiveExecution, Run } from '../run.ts';
import { readDueDate } from '../timer.ts';
import { setVariable } from '../variables.ts';
import { viewVariables } from '../views.ts';

const DEFAULT_PRIORITY = 50;

/** Works out the task, lets its listeners change it, and waits for its completion. */
export async function createTask(run: Run, execution: LiveExecution, node: UserTask): Promise<void> {
  const facts: TaskFacts = {
    ...(await describeTask(run, execution, node)),
    assignee: textOrNull(await optionalValue(run, execution, node.assignee)),
    owner: textOrNull(await optionalValue(run, execution, node.owner)),
    candidateUsers: await names(run, execution, node.candidateUsers),
    candidateGroups: await names(run, execution, node.candidateGroups),
    dueAt: dueAt(await optionalValue(run, execution, node.dueDate), run.handlers.now),
    priority: priority(await optionalValue(run, execution, node.priority), node.id),
    delegation: null,
  };
  if (node.taskIdVariable !== undefined) {
    setVariable(run, execution, node.taskIdVariable, run.executionId(execution));
  }
  const { now } = run.handlers;
  if (facts.assignee !== null) await tellTaskListeners(run, execution, node, 'assignment', facts, now);
  await tellTaskListeners(run, execution, node, 'create', facts, now);
  execution.is = 'task';
  const id = run.executionId(execution);
  run.tasks.set(id, { id, taskDefinitionKey: node.id, ...facts });
  run.emit({
    kind: 'task.created',
    execution: execution.id,
    element: node.id,
    task: facts,
    formProperties: node.formProperties,
  });
}

/**
 * The longest name that the columns of other engines hold whose files run here; what callers have written may stand
 * in both.
 */
const LONGEST_NAME = 255;
const LONGEST_DESCRIPTION = 4_000;

/** What is worked out anew when an instance moves to another version; a mistake in it shows as raw text. */
export async function describeTask(run: Run, execution: LiveExecution, node: UserTask) {
  const tolerant = async (expression: Expression | undefined) => {
    if (expression === undefined) return null;
    try {
      return textOrNull(await resolveValue(run, execution, expression));
    } catch (error) {
      if (error instanceof ExpressionError) return expression.text;
      throw error;
    }
  };
  return {
    name: cut(await tolerant(node.taskName), LONGEST_NAME),
    description: cut(await tolerant(node.description), LONGEST_DESCRIPTION),
    category: cut(await tolerant(node.category), LONGEST_NAME),
    formKey: await tolerant(node.formKey),
  };
}

function cut(text: string | null, longest: number): string | null {
  return text === null || text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}

/** The end of a task that a user has completed, or that something has taken away. */
export async function removeTask(
  run: Run,
  execution: LiveExecution,
  node: UserTask,
  options: { readonly task?: TaskFacts; readonly user?: string; readonly reason?: EndReason },
): Promise<void> {
  const { task = plainTask(node), user, reason } = options;
  const facts = structuredClone(task);
  if (reason === undefined) {
    if (node.completerVariable !== undefined)
      setVariable(run, execution, node.completerVariable, user ?? null);
    await tellTaskListeners(run, execution, node, 'complete', facts);
  }
  await tellTaskListeners(run, execution, node, 'delete', facts);
  emitChanges(run, execution, task, facts);
  run.emit({
    kind: 'task.removed',
    execution: execution.id,
    element: node.id,
    ...(reason === undefined ? {} : { reason }),
  });
}

/** Somebody else has the task now. */
export async function reassignTask(
  run: Run,
  execution: LiveExecution,
  node: UserTask,
  task: TaskFacts,
): Promise<void> {
  const facts = structuredClone(task);
  await tellTaskListeners(run, execution, node, 'assignment', facts);
  emitChanges(run, execution, task, facts);
}

async function tellTaskListeners(
  run: Run,
  execution: LiveExecution,
  node: UserTask,
  event: TaskEvent,
  facts: TaskFacts,
  createdAt = facts.createdAt ?? null,
): Promise<void> {
  for (const listener of node.taskListeners) {
    if (listener.event !== event && listener.event !== 'all') continue;
    const id = run.executionId(execution);
    const variables = viewVariables(run, execution, 'task');
    const task: TaskView = { ...variables, id, definitionKey: node.id, eventName: event, createdAt, facts };
    await runListener(run, execution, node.id, listener, { task, eventName: event });
  }
}

function emitChanges(run: Run, execution: LiveExecution, before: TaskFacts, after: TaskFacts): void {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof TaskFacts]),
  );
  if (changed.length === 0) return;
  run.emit({
    kind: 'task.updated',
    execution: execution.id,
    element: execution.at ?? '',
    task: Object.fromEntries(changed),
  });
}

function plainTask(node: UserTask): TaskFacts {
  return {
    name: node.taskName?.text ?? null,
    description: node.description?.text ?? null,
    assignee: null,
    owner: null,
    candidateUsers: [],
    candidateGroups: [],
    dueAt: null,
    priority: DEFAULT_PRIORITY,
    category: node.category?.text ?? null,
    formKey: node.formKey?.text ?? null,
    delegation: null,
  };
}

/** Candidates: each entry is a name, a text of several, or a list. */
async function names(run: Run, execution: LiveExecution, entries: readonly Expression[]): Promise<string[]> {
  const found: string[] = [];
  for (const entry of entries) {
    const value = await resolveValue(run, execution, entry);
    const texts = Array.isArray(value) ? value.map(toText) : toText(value).split(',');
    found.push(...texts.map((text) => text.trim()).filter((text) => text !== ''));
  }
  return [...new Set(found)];
}

function textOrNull(value: Value): string | null {
  return value === null || value === '' ? null : toText(value);
}

function dueAt(value: Value, now: number): number | null {
  return value === null || value === '' ? null : readDueDate(value, now);
}

function priority(value: Value, owner: string): number {
  return value === null || value === '' ? DEFAULT_PRIORITY : readPriority(value, owner);
}
