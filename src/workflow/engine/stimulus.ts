import type { JsonObject } from '#json/index.ts';
import type { EndReason, ErrorFacts, TaskFacts, VariableWriter } from './effect.ts';

/** What comes with a stimulus. `writers` tells of each variable who wrote it, if that was not the process itself. */
interface Given {
  readonly variables?: JsonObject;
  readonly writers?: Readonly<Record<string, VariableWriter>>;
}

/** What happens to an instance. `execution` and `element` are those of the effects. */
export type Stimulus =
  | (Given & {
      readonly kind: 'start';
      /** The start event; the none start event when absent. */
      readonly element?: string;
      readonly businessKey?: string;
      /** The user who starts it. */
      readonly starter?: string;
      /** Started by a call activity of another instance. */
      readonly isCalled?: boolean;
    })
  | (Given & {
      readonly kind: 'complete';
      readonly execution: number;
      /** The task as it is now, for its listeners. */
      readonly task?: TaskFacts;
      readonly user?: string;
    })
  /** The assignee of a task has changed; `task` holds the new one. */
  | { readonly kind: 'assign'; readonly execution: number; readonly task: TaskFacts }
  | { readonly kind: 'trigger'; readonly execution: number; readonly variables?: JsonObject }
  /** The async continuation of an activity. */
  | { readonly kind: 'job'; readonly execution: number }
  | { readonly kind: 'timer'; readonly execution: number; readonly element: string }
  | (Given & {
      readonly kind: 'message';
      readonly name: string;
      /** The number of the waiting execution; any one when absent. */
      readonly execution?: number;
    })
  /** For all executions that wait for it. */
  | { readonly kind: 'signal'; readonly name: string; readonly variables?: JsonObject }
  | {
      readonly kind: 'childEnded';
      readonly execution: number;
      readonly variables: JsonObject;
      readonly error?: ErrorFacts;
    }
  | { readonly kind: 'childEscalated'; readonly execution: number; readonly code?: string }
  /** Work done outside has failed with a BPMN error. */
  | { readonly kind: 'error'; readonly execution: number; readonly error: ErrorFacts }
  /** Sets variables: without an execution, or with one that knows the name, where the name is, else in the instance. */
  | {
      readonly kind: 'variables';
      readonly variables: JsonObject;
      readonly writers?: Given['writers'];
      readonly removed?: readonly string[];
      readonly execution?: number;
      readonly isLocal?: boolean;
    }
  | { readonly kind: 'cancel'; readonly reason?: EndReason };
