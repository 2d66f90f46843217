import { Closure } from './closure.ts';
import { type AskHost, type LibraryPart, outside } from './dispatch-port.ts';
import { HostObject } from './host-object.ts';
import { requests, toGroovy, toHostArgument, toJson } from './host-values.ts';
import { jsonToGroovy } from './json-map.ts';
import { operations } from './operations.ts';
import { Binding, type Given, Script } from './script.ts';
import { throwableMessage, toText } from './text.ts';
import { Throwable } from './throwable.ts';

/** What the prelude hands to a library. */
export interface SandboxRecord {
  host: AskHost;
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

/** Whether the host has bound it; `svc` may have a further name. */
function isGlobal(name: string): boolean {
  return GLOBALS.some((known) => known === name) || isSvc(name);
}

function isSvc(name: string): boolean {
  const svc: unknown = Reflect.get(globalThis, 'svc');
  return svc !== undefined && Object.hasOwn(globalThis, name) && Reflect.get(globalThis, name) === svc;
}

function globalOf(name: string): object | undefined {
  if (!isGlobal(name)) return undefined;
  const value: unknown = Reflect.get(globalThis, name);
  return typeof value === 'object' && value !== null ? value : undefined;
}

type Revivers = ReadonlyMap<string, (value: unknown) => unknown>;

export interface RunOptions {
  /** What becomes of the value of the script; tests look closer than JSON can. */
  readonly result: (value: unknown, script: Script) => unknown;
  /** What becomes of an error. */
  readonly failure: (error: unknown) => unknown;
}

const RUN_OPTIONS: RunOptions = { result: toResult, failure: describeFailure };

/** Their answers are JSON of which nobody else knows. */
function resourceFunctions(svc: object): HostObject {
  return new HostObject(svc, jsonToGroovy, toHostArgument);
}

/** One run of one script; stands in the place of the binding that the generated code calls. */
export class Run implements Given {
  readonly #script: Script;
  readonly #input: RunInput;
  readonly #revivers: Revivers;
  readonly #options: RunOptions;

  constructor(input: RunInput, revivers: Revivers, options: RunOptions) {
    this.#input = input;
    this.#revivers = revivers;
    this.#options = options;
    this.#script = new Script(new Binding(this));
  }

  get names(): readonly string[] {
    return [
      ...Object.keys(this.#input.bindings),
      ...Object.keys(this.#variables ?? {}),
      ...GLOBALS.filter((name) => globalOf(name) !== undefined),
    ];
  }

  get #variables(): object | undefined {
    const variables = this.#input.bindings[VARIABLES];
    return typeof variables === 'object' && variables !== null ? variables : undefined;
  }

  has(name: string): boolean {
    const { bindings } = this.#input;
    const variables = this.#variables;
    return name in bindings || (variables !== undefined && name in variables) || globalOf(name) !== undefined;
  }

  make(name: string): unknown {
    const global = globalOf(name);
    if (global !== undefined) return isSvc(name) ? resourceFunctions(global) : toGroovy(global);
    const { bindings } = this.#input;
    const variables = this.#variables;
    if (variables !== undefined && name in variables)
      return toGroovy(this.#revived(Reflect.get(variables, name)));
    if (!(name in bindings)) return undefined;
    const value = bindings[name];
    if (name === 'request') return requests.make(value);
    const revive = this.#revivers.get(name);
    if (revive !== undefined) return toGroovy(revive(value));
    const revived = this.#revived(value);
    return revived === value ? jsonToGroovy(value) : toGroovy(revived);
  }

  /** A date of a process, of any name. */
  #revived(value: unknown): unknown {
    const revive = this.#revivers.get('*');
    return revive === undefined ? value : revive(value);
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

  /** The variables of the caller as the script left them, and those that it made. */
  #assigned(): unknown {
    const result: Record<string, unknown> = Object.create(null);
    const given = this.#input.bindings;
    for (const { key, value } of this.#script.binding.all().list()) {
      const name = toText(key);
      const isOurs = name in given || NOT_DATA.has(name) || isGlobal(name);
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
    if (name in error.fields) Object.assign(told, { [name]: toJson(error.fields[name]) });
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
function libraryLoader(): (name: string) => boolean {
  const asked = new Set<string>();
  return (name) => {
    if (asked.has(name)) return false;
    asked.add(name);
    return outside.take(outside.host('groovy.library', name));
  };
}

/** Adds those that are not here yet. */
function partTaker(sandbox: SandboxRecord): (parts: readonly LibraryPart[]) => boolean {
  return (parts) => {
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
  outside.take = partTaker(sandbox);
  outside.loads = libraryLoader();
  reviveBinding('groovy$', (input) => new Run(input as RunInput, revivers, options));
}
