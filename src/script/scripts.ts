import type { JsonObject, JsonValue } from '#json/index.ts';
import type { LogLevel } from '#observability/index.ts';
import type { Context } from '#resource/index.ts';
import type { Diagnosis, ScriptScope } from './diagnosis.ts';
import type { HostOperations } from './host-operations.ts';
import type { ScriptReference } from './script-reference.ts';

export interface ScriptCall {
  readonly reference: ScriptReference;
  /** Names an inline script in messages, such as `user onCreate`; default: a hash of it. */
  readonly label?: string;
  /** Request-level variables; they hide `globals` and the configured properties. `context` is always there. */
  readonly bindings: JsonObject;
  /** Variables whose state after the run is wanted back. */
  readonly returnBindings?: readonly string[];
  /** Further functions of the host, by name, for what the bindings of this call can do. */
  readonly operations?: HostOperations;
  /** It reaches `operations`, modules and the log, and neither resources nor secrets nor properties. */
  readonly isAlone?: true;
  /** Told of each line as it is logged, so that the lines of a run that fails are known too. */
  readonly onLog?: (level: LogLevel, message: string) => void;
}

export interface ScriptLogLine {
  readonly level: LogLevel;
  readonly message: string;
}

export interface ScriptOutcome {
  /** `undefined` and functions arrive as null. */
  readonly value: JsonValue;
  /** When the value is a date: milliseconds since the epoch. */
  readonly date?: number;
  readonly bindings: JsonObject;
  readonly log: readonly ScriptLogLine[];
}

/** Runs scripts. Exists only where scripts may run: in a script thread. */
export interface Scripts {
  /** @throws ResourceError: what the script threw, or 400 for one that does not compile */
  evaluate(context: Context, call: ScriptCall): Promise<ScriptOutcome>;
  /** @returns what may be wrong although it compiles, in sentences @throws ResourceError 400 with the compiler's text */
  compile(reference: ScriptReference): Promise<readonly string[]>;
  /** Why it does not compile, or what may be wrong although it does, with the places. @throws ResourceError where there is no such script */
  diagnose(reference: ScriptReference, scope: ScriptScope): Promise<Diagnosis>;
}

/** Stands in where scripts must not run; a request that reaches it was not sent to a script thread. */
export const noScripts: Scripts = {
  evaluate: () => Promise.reject(new Error('This request runs a script outside a script thread')),
  compile: () => Promise.reject(new Error('This request compiles a script outside a script thread')),
  diagnose: () => Promise.reject(new Error('This request compiles a script outside a script thread')),
};
