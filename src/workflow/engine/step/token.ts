import type { SequenceFlow } from '../definition.ts';
import { runExecutionListeners } from '../implementation.ts';
import type { LiveExecution, Run } from '../run.ts';

/** Puts a token on an element of a scope; it enters there when its turn comes. Inclusive joins ask for its way. */
export function placeToken(run: Run, scope: number, element: string, via?: string): LiveExecution {
  const isJoin = via !== undefined && run.definition.joinReach.has(element);
  const token = run.create({ in: scope, at: element, ...(isJoin ? { via } : {}) });
  run.plan('enter', token);
  return token;
}

/**
 * Lets a token go over flows, one new token each; over none it ends here. Its own variables go with the first one,
 * unless they are those of a scope, which is over.
 */
export async function takeFlows(
  run: Run,
  execution: LiveExecution,
  flows: readonly SequenceFlow[],
): Promise<void> {
  if (flows.length === 0) {
    endToken(run, execution);
    return;
  }
  const isScope = execution.loop !== undefined || run.node(execution).kind === 'subProcess';
  let heir: LiveExecution | undefined;
  for (const flow of flows) {
    await runExecutionListeners(run, execution, flow.listeners, 'take', flow.id);
    if (!run.isAlive(execution)) return;
    const token = placeToken(run, execution.in ?? 0, flow.target, flow.id);
    if (!isScope) heir ??= token;
  }
  run.remove(execution, heir);
}

/** Takes a token away; the scope that held the last one is done. */
export function endToken(run: Run, execution: LiveExecution): void {
  const scope = run.parent(execution);
  run.remove(execution);
  if (scope?.is === 'scope' && !run.hasChildren(scope)) run.plan('leave', scope);
}

export function begin(run: Run, execution: LiveExecution): void {
  run.begun.add(execution.id);
  run.emit({
    kind: 'activity.started',
    execution: execution.id,
    element: execution.at ?? '',
    scope: execution.in ?? 0,
  });
}

export function finish(run: Run, execution: LiveExecution, reason?: string): void {
  if (!run.begun.delete(execution.id)) return;
  run.emit({
    kind: 'activity.ended',
    execution: execution.id,
    element: execution.at ?? '',
    ...(reason === undefined ? {} : { reason }),
  });
}

/** Makes it wait for a job of its own: before its activity runs, or before it goes on. */
export function awaitJob(
  run: Run,
  execution: LiveExecution,
  moment: 'before' | 'after',
  options: { readonly isExclusive: boolean; readonly retryCycle?: string },
): void {
  execution.is = moment === 'before' ? 'jobBefore' : 'jobAfter';
  const { id, at: element = '' } = execution;
  run.emitRevocable(`job ${id}`, { kind: 'job.created', execution: id, element, moment, ...options });
}
