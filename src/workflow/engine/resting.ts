import type { JsonValue } from '#json/index.ts';
import type { TaskFacts } from './effect.ts';
import type { LoopCounts } from './state.ts';

/**
 * Where an instance of another engine rests, in the words of its process file: its tokens by the elements that they stand
 * at. The scopes around them follow from the file. `ref` is whatever tells the tokens of one instance apart.
 */
export interface RestingInstance {
  readonly businessKey?: string;
  readonly isCalled: boolean;
  readonly tokens: readonly RestingToken[];
  readonly waits: readonly RestingWait[];
  readonly variables: readonly RestingVariable[];
  /** The counts of multi-instance activities under way, by their elements. */
  readonly loops: ReadonlyMap<string, LoopCounts>;
}

export interface RestingToken {
  readonly ref: string;
  readonly at: string;
  readonly task?: TaskFacts;
  /** It waits for a job to begin its activity, or to go on after it. */
  readonly job?: 'before' | 'after';
  /** The round of a multi-instance activity, from 0. */
  readonly round?: number;
}

/** A timer, or an event that is listened for, at the element that says so: a boundary, a catching or a start event, a receive task. */
export interface RestingWait {
  readonly at: string;
  /** The token that it belongs to, where there may be several at one element. */
  readonly ref?: string;
  readonly event:
    | { readonly kind: 'timer'; readonly dueAt: number; readonly repeat?: string }
    | { readonly kind: 'message' | 'signal'; readonly name: string };
}

export interface RestingVariable {
  readonly name: string;
  readonly value: JsonValue;
  /** The instance's own when absent: otherwise of a sub-process, of a token, or of the task that it waits for. */
  readonly of?: { readonly scope: string } | { readonly token: string } | { readonly task: string };
}
