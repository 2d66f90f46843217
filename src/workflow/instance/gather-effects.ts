import type { HistoryLevel } from '#config/index.ts';
import type { JsonObject } from '#json/index.ts';
import { requireStorableSize } from '#resource/index.ts';
import { timeOrderedId } from '#time/index.ts';
import type { Effect, TaskFacts } from '../engine/index.ts';
import { keeps } from '../history/history-level.ts';
import { readRetryCycle } from '../job/retry-cycle.ts';
import { storedVariable } from '../variable/variable.ts';
import type { Changes, TaskChange } from './changes.ts';
import { executionId } from './instance-id.ts';

const ATTEMPTS = 3;

export interface GatherOptions {
  readonly history: HistoryLevel;
  /** What the task of this execution is completed with. */
  readonly submitted?: { readonly execution: number; readonly variables: JsonObject };
}

type Gather<K extends Effect['kind']> = (
  changes: Changes,
  effect: Extract<Effect, { kind: K }>,
  options: GatherOptions,
) => void;

const placeOf = ({ execution, element }: { execution: number; element: string }) => `${execution} ${element}`;

/** What other instances have to do with; `follow-up.ts` does it after this instance has been written. */
const elsewhere = () => {};

/** Effect by effect: which rows it means. */
const GATHER: { readonly [K in Effect['kind']]: Gather<K> } = {
  'activity.started': (changes, effect, { history }) => {
    if (!keeps(history, 'activity')) return;
    const { execution, element } = effect;
    changes.activities.set(placeOf(effect), { execution, element, started_at: changes.now });
  },
  'activity.ended': (changes, effect, { history }) => {
    if (!keeps(history, 'activity')) return;
    const { execution, element, reason } = effect;
    const begun = changes.activities.get(placeOf(effect)) ?? { execution, element };
    const why = reason === undefined ? {} : { reason };
    changes.activities.set(placeOf(effect), { ...begun, ended_at: changes.now, ...why });
  },
  'task.created': (changes, { execution, element, task }) => {
    const id = executionId(changes.instance.id, execution);
    changes.newTasks.set(execution, { id, execution, element, ...columnsOf(task) });
    changes.addCandidates(id, task);
    changes.addLink(id, 'assignee', task.assignee);
    changes.addLink(id, 'owner', task.owner);
  },
  'task.updated': (changes, { execution, task }) => {
    const id = executionId(changes.instance.id, execution);
    Object.assign(changes.task(execution), columnsOf(task));
    changes.replaceCandidates(id, task);
    changes.addLink(id, 'assignee', task.assignee);
    changes.addLink(id, 'owner', task.owner);
  },
  'task.removed': (changes, { execution, reason }, { history, submitted }) => {
    const change = changes.task(execution);
    change.ended_at = changes.now;
    if (reason !== undefined) change.delete_reason = reason;
    const isIts = submitted?.execution === execution && reason === undefined;
    if (isIts && keeps(history, 'audit')) change.submitted = submitted.variables;
  },
  'variable.set': (changes, { scope, name, value, writer }) => {
    requireStorableSize(name, value);
    changes.variables.set(`${scope} ${name}`, storedVariable(scope, name, value, writer));
  },
  'variable.removed': (changes, { scope, name }) => {
    changes.variables.set(`${scope} ${name}`, { scope, name });
  },
  // What they were last stays as history; which scopes are alive is in the state row.
  'scope.ended': () => {},
  'timer.armed': (changes, effect) => {
    const { execution, element, dueAt, repeat } = effect;
    changes.jobs.set(`timer ${placeOf(effect)}`, {
      id: timeOrderedId(changes.now),
      kind: 'timer',
      execution,
      element,
      due_at: dueAt,
      repeat: repeat === undefined ? null : { ...repeat },
      payload: null,
      retries: ATTEMPTS,
      retry_cycle: null,
    });
  },
  'timer.cleared': (changes, effect) => {
    const { execution, element } = effect;
    changes.jobs.set(`timer ${placeOf(effect)}`, { kind: 'timer', execution, element });
  },
  'subscription.added': (changes, effect) => {
    const { event, name, execution, element } = effect;
    changes.subscriptions.set(placeOf(effect), { event, name, execution, element });
  },
  'subscription.removed': (changes, effect) => {
    const { execution, element } = effect;
    changes.subscriptions.set(placeOf(effect), { execution, element });
  },
  'job.created': (changes, effect) => {
    const { execution, element, moment, isExclusive, retryCycle } = effect;
    changes.jobs.set(`async ${placeOf(effect)}`, {
      id: timeOrderedId(changes.now),
      kind: 'async',
      execution,
      element,
      due_at: changes.now,
      repeat: null,
      payload: { moment, isExclusive },
      retries: readRetryCycle(retryCycle ?? null).attempts,
      retry_cycle: retryCycle ?? null,
    });
  },
  'job.removed': (changes, effect) => {
    const { execution, element } = effect;
    changes.jobs.set(`async ${placeOf(effect)}`, { kind: 'async', execution, element });
  },
  'businessKey.set': (changes, { businessKey }) => {
    changes.instanceChange.business_key = businessKey;
  },
  ended: (changes, { deleteReason, reason }) => {
    changes.instanceChange.ended_at = changes.now;
    const why = deleteReason ?? (reason === 'terminated' ? 'terminate end event' : undefined);
    if (why !== undefined) changes.instanceChange.delete_reason = why;
  },
  'child.started': elsewhere,
  'child.cancelled': elsewhere,
  'signal.thrown': elsewhere,
  'message.thrown': elsewhere,
  'escalation.thrown': elsewhere,
  incident: elsewhere,
};

/** Adds to the changes what the effects of a step mean, in their order. */
export function gatherEffects(changes: Changes, effects: readonly Effect[], options: GatherOptions): void {
  for (const effect of effects) {
    (GATHER[effect.kind] as Gather<Effect['kind']>)(changes, effect, options);
  }
}

const COLUMN: Readonly<Record<string, keyof TaskChange>> = {
  name: 'name',
  description: 'description',
  assignee: 'assignee',
  owner: 'owner',
  priority: 'priority',
  dueAt: 'due_at',
  category: 'category',
  formKey: 'form_key',
  delegation: 'delegation',
};

function columnsOf(task: Partial<TaskFacts>): TaskChange {
  const columns: Record<string, unknown> = {};
  for (const [fact, column] of Object.entries(COLUMN)) {
    const value = task[fact as keyof TaskFacts];
    if (value !== undefined) columns[column] = value;
  }
  return columns;
}
