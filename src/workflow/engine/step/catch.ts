import { InternalServerError } from '#errors/index.ts';
import type { BoundaryEvent, EventSubProcess } from '../definition.ts';
import type { ErrorFacts } from '../effect.ts';
import { runExecutionListeners } from '../implementation.ts';
import type { LiveExecution, Run } from '../run.ts';
import { setLocalVariable, setVariable } from '../variables.ts';
import { undoNext } from './compensation.ts';
import { destroy, destroyChildren } from './destroy.ts';
import { endInstance } from './end-instance.ts';
import { begin, placeToken } from './token.ts';
import { armEventSubProcesses, clearAll } from './wait.ts';

type Catcher =
  | { readonly node: BoundaryEvent; readonly owner: LiveExecution }
  | { readonly node: EventSubProcess; readonly scope: LiveExecution };

/**
 * Hands a business error to the nearest thing that catches it. In a called instance an uncaught one ends the
 * instance, and its caller gets it.
 *
 * @throws InternalServerError `WORKFLOW_UNCAUGHT_ERROR`: the whole step fails
 */
export async function throwError(run: Run, thrower: LiveExecution, error: ErrorFacts): Promise<void> {
  const catcher = findCatcher(run, thrower, 'error', error.code);
  if (catcher !== undefined) {
    const token = await catchWith(run, catcher);
    setErrorVariables(run, token, catcher, error);
    return;
  }
  if (!run.isCalled) {
    const message = error.message === '' ? '' : `: ${error.message}`;
    throw new InternalServerError(`Nothing catches the error '${error.code}' of '${thrower.at}'${message}`, {
      id: 'WORKFLOW_UNCAUGHT_ERROR',
    });
  }
  await endInstance(run, { reason: 'error', error }, 'error end event');
}

/** Hands an escalation to the nearest thing that catches it, else to the caller; nobody need catch it. */
export async function throwEscalation(
  run: Run,
  thrower: LiveExecution,
  code: string | undefined,
): Promise<void> {
  const catcher = findCatcher(run, thrower, 'escalation', code);
  if (catcher !== undefined) await catchWith(run, catcher);
  else if (run.isCalled) {
    run.emit({
      kind: 'escalation.thrown',
      element: thrower.at ?? '',
      ...(code === undefined ? {} : { code }),
    });
  }
}

/** A boundary event happens: it gets a token beside its activity, which ends when it interrupts. */
export async function fireBoundary(
  run: Run,
  node: BoundaryEvent,
  owner: LiveExecution,
): Promise<LiveExecution> {
  const token = placeToken(run, owner.in ?? 0, node.id);
  if (!node.isInterrupting) return token;
  await destroy(run, owner, node.trigger.kind === 'cancel' ? 'transaction canceled' : 'boundary event');
  const waiting = owner.undoes === undefined ? undefined : run.executions.get(owner.undoes);
  const undone = waiting && undoNext(run, waiting);
  if (undone !== undefined) run.plan('leave', undone);
  return token;
}

/** An event sub-process starts in its scope, whose other work ends when it interrupts. */
export async function fireEventSubProcess(
  run: Run,
  node: EventSubProcess,
  scope: LiveExecution,
): Promise<LiveExecution> {
  const start = run.nodeById(node.start);
  const isInterrupting =
    start.kind !== 'startEvent' || start.isInterrupting || start.trigger?.kind === 'error';
  const instance = run.create({ in: scope.id, at: node.id, is: 'scope' });
  if (isInterrupting) {
    for (const child of run.children(scope).reverse()) {
      if (child !== instance) await destroy(run, child, 'event subprocess');
    }
    clearAll(run, scope);
  }
  begin(run, instance);
  await runExecutionListeners(run, instance, node.listeners, 'start', node.id);
  for (const { name, value } of node.body.dataObjects) setLocalVariable(run, instance.id, name, value);
  await armEventSubProcesses(run, instance, node.body);
  return placeToken(run, instance.id, node.start);
}

/** Ends what goes on in the scope of a cancelled transaction and goes on at its cancel boundary event. */
export async function cancelTransaction(run: Run, execution: LiveExecution): Promise<void> {
  const scope = run.scopeOf(execution);
  const owner = scope.index === undefined ? scope : run.scopeOf(scope);
  for (const id of run.node(owner).boundaries) {
    const boundary = run.nodeById(id);
    if (boundary.kind === 'boundaryEvent' && boundary.trigger.kind === 'cancel') {
      await fireBoundary(run, boundary, owner);
      return;
    }
  }
}

