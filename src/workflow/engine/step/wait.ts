import { toText, type Value } from '../../expression/index.ts';
import type { Body, FlowNode } from '../definition.ts';
import type { EventTrigger, TimerDefinition } from '../event-trigger.ts';
import { optionalValue, resolveValue } from '../implementation.ts';
import type { LiveExecution, LiveWait, Run } from '../run.ts';
import { planCycle, planDate, planDuration, planNext, type TimerPlan } from '../timer.ts';

/** Makes an execution wait for what an event names; errors and the like are found when they are thrown. */
export async function arm(
  run: Run,
  execution: LiveExecution,
  element: string,
  trigger: EventTrigger,
): Promise<void> {
  const wait = { of: execution.id, at: element };
  switch (trigger.kind) {
    case 'timer': {
      const plan = await planTimer(run, execution, trigger.timer);
      if (plan === undefined) return;
      run.addWait({ ...wait, kind: 'timer', ...plan });
      run.emitRevocable(keyOf(wait), { kind: 'timer.armed', execution: wait.of, element, ...plan });
      return;
    }
    case 'message':
    case 'signal': {
      const name = toText(await resolveValue(run, execution, trigger.name));
      run.addWait({ ...wait, kind: trigger.kind, name });
      run.emitRevocable(keyOf(wait), {
        kind: 'subscription.added',
        execution: wait.of,
        element,
        event: trigger.kind,
        name,
      });
      return;
    }
    case 'conditional':
      run.addWait({ ...wait, kind: 'conditional' });
      run.mustCheckConditions = true;
      return;
    default:
      return;
  }
}

export async function armBoundaries(run: Run, execution: LiveExecution, node: FlowNode): Promise<void> {
  for (const id of node.boundaries) {
    const boundary = run.nodeById(id);
    if (boundary.kind === 'boundaryEvent') await arm(run, execution, id, boundary.trigger);
  }
}

/** Arms the event sub-processes of a scope; they listen as long as it lives. */
export async function armEventSubProcesses(run: Run, scope: LiveExecution, body: Body): Promise<void> {
  for (const id of body.eventSubProcesses) {
    const node = run.nodeById(id);
    const start = node.kind === 'eventSubProcess' ? run.nodeById(node.start) : undefined;
    if (start?.kind === 'startEvent' && start.trigger !== undefined)
      await arm(run, scope, start.id, start.trigger);
  }
}

export function clear(run: Run, wait: LiveWait): void {
  run.removeWait(wait);
  const { of: execution, at: element } = wait;
  if (wait.kind === 'timer') run.revoke(keyOf(wait), { kind: 'timer.cleared', execution, element });
  else if (wait.kind !== 'conditional') {
    run.revoke(keyOf(wait), { kind: 'subscription.removed', execution, element });
  }
}

export function clearAll(run: Run, execution: LiveExecution): void {
  for (const wait of [...run.waitsOf(execution)]) clear(run, wait);
}

/** To be called after a firing that ends nothing: a timer goes on to its next repetition, other waits stay. */
export function rearm(run: Run, wait: LiveWait): void {
  if (wait.kind !== 'timer') return;
  const { now, nextCron } = run.handlers;
  const next = planNext(wait.dueAt ?? now, wait.repeat, now, nextCron);
  if (next === undefined) {
    clear(run, wait);
    return;
  }
  wait.dueAt = next.dueAt;
  if (next.repeat === undefined) delete wait.repeat;
  else wait.repeat = next.repeat;
  run.emit({ kind: 'timer.armed', execution: wait.of, element: wait.at, ...next });
}

async function planTimer(
  run: Run,
  execution: LiveExecution,
  timer: TimerDefinition,
): Promise<TimerPlan | undefined> {
  const value: Value = await resolveValue(run, execution, timer.value);
  const { now, nextCron } = run.handlers;
  if (timer.kind === 'date') return planDate(value);
  if (timer.kind === 'duration') return planDuration(value, now);
  return planCycle(toText(value), await optionalValue(run, execution, timer.end), now, nextCron);
}

function keyOf(wait: { readonly of: number; readonly at: string }): string {
  return `wait ${wait.of} ${wait.at}`;
}
