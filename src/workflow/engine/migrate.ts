import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from './apply.ts';
import type { Body, FlowNode, ProcessDefinition } from './definition.ts';
import type { EngineHandlers } from './handlers.ts';
import { type LiveExecution, Run } from './run.ts';
import { settle } from './settle.ts';
import type { ProcessState } from './state.ts';
import { destroy } from './step/destroy.ts';
import { describeTask } from './step/task.ts';
import { placeToken } from './step/token.ts';
import { arm, clear } from './step/wait.ts';

/** Why an instance cannot move to another version. */
export interface MigrationRefusal {
  readonly element: string;
  readonly message: string;
}

export type Migration =
  | ({ readonly isMigrated: true } & Outcome)
  | { readonly isMigrated: false; readonly refusals: readonly MigrationRefusal[] };

/** What is checked and carried over: an execution of the state with its element before and after. */
interface Move {
  readonly execution: LiveExecution;
  readonly before: FlowNode;
  readonly after: FlowNode;
}

/**
 * Moves an instance to another version of its process. Elements are matched by id. User tasks, receive tasks,
 * call activities, waiting services and whatever waits for its job stay where they are, outside of
 * multi-instance; other waits end and are entered again, so an intermediate timer starts anew. The timers
 * and subscriptions of what stays are kept where they are the same, and armed or dropped where not.
 *
 * @returns all refusals, or the state on the target version; the state given in stays as it is
 */
export async function migrate(
  source: ProcessDefinition,
  target: ProcessDefinition,
  state: ProcessState,
  handlers: EngineHandlers,
): Promise<Migration> {
  const run = new Run(target, state, handlers);
  const refusals: MigrationRefusal[] = [];
  const moves = [...run.executions.values()].flatMap((execution): Move[] => {
    if (execution.at === undefined || isInLoop(run, execution)) return [];
    const before = source.nodes.get(execution.at);
    const after = target.nodes.get(execution.at);
    const problem = problemOf(execution, before, after, source, target);
    if (problem !== undefined) refusals.push({ element: execution.at, message: problem });
    return before === undefined || after === undefined ? [] : [{ execution, before, after }];
  });
  if (refusals.length > 0) return { isMigrated: false, refusals };

  for (const { execution, before, after } of moves) {
    if (execution.is === 'scope') await rearmScope(run, execution, before, after, source);
    else if (isKept(execution)) await keep(run, execution, before, after, source);
    else await enterAgain(run, execution);
  }
  const root = run.executions.get(0);
  if (root !== undefined) await rearmBody(run, root, source.body, target.body, source);
  dropUndoables(run);
  run.mustCheckConditions = true;
  await settle(run);
  return { isMigrated: true, state: run.toState(), effects: run.effects };
}

function problemOf(
  execution: LiveExecution,
  before: FlowNode | undefined,
  after: FlowNode | undefined,
  source: ProcessDefinition,
  target: ProcessDefinition,
): string | undefined {
  if (before === undefined || after === undefined) return 'is active and does not exist in the new version';
  if (before.kind !== after.kind) return `is active and has become a ${after.kind}`;
  if (before.parent !== after.parent) return 'is active and stands in another sub-process now';
  if (execution.is === 'undo') return 'is being compensated';
  if (!isDeepStrictEqual(before.loop, after.loop))
    return 'is active and its multi-instance settings have changed';
  if (execution.loop !== undefined && contentOf(before, source) !== contentOf(after, target)) {
    return 'is active and multi-instance, and its content has changed';
  }
  if (before.kind === 'callActivity' && after.kind === 'callActivity') {
    const isSame = before.calledElement.text === after.calledElement.text;
    if (!isSame || before.calledElementType !== after.calledElementType) return 'calls another process now';
  }
  return undefined;
}

/** Everything inside a multi-instance body is made anew with it. */
function isInLoop(run: Run, execution: LiveExecution): boolean {
  for (let at = run.parent(execution); at !== undefined; at = run.parent(at)) {
    if (at.loop !== undefined) return true;
  }
  return false;
}