/** To be called before a transaction is undone: everything else in it stops, and nothing can reach it any more. */
export async function stopTransaction(run: Run, execution: LiveExecution): Promise<void> {
  const scope = run.scopeOf(execution);
  for (const child of run.children(scope).reverse()) {
    if (child !== execution) await destroy(run, child, 'transaction canceled');
  }
  clearAll(run, scope);
}

/** A terminate end event: its scope ends, and with it the instance when that is the scope. */
export async function terminate(
  run: Run,
  execution: LiveExecution,
  options: { readonly endsAll: boolean; readonly endsMultiInstance: boolean },
): Promise<void> {
  const scope = run.scopeOf(execution);
  if (options.endsAll || scope.in === undefined) {
    const all = options.endsAll ? ({ endsAll: true } as const) : {};
    await endInstance(run, { reason: 'terminated', ...all }, 'terminate end event');
    return;
  }
  const ended = options.endsMultiInstance && scope.index !== undefined ? run.scopeOf(scope) : scope;
  await destroyChildren(run, ended, 'terminate end event');
  run.plan('leave', ended);
}

async function catchWith(run: Run, catcher: Catcher): Promise<LiveExecution> {
  if ('owner' in catcher) return await fireBoundary(run, catcher.node, catcher.owner);
  return await fireEventSubProcess(run, catcher.node, catcher.scope);
}

/** Looks from the thrower outwards: at the boundary of each activity, then at the event sub-processes around it. */
function findCatcher(
  run: Run,
  thrower: LiveExecution,
  kind: 'error' | 'escalation',
  code: string | undefined,
): Catcher | undefined {
  let current: LiveExecution = thrower;
  for (;;) {
    const owner: LiveExecution = current.index === undefined ? current : (run.parent(current) ?? current);
    if (owner.at === undefined) return undefined;
    const node = run.node(owner);
    if (owner.is !== 'undo') {
      const boundaries = node.boundaries.map((id) => run.nodeById(id));
      const boundary = bestMatch(boundaries, kind, code);
      if (boundary?.kind === 'boundaryEvent') return { node: boundary, owner };
    }
    const scope = run.parent(owner);
    if (scope === undefined) return undefined;
    // What goes wrong inside an event sub-process is not handled by it, nor by those beside it.
    if (node.kind !== 'eventSubProcess') {
      const found = matchEventSubProcess(run, scope, kind, code);
      if (found !== undefined) return { node: found, scope };
    }
    current = scope;
  }
}

function matchEventSubProcess(
  run: Run,
  scope: LiveExecution,
  kind: 'error' | 'escalation',
  code: string | undefined,
): EventSubProcess | undefined {
  const outer = scope.at === undefined ? run.definition : run.node(scope);
  if (!('body' in outer)) return undefined;
  const candidates = outer.body.eventSubProcesses.flatMap((id) => {
    const node = run.nodeById(id);
    return node.kind === 'eventSubProcess' ? [{ node, start: run.nodeById(node.start) }] : [];
  });
  const best = bestMatch(
    candidates.map(({ start }) => start),
    kind,
    code,
  );
  return candidates.find(({ start }) => start === best)?.node;
}

/** An exact code comes before a catch-all. */
function bestMatch<T extends object>(
  nodes: readonly T[],
  kind: string,
  code: string | undefined,
): T | undefined {
  const codeOf = (node: T): string | undefined | null => {
    const trigger =
      'trigger' in node ? (node.trigger as { kind: string; code?: string } | undefined) : undefined;
    return trigger?.kind === kind ? trigger.code : null;
  };
  return (
    nodes.find((node) => code !== undefined && codeOf(node) === code) ??
    nodes.find((node) => codeOf(node) === undefined)
  );
}

function setErrorVariables(run: Run, token: LiveExecution, catcher: Catcher, error: ErrorFacts): void {
  const source = 'owner' in catcher ? catcher.node : run.nodeById(catcher.node.start);
  const trigger = 'trigger' in source ? source.trigger : undefined;
  if (trigger?.kind !== 'error') return;
  if (trigger.variable !== undefined) {
    setVariable(run, token, trigger.variable, { code: error.code, message: error.message });
  }
  if (trigger.codeVariable !== undefined) setVariable(run, token, trigger.codeVariable, error.code);
}
