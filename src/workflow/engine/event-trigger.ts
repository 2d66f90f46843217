import type { Expression } from '../expression/index.ts';

export type Condition =
  | { readonly kind: 'expression'; readonly expression: Expression }
  | ({ readonly kind: 'script' } & Script);

export interface Script {
  /** The language as written, such as `groovy` or `text/javascript`; `groovy` when it is not written. */
  readonly format: string;
  readonly source: string;
}

/** Exactly one of a date, a duration or a repetition; the text is read when the timer is armed. */
export interface TimerDefinition {
  readonly kind: 'date' | 'duration' | 'cycle';
  readonly value: Expression;
  /** No repetition after this. */
  readonly end?: Expression;
}

/** What an event waits for or brings about. */
export type EventTrigger =
  | { readonly kind: 'timer'; readonly timer: TimerDefinition }
  | { readonly kind: 'message'; readonly name: Expression }
  | { readonly kind: 'signal'; readonly name: Expression; readonly isInstanceScoped: boolean }
  | { readonly kind: 'conditional'; readonly condition: Condition }
  /** A catch without a code catches every error; variables receive what was caught. */
  | {
      readonly kind: 'error';
      readonly code?: string;
      readonly variable?: string;
      readonly codeVariable?: string;
    }
  | { readonly kind: 'escalation'; readonly code?: string }
  /** Without an activity: everything completed in the scope. */
  | { readonly kind: 'compensation'; readonly activity?: string }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'terminate'; readonly endsAll: boolean; readonly endsMultiInstance: boolean }
  | { readonly kind: 'link'; readonly name: string };