function isKept({ is }: LiveExecution): boolean {
  // A service that waits to be triggered has been called already; entering it again would call it twice.
  return is === 'task' || is === 'trigger' || is === 'child' || is === 'jobBefore' || is === 'jobAfter';
}

async function keep(
  run: Run,
  execution: LiveExecution,
  before: FlowNode,
  after: FlowNode,
  source: ProcessDefinition,
): Promise<void> {
  if (execution.is !== 'jobBefore') await rearmBoundaries(run, execution, before, after, source);
  if (execution.is !== 'task' || after.kind !== 'userTask') return;
  const task = await describeTask(run, execution, after);
  run.emit({ kind: 'task.updated', execution: execution.id, element: after.id, task });
}

async function enterAgain(run: Run, execution: LiveExecution): Promise<void> {
  const { at = '', via, undoes, in: scope = 0 } = execution;
  // The new token first, so that the scope is never empty.
  const token = placeToken(run, scope, at, via);
  if (undoes !== undefined) token.undoes = undoes;
  await destroy(run, execution, 'process instance migrated');
}

async function rearmScope(
  run: Run,
  execution: LiveExecution,
  before: FlowNode,
  after: FlowNode,
  source: ProcessDefinition,
): Promise<void> {
  await rearmBoundaries(run, execution, before, after, source);
  if ('body' in before && 'body' in after) await rearmBody(run, execution, before.body, after.body, source);
}

async function rearmBoundaries(
  run: Run,
  execution: LiveExecution,
  before: FlowNode,
  after: FlowNode,
  source: ProcessDefinition,
): Promise<void> {
  await rearmEvents(run, execution, before.boundaries, after.boundaries, source);
}

async function rearmBody(
  run: Run,
  execution: LiveExecution,
  before: Body,
  after: Body,
  source: ProcessDefinition,
): Promise<void> {
  const startsOf = (body: Body, definition: ProcessDefinition) =>
    body.eventSubProcesses.flatMap((id) => {
      const node = definition.nodes.get(id);
      return node?.kind === 'eventSubProcess' ? [node.start] : [];
    });
  await rearmEvents(run, execution, startsOf(before, source), startsOf(after, run.definition), source);
}

/** An event that is the same keeps its wait, also when that has fired; others are dropped or armed now. */
async function rearmEvents(
  run: Run,
  execution: LiveExecution,
  before: readonly string[],
  after: readonly string[],
  source: ProcessDefinition,
): Promise<void> {
  const isSame = (id: string) => {
    const [old, now] = [source.nodes.get(id), run.definition.nodes.get(id)];
    return before.includes(id) && after.includes(id) && isDeepStrictEqual(eventOf(old), eventOf(now));
  };
  for (const wait of [...run.waitsOf(execution)]) {
    if (before.includes(wait.at) && !isSame(wait.at)) clear(run, wait);
  }
  for (const id of after) {
    const event = eventOf(run.nodeById(id));
    if (event?.trigger !== undefined && !isSame(id)) await arm(run, execution, id, event.trigger);
  }
}

function eventOf(node: FlowNode | undefined) {
  if (node?.kind !== 'boundaryEvent' && node?.kind !== 'startEvent') return undefined;
  return { trigger: node.trigger, isInterrupting: node.isInterrupting };
}

function contentOf(node: FlowNode, definition: ProcessDefinition): string {
  if (!('body' in node)) return '';
  const inside = (id: string): unknown => {
    const inner = definition.nodes.get(id)!;
    const flows = inner.outgoing.map((flow) => definition.flows.get(flow));
    return [inner, flows, 'body' in inner ? inner.body.nodes.map(inside) : []];
  };
  return JSON.stringify(node.body.nodes.map(inside));
}

/** What can no longer be undone in the new version is forgotten. */
function dropUndoables(run: Run): void {
  for (const execution of run.executions.values()) {
    const left = execution.done?.filter(({ at, inner }) => {
      const node = run.definition.nodes.get(at);
      return node !== undefined && (inner !== undefined || node.compensation !== undefined);
    });
    if (left === undefined || left.length === execution.done?.length) continue;
    if (left.length === 0) delete execution.done;
    else execution.done = left;
  }
}
