import { Closure } from './closure.ts';
import { outside } from './dispatch-port.ts';
import { toGroovy, toHostArgument, toJson } from './host-values.ts';
import { operations } from './operations.ts';
import { requestOf } from './request.ts';
import { Binding, Script } from './script.ts';
import { throwableMessage, toText } from './text.ts';
import { Throwable } from './throwable.ts';

/** What the prelude hands to a library. */
export interface SandboxRecord {
  host(operation: string, ...args: unknown[]): unknown;
  reviveBinding(name: string, revive: (value: unknown) => unknown): void;
  /** The modules of the library that are here, by name. */
  readonly groovyModules: Readonly<Record<string, unknown>>;
  contextNameOf(object: object): string | undefined;
  markContext(object: object, name: string): void;
}

/** What the host binds for a Groovy script: the caller's variables, and the names of those it wants back. */
export interface RunInput {
  readonly bindings: Record<string, unknown>;
  readonly returned: readonly string[];
}

type Factory = (runtime: typeof operations, script: Script) => () => unknown;

/** The binding whose members are variables that the caller wants back, with what the script adds to them. */
const VARIABLES = '$variables';
/** Variables of that kind that are no data. */
const NOT_DATA = new Set(['out', 'out:print', 'lang:import', 'context', 'elcontext', 'print', 'println']);

const GLOBALS = ['svc', 'identityServer', 'console', 'logger'] as const;

export interface RunOptions {
  /** What becomes of the value of the script; tests look closer than JSON can. */
  readonly result: (value: unknown, script: Script) => unknown;
  /** What becomes of an error. */
  readonly failure: (error: unknown) => unknown;
}

export const RUN_OPTIONS: RunOptions = { result: toResult, failure: describeFailure };

/** One run of one script; stands in the place of the binding that the generated code calls. */
export class Run {
  readonly #script: Script;
  readonly #input: RunInput;
  readonly #options: RunOptions;

  constructor(
    input: RunInput,
    revivers: ReadonlyMap<string, (value: unknown) => unknown>,
    options: RunOptions,
  ) {
    const given = new Map<string, () => unknown>();
    for (const name of Object.keys(input.bindings)) {
      const revive = revivers.get(name) ?? revivers.get('*');
      const value = input.bindings[name];
      given.set(name, () =>
        name === 'request' ? requestOf(value) : toGroovy(revive === undefined ? value : revive(value)),
      );
    }
    const variables = input.bindings[VARIABLES] as Record<string, unknown> | undefined;
    const reviveAny = revivers.get('*') ?? ((value: unknown) => value);
    for (const name in variables) given.set(name, () => toGroovy(reviveAny(variables[name])));
    const globals = globalThis as unknown as Record<string, unknown>;
    for (const name of GLOBALS) {
      if (typeof globals[name] === 'object') given.set(name, () => toGroovy(globals[name]));
    }
    this.#script = new Script(new Binding(given));
    this.#input = input;
    this.#options = options;
  }

  run(factory: Factory): unknown {
    try {
      return this.#options.result(factory(operations, this.#script)(), this.#script);
    } catch (error) {
      throw this.#options.failure(error);
    } finally {
      flush();
    }
  }

  /** The caller's variables as the script left them: what it changed inside them, not what it assigned. */
  toJSON(): unknown {
    const state: Record<string, unknown> = {};
    for (const name of this.#input.returned) {
      state[name] = name === VARIABLES ? this.#assigned() : toJson(this.#script.binding.initial(name));
    }
    return state;
  }

  /** Those of the caller as the script left them, and those that it made. */
  #assigned(): unknown {
    const result: Record<string, unknown> = Object.create(null);
    const given = this.#input.bindings;
    for (const { key, value } of this.#script.binding.all().list()) {
      const name = toText(key);
      const isOurs = name in given || NOT_DATA.has(name) || GLOBALS.some((known) => known === name);
      if (!isOurs && !(value instanceof Closure)) result[name] = variableOf(value);
    }
    return result;
  }
}

/** A date is told apart from a number, because it is one of a process afterwards. */
function variableOf(value: unknown): unknown {
  const json = toHostArgument(value);
  return json instanceof Date ? { $date: json.getTime() } : json;
}

/** As JSON a date is milliseconds. */
function toResult(value: unknown): unknown {
  const json = toHostArgument(value);
  return json instanceof Date ? Object.assign(json, { toJSON: () => json.getTime() }) : json;
}

/** The error that tells the host what its own scripts would: code, reason and detail, or only a text. */
function describeFailure(error: unknown): unknown {
  if (!(error instanceof Throwable)) return error;
  if (error.origin !== undefined) return error.origin;
  const message = throwableMessage(error) ?? error.type.name;
  const told = new Error(message);
  // Where it was made is what the author wants to see.
  Object.defineProperty(told, 'stack', { value: error.stack, configurable: true });
  Object.defineProperty(told, 'name', { value: error.type.name, configurable: true });
  Object.defineProperty(told, 'toString', { value: () => message });
  for (const name of ['code', 'reason', 'detail']) {
    if (name in error.fields) (told as unknown as Record<string, unknown>)[name] = toJson(error.fields[name]);
  }
  const { errorCode } = error.fields;
  if (errorCode !== undefined) Object.assign(told, { code: 500, detail: { bpmnError: toText(errorCode) } });
  return told;
}

let line = '';

/** Prints whole lines. */
function print(text: string): void {
  const lines = (line + text).split('\n');
  line = lines.pop()!;
  for (const each of lines) outside.host('console.log', each);
}

function flush(): void {
  if (line === '') return;
  outside.host('console.log', line);
  line = '';
}

// biome-ignore lint/security/noGlobalEval: the text is the library itself, and this is the sandbox
const evaluate = globalThis.eval;

/** Parts of the library that a run turns out to need: scripts can put names together. */
function libraryLoader(sandbox: SandboxRecord): (name: string) => boolean {
  const asked = new Set<string>();
  return (name) => {
    if (asked.has(name)) return false;
    asked.add(name);
    const parts = outside.host('groovy.library', name) as { name: string; source: string }[];
    const missing = parts.filter((part) => sandbox.groovyModules[part.name] === undefined);
    for (const { source } of missing) evaluate(source)(sandbox);
    return missing.length > 0;
  };
}

export function connect(sandbox: SandboxRecord, options: RunOptions = RUN_OPTIONS): void {
  const revivers = new Map<string, (value: unknown) => unknown>();
  const { reviveBinding } = sandbox;
  sandbox.reviveBinding = (name, revive) => {
    revivers.set(name, revive);
    reviveBinding(name, revive);
  };
  outside.host = (operation, ...args) => sandbox.host(operation, ...args);
  outside.print = print;
  outside.loads = libraryLoader(sandbox);
  reviveBinding('groovy$', (input) => new Run(input as RunInput, revivers, options));
}
