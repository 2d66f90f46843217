import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from './apply.ts';
import type { Body, FlowNode, ProcessDefinition } from './definition.ts';
import type { EngineHandlers } from './handlers.ts';
import { type LiveExecution, Run } from './run.ts';
import { settle } from './settle.ts';
import type { Execution, ProcessState } from './state.ts';
import { destroy } from './step/destroy.ts';
import { describeTask } from './step/task.ts';
import { begin, finish, placeToken } from './step/token.ts';
import { arm, clear } from './step/wait.ts';

/** Why an instance cannot move to another version. */
export interface MigrationRefusal {
  readonly element: string;
  readonly message: string;
}

export type Migration =
  | ({ readonly isMigrated: true } & Outcome)
  | { readonly isMigrated: false; readonly refusals: readonly MigrationRefusal[] };

/** The ids that stand for elements in the other version, by their ids in this one. What is not named keeps its id. */
export type ElementMapping = Readonly<Record<string, string>>;

/** What of an execution decides whether it can move to another version. */
export interface Standing {
  readonly at: string;
  readonly is: Execution['is'] | null;
  /** It is the body of a multi-instance activity. */
  readonly isLoop: boolean;
  /** It is a round of one. */
  readonly isRound: boolean;
}

/** What is checked and carried over: an execution of the state with its element before and after. */
interface Move {
  readonly execution: LiveExecution;
  readonly before: FlowNode;
  readonly after: FlowNode;
}

/**
 * Moves an instance to another version of its process. Elements are matched by id, or as the mapping says. User tasks, receive tasks,
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
  mapping: ElementMapping = {},
): Promise<Migration> {
  const run = new Run(target, state, handlers);
  const versions = { source, target, mapping };
  const refusals: MigrationRefusal[] = [];
  const moves = [...run.executions.values()].flatMap((execution): Move[] => {
    if (execution.at === undefined || isInLoop(run, execution)) return [];
    const before = source.nodes.get(execution.at);
    const after = target.nodes.get(mapped(mapping, execution.at));
    const { at, is = null, loop } = execution;
    const problem = refusalOf({ at, is, isLoop: loop !== undefined, isRound: false }, versions);
    if (problem !== undefined) refusals.push({ element: at, message: problem });
    return before === undefined || after === undefined ? [] : [{ execution, before, after }];
  });
  if (refusals.length > 0) return { isMigrated: false, refusals };

  for (const { execution, before, after } of moves) {
    const stays = execution.is === 'scope' || isKept(execution, after);
    if (stays) rename(run, execution, after.id);
    if (execution.is === 'scope') await rearmScope(run, execution, before, after, source);
    else if (stays) await keep(run, execution, before, after, source);
    else await enterAgain(run, execution, after.id);
  }
  const root = run.executions.get(0);
  if (root !== undefined) await rearmBody(run, root, source.body, target.body, source);
  dropUndoables(run, mapping);
  run.mustCheckConditions = true;
  await settle(run);
  return { isMigrated: true, state: run.toState(), effects: run.effects };
}

interface Versions {
  readonly source: ProcessDefinition;
  readonly target: ProcessDefinition;
  readonly mapping: ElementMapping;
}

/** Why what stands there cannot move to the other version; undefined when it can. */
export function refusalOf(standing: Standing, { source, target, mapping }: Versions): string | undefined {
  const { at, is, isLoop, isRound } = standing;
  const before = source.nodes.get(at);
  if (before !== undefined && (isRound || stepsOut(before, source).some(({ loop }) => loop !== undefined)))
    return undefined;
  const to = mapped(mapping, at);
  const after = target.nodes.get(to);
  if (before === undefined || after === undefined) return 'is active and does not exist in the new version';
  if (before.kind !== after.kind) return `is active and has become a ${after.kind}`;
  const parent = before.parent === undefined ? undefined : mapped(mapping, before.parent);
  if (parent !== after.parent) return 'is active and stands in another sub-process now';
  if (is === 'undo') return 'is being compensated';
  if (!isDeepStrictEqual(before.loop, after.loop))
    return 'is active and its multi-instance settings have changed';
  if (isLoop && contentOf(before, source) !== contentOf(after, target)) {
    return 'is active and multi-instance, and its content has changed';
  }
  if (to !== at && before.loop !== undefined) return 'is active and multi-instance, and keeps its id';
  if (to !== at && (is === 'join' || is === 'jobAfter')) return 'is about to go on, and keeps its id';
  if (before.kind === 'callActivity' && after.kind === 'callActivity') {
    const isSame = before.calledElement.text === after.calledElement.text;
    if (!isSame || before.calledElementType !== after.calledElementType) return 'calls another process now';
  }
  return undefined;
}

function mapped(mapping: ElementMapping, id: string): string {
  return Object.hasOwn(mapping, id) ? (mapping[id] ?? id) : id;
}

/** The sub-processes around an element. */
function stepsOut({ parent }: FlowNode, definition: ProcessDefinition): FlowNode[] {
  const around = parent === undefined ? undefined : definition.nodes.get(parent);
  return around === undefined ? [] : [around, ...stepsOut(around, definition)];
}

/** Everything inside a multi-instance body is made anew with it. */
function isInLoop(run: Run, execution: LiveExecution): boolean {
  for (let at = run.parent(execution); at !== undefined; at = run.parent(at)) {
    if (at.loop !== undefined) return true;
  }
  return false;
}

function isKept({ at, is }: LiveExecution, { id }: FlowNode): boolean {
  // Nothing has been done there yet: its job is another one.
  if (is === 'jobBefore' && at !== id) return false;
  // A service that waits to be triggered has been called already; entering it again would call it twice.
  return is === 'task' || is === 'trigger' || is === 'child' || is === 'jobBefore' || is === 'jobAfter';
}

/** It stands at another element now, and history tells both. */
function rename(run: Run, execution: LiveExecution, id: string): void {
  if (execution.at === id) return;
  const hasBegun = run.begun.has(execution.id);
  finish(run, execution, 'process instance migrated');
  execution.at = id;
  if (hasBegun) begin(run, execution);
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

async function enterAgain(run: Run, execution: LiveExecution, at: string): Promise<void> {
  const { via, undoes, in: scope = 0 } = execution;
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
function dropUndoables(run: Run, mapping: ElementMapping): void {
  for (const execution of run.executions.values()) {
    const left = execution.done
      ?.map((one) => ({ ...one, at: mapped(mapping, one.at) }))
      .filter(({ at, inner }) => {
        const node = run.definition.nodes.get(at);
        return node !== undefined && (inner !== undefined || node.compensation !== undefined);
      });
    if (left === undefined) continue;
    if (left.length === 0) delete execution.done;
    else execution.done = left;
  }
}
