import type { JsonObject, JsonValue } from '#json/index.ts';
import type { FormProperty } from './definition.ts';
import type { Repetition } from './timer.ts';

/** What a user task is created with; times in milliseconds since the epoch. */
export interface TaskFacts {
  name: string | null;
  description: string | null;
  assignee: string | null;
  owner: string | null;
  candidateUsers: string[];
  candidateGroups: string[];
  dueAt: number | null;
  priority: number;
  category: string | null;
  formKey: string | null;
  /** Pending: the assignee works for the owner, who gets the task back. */
  delegation: Delegation | null;
  /** Epoch ms; of tasks that were created in an earlier step. */
  createdAt?: number;
  /** Epoch ms; of tasks that somebody claimed. */
  claimedAt?: number;
}

export type Delegation = 'pending' | 'resolved';

/** Why a task or activity ended otherwise than by completion; the words are those of history. */
export type EndReason =
  | 'process instance deleted'
  | 'terminate end event'
  | 'boundary event'
  | 'event subprocess'
  | 'event based gateway cancel'
  | 'transaction canceled'
  | 'multi-instance completed'
  | 'process instance migrated'
  | (string & {});

/** How a variable is written from outside: by a `form` that declares it, or by a `caller` as it likes. */
export type VariableWriter = 'form' | 'caller';

/** The uncaught error a called process ended with. */
export interface ErrorFacts {
  readonly code: string;
  readonly message: string;
}

/**
 * What has to be written besides the state, in this order, in the same unit of work. `execution` and
 * `element` together name a wait, a task or a job; both are stable while it exists and never used again.
 */
export type Effect =
  | {
      readonly kind: 'activity.started';
      readonly execution: number;
      readonly element: string;
      readonly scope: number;
    }
  | {
      readonly kind: 'activity.ended';
      readonly execution: number;
      readonly element: string;
      readonly reason?: EndReason;
    }
  | {
      readonly kind: 'task.created';
      readonly execution: number;
      readonly element: string;
      readonly task: TaskFacts;
      readonly formProperties: readonly FormProperty[];
    }
  | {
      readonly kind: 'task.updated';
      readonly execution: number;
      readonly element: string;
      readonly task: Partial<TaskFacts>;
    }
  | {
      readonly kind: 'task.removed';
      readonly execution: number;
      readonly element: string;
      /** Absent when the task was completed. */
      readonly reason?: EndReason;
    }
  | {
      readonly kind: 'variable.set';
      readonly scope: number;
      readonly name: string;
      readonly value: JsonValue;
      /** Absent when the process itself writes it. */
      readonly writer?: VariableWriter;
    }
  | { readonly kind: 'variable.removed'; readonly scope: number; readonly name: string }
  /** The variables of that execution are gone. */
  | { readonly kind: 'scope.ended'; readonly scope: number }
  /** Armed, or armed anew for the next repetition. */
  | {
      readonly kind: 'timer.armed';
      readonly execution: number;
      readonly element: string;
      readonly dueAt: number;
      readonly repeat?: Repetition;
    }
  | { readonly kind: 'timer.cleared'; readonly execution: number; readonly element: string }
  | {
      readonly kind: 'subscription.added';
      readonly execution: number;
      readonly element: string;
      readonly event: 'message' | 'signal';
      readonly name: string;
    }
  | { readonly kind: 'subscription.removed'; readonly execution: number; readonly element: string }
  | {
      readonly kind: 'job.created';
      readonly execution: number;
      readonly element: string;
      readonly moment: 'before' | 'after';
      readonly isExclusive: boolean;
      readonly retryCycle?: string;
    }
  | { readonly kind: 'job.removed'; readonly execution: number; readonly element: string }
  | {
      readonly kind: 'child.started';
      readonly execution: number;
      readonly element: string;
      /** The id that the child must get, because a variable holds it already. */
      readonly instanceId?: string;
      readonly calledElement: string;
      readonly calledElementType: 'key' | 'id';
      readonly isSameDeployment: boolean;
      readonly variables: JsonObject;
      readonly businessKey?: string;
      readonly name?: string;
    }
  | {
      readonly kind: 'child.cancelled';
      readonly execution: number;
      readonly element: string;
      readonly reason: EndReason;
    }
  /** For the other instances and for start events; waits of this instance have been served already. */
  | { readonly kind: 'signal.thrown'; readonly element: string; readonly name: string }
  | { readonly kind: 'message.thrown'; readonly element: string; readonly name: string }
  /** For the calling instance. */
  | { readonly kind: 'escalation.thrown'; readonly element: string; readonly code?: string }
  | { readonly kind: 'businessKey.set'; readonly businessKey: string }
  /** Nothing from outside can move these tokens any more. */
  | { readonly kind: 'incident'; readonly problem: 'stuck'; readonly elements: readonly string[] }
  | {
      readonly kind: 'ended';
      readonly reason: 'completed' | 'terminated' | 'cancelled' | 'error';
      /** The words of history for a cancelled instance. */
      readonly deleteReason?: EndReason;
      /** The instance at the top of the chain of calls ends too. */
      readonly endsAll?: true;
      readonly error?: ErrorFacts;
      /** The variables of the instance at its end, for the one that called it. */
      readonly variables: JsonObject;
    };
