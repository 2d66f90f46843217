import { type JsonObject, setMember } from '#json/index.ts';
import type { Repetition } from './timer.ts';

/** Raised when a state of the version before could not be read any more. */
export const STATE_VERSION = 1;

/**
 * Where an instance stands: plain JSON, small, and a value: the engine makes a new one and never changes one.
 * The member `variables` may be kept apart by the host and put back before the next stimulus; the rest
 * says nothing about data.
 */
export interface ProcessState {
  readonly version: typeof STATE_VERSION;
  /** The next execution id. */
  readonly next: number;
  readonly businessKey?: string;
  /** Another instance waits for this one: errors and escalations that nothing catches go there. */
  readonly isCalled?: true;
  readonly executions: readonly Execution[];
  readonly waits: readonly Wait[];
  /** Variables by scope: an execution, of which that of the instance is 0; the task of an execution has its id negated. */
  readonly variables: Readonly<Record<string, JsonObject>>;
}

/** The execution of the instance itself. */
export const ROOT = 0;

/**
 * What an execution is doing. A `scope` is the instance or a running sub-process, a `loop` the body of a
 * multi-instance activity; the others wait: for a user `task`, a `trigger` from outside, a `job` before or
 * after the activity, a called process (`child`), the other tokens of a `join`, one of several events
 * (`choice`), one `event`, or for compensation handlers (`undo`). Absent only while a token moves.
 */
export type Role =
  | 'scope'
  | 'loop'
  | 'task'
  | 'trigger'
  | 'jobBefore'
  | 'jobAfter'
  | 'child'
  | 'join'
  | 'choice'
  | 'event'
  | 'undo';

/** One visit of one element; a token that moves on becomes a new execution. */
export interface Execution {
  readonly id: number;
  /** The execution it lives in; absent for the instance itself. */
  readonly in?: number;
  /** The element; absent for the instance itself. */
  readonly at?: string;
  readonly is?: Role;
  /** Another scope for its own variables than its id: that of the token before it, which had some. */
  readonly locals?: number;
  /** The flow a token of a join came over. */
  readonly via?: string;
  readonly loop?: LoopCounts;
  /** The number of the round of the multi-instance activity. */
  readonly index?: number;
  /** Completed activities of a scope that can be undone, oldest first. */
  readonly done?: readonly Undoable[];
  /** What is still to be undone, the last one first. */
  readonly todo?: readonly Undoable[];
  /** The execution that waits for this compensation handler. */
  readonly undoes?: number;
}

/** The scope of an execution's own variables: a token takes those of the one before it along. */
export function scopeIdOf({ id, locals }: Pick<Execution, 'id' | 'locals'>): number {
  return locals ?? id;
}

/** The scope of the variables of a task itself; it ends with its execution. */
export function taskScopeId({ id }: Pick<Execution, 'id'>): number {
  return -id;
}

export interface LoopCounts {
  readonly total: number;
  readonly active: number;
  readonly completed: number;
}

/** The counters of a multi-instance activity are read like variables but kept in the executions. */
export function countersOf(
  { loop, index }: Pick<Execution, 'loop' | 'index'>,
  indexVariable = 'loopCounter',
) {
  const counters: JsonObject = {};
  if (loop !== undefined) {
    const { total, active, completed } = loop;
    Object.assign(counters, {
      nrOfInstances: total,
      nrOfActiveInstances: active,
      nrOfCompletedInstances: completed,
    });
  } else if (index !== undefined) setMember(counters, indexVariable, index);
  return counters;
}

export interface Undoable {
  readonly at: string;
  /** The scope in which the handler runs. */
  readonly in?: number;
  /** For a completed sub-process: what was completed inside, and its variables. */
  readonly inner?: readonly Undoable[];
  readonly variables?: JsonObject;
}

/** Something outside that an execution waits for; keyed by execution and element. */
export interface Wait {
  readonly of: number;
  /** The catching event, boundary event, start event of an event sub-process, or receive task. */
  readonly at: string;
  readonly kind: 'timer' | 'message' | 'signal' | 'conditional';
  readonly name?: string;
  readonly dueAt?: number;
  readonly repeat?: Repetition;
  /** The condition held when it was last looked at; only a change to true fires. */
  readonly held?: true;
}
