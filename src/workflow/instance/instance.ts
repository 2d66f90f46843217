import { type JsonObject, setMember } from '#json/index.ts';
import type { ProcessState } from '../engine/index.ts';
import { dateValue } from '../expression/index.ts';
import type { StoredVariable } from '../variable/variable.ts';

/** A process instance as it is stored; running while `endedAt` is null. Times are epoch ms. */
export interface Instance {
  readonly id: string;
  readonly definitionId: string;
  readonly definitionKey: string;
  readonly definitionName: string | null;
  readonly deploymentId: number | null;
  /** The instance at the top of the chain of calls; itself when nobody called it. */
  readonly rootId: string;
  readonly caller: { readonly instanceId: string; readonly execution: number } | null;
  readonly businessKey: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly tenantId: string;
  readonly startUserId: string | null;
  readonly startedAt: number;
}

/**
 * A running instance that this unit of work has locked, with its whole tree; or that it has seen without a lock, and
 * what it makes of it is stored only if the tree is still at its revision.
 */
export interface LockedInstance {
  readonly instance: Instance;
  readonly state: ProcessState;
  /** Names of variables that the process or a form has written, in whichever scope. */
  readonly settled: ReadonlySet<string>;
  /** The revision of the tree when it was read; another number at the end means that a script has moved it meanwhile. */
  readonly revision: number;
  /** Nothing of it runs; null when it goes on. */
  readonly suspended: Suspension | null;
}

/** Says that nothing of an instance runs: since when (ISO), by whom, and what it is that was suspended. */
export interface Suspension {
  readonly at: string;
  readonly by: string;
  /** The path of the instance or definition. */
  readonly ref: string;
}

/** What is written of a state: variables have rows of their own. */
export type StoredState = Omit<ProcessState, 'variables'>;

export function withoutVariables({ variables, ...state }: ProcessState): {
  state: StoredState;
  scopes: number[];
} {
  return { state, scopes: Object.keys(variables).map(Number) };
}

export function withVariables(state: StoredState, rows: readonly VariableEntry[]): ProcessState {
  const variables: Record<string, JsonObject> = {};
  for (const [scope, name, value, isDate] of rows) {
    const layer = variables[scope] ?? {};
    setMember(layer, name, isDate && typeof value === 'number' ? dateValue(value) : value);
    variables[scope] = layer;
  }
  return { ...state, variables };
}

export type VariableEntry = readonly [
  scope: number,
  name: string,
  value: JsonObject[string],
  isDate: boolean,
  owner: StoredVariable['owner'],
];
