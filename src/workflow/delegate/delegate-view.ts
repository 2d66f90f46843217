import type { JsonObject, JsonValue } from '#json/index.ts';
import type { ExecutionView } from '../engine/index.ts';
import { dateOf, dateValue, isoOfDate } from '../expression/index.ts';

/** What a delegate of the project sees of an execution: dates are dates. */
export type DelegateExecution = Omit<
  ExecutionView,
  | 'getVariable'
  | 'getVariableLocal'
  | 'getVariables'
  | 'getVariablesLocal'
  | 'setVariable'
  | 'setVariableLocal'
  | 'setTransientVariable'
> & {
  getVariable(name: string): JsonValue | Date | undefined;
  getVariableLocal(name: string): JsonValue | Date | undefined;
  getVariables(): Record<string, JsonValue | Date>;
  getVariablesLocal(): Record<string, JsonValue | Date>;
  setVariable(name: string, value: JsonValue | Date): void;
  setVariableLocal(name: string, value: JsonValue | Date): void;
  setTransientVariable(name: string, value: JsonValue | Date): void;
};

export function delegateExecution(execution: ExecutionView): DelegateExecution {
  const writing =
    (write: (name: string, value: JsonValue) => void) => (name: string, value: JsonValue | Date) =>
      write(name, fromDelegate(value) ?? null);
  return {
    ...execution,
    get businessKey() {
      return execution.businessKey;
    },
    getVariable: (name) => toDelegate(execution.getVariable(name)),
    getVariableLocal: (name) => toDelegate(execution.getVariableLocal(name)),
    getVariables: () => withDates(execution.getVariables()),
    getVariablesLocal: () => withDates(execution.getVariablesLocal()),
    setVariable: writing(execution.setVariable),
    setVariableLocal: writing(execution.setVariableLocal),
    setTransientVariable: writing(execution.setTransientVariable),
  };
}

/** What a delegate returned or stores, as a variable. */
export function fromDelegate(value: unknown): JsonValue | undefined {
  if (value === undefined) return undefined;
  if (value instanceof Date) return dateValue(value.getTime());
  return JSON.parse(JSON.stringify(value ?? null));
}

export function withDates(values: JsonObject): Record<string, JsonValue | Date> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toDelegate(value) ?? null]));
}

/** Fields of what leaves the house. */
export function withIsoDates(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isoOfDate(value)]));
}

function toDelegate<T extends JsonValue | undefined>(value: T): T | Date {
  const ms = dateOf(value);
  return ms === undefined ? value : new Date(ms);
}
