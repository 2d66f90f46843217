import { type Expression, evaluate, toText, type Value } from '../expression/index.ts';
import type { ProcessDefinition } from './definition.ts';
import type { TimerDefinition } from './event-trigger.ts';
import { type NextCron, planCycle, planDate, planDuration, type TimerPlan } from './timer.ts';

/** How an instance can come to be: what has to be scheduled or subscribed to at deployment. */
export type StartTrigger =
  | { readonly element: string; readonly kind: 'none' }
  | { readonly element: string; readonly kind: 'timer'; readonly timer: TimerDefinition }
  | { readonly element: string; readonly kind: 'message' | 'signal'; readonly name: string };

/** The start events of a process; names are worked out without variables, since there are none yet. */
export async function listStarts(definition: ProcessDefinition): Promise<StartTrigger[]> {
  const starts: StartTrigger[] = [];
  for (const element of definition.body.starts) {
    const node = definition.nodes.get(element);
    const trigger = node?.kind === 'startEvent' ? node.trigger : undefined;
    if (trigger === undefined) starts.push({ element, kind: 'none' });
    else if (trigger.kind === 'timer') starts.push({ element, kind: 'timer', timer: trigger.timer });
    else if (trigger.kind === 'message' || trigger.kind === 'signal') {
      starts.push({ element, kind: trigger.kind, name: toText(await withoutVariables(trigger.name)) });
    }
  }
  return starts;
}

/** When a start timer is due first; `planNext` says how it goes on. Undefined when it is over already. */
export async function planStartTimer(
  timer: TimerDefinition,
  now: number,
  nextCron?: NextCron,
): Promise<TimerPlan | undefined> {
  const value = await withoutVariables(timer.value);
  if (timer.kind === 'date') return planDate(value);
  if (timer.kind === 'duration') return planDuration(value, now);
  const end = timer.end === undefined ? null : await withoutVariables(timer.end);
  return planCycle(toText(value), end, now, nextCron);
}

async function withoutVariables(expression: Expression): Promise<Value> {
  return await evaluate(expression, { find: () => undefined, findVariable: () => undefined });
}
