import type { ProcessDefinition } from '#workflow/index.ts';
import type { ActRow } from './act-tables-repository.ts';

/** All rows of one instance. */
export interface ActInstance {
  readonly id: string;
  readonly executions: readonly ActRow[];
  readonly tasks: readonly ActRow[];
  readonly variables: readonly ActRow[];
  readonly jobs: readonly ActRow[];
  readonly subscriptions: readonly ActRow[];
  readonly links: readonly ActRow[];
  readonly begun: ActRow | undefined;
  readonly activities: readonly ActRow[];
  readonly taskHistory: readonly ActRow[];
  /** The instance that has called it, and by which of its executions. */
  readonly caller?: { readonly instance: string; readonly ref: string };
}

export interface ReadOptions {
  readonly process: ProcessDefinition;
  /** It is of before Activiti 6. */
  readonly isOld: boolean;
  /** Epoch ms of a time as it stands in a column. */
  readonly at: (text: string) => number;
  readonly bytes: ReadonlyMap<string, string>;
  /** The role of everybody who is somebody. */
  readonly role: string;
}
