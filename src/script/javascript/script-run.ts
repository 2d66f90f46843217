import { BadRequestError, InternalServerError, ResourceError, toResourceError } from '#errors/index.ts';
import {
  getMember,
  isObject,
  isTooDeep,
  type JsonObject,
  type JsonValue,
  MOST_LEVELS,
  setMember,
} from '#json/index.ts';
import { monotonicMs } from '#time/index.ts';
import type { CompiledScript } from './compile-script.ts';
import { ScriptLimitError, ScriptSyntaxError } from './failures.ts';
import { LoadedFiles, readLoadedFile } from './loaded-file.ts';
import type { Occupancy, Occupant } from './occupancy.ts';
import type { ContextUser } from './quickjs-context.ts';
import type { ModuleSource, ScriptSource } from './script-source.ts';

/** One run of one script. */
export interface SandboxRun {
  readonly script: ScriptSource;
  /** What this script needs besides the libraries of the pool; as those, in this order. */
  readonly libraries?: readonly ScriptSource[];
  /** Each member is a variable of the script; names that cannot be variables are left out. */
  readonly bindings: JsonObject;
  /** The bindings whose state after the run is wanted. */
  readonly returnBindings?: readonly string[];
  /** Answers the script's calls. The operation and its arguments come from the script: trust neither. */
  readonly host: (operation: string, args: JsonValue[]) => Promise<JsonValue>;
  /** Another run waits for this one: it never waits in line, or all could wait for each other. */
  readonly isNested?: boolean;
  /** Wall clock from the start of the script, host calls included, but not while other scripts hold the thread. */
  readonly timeoutMs: number;
  /** Aborted: the run ends with the signal's reason at its next host call, or at once when it waits in one. */
  readonly signal?: AbortSignal;
  /** Asked right before the script begins. @throws when it is not to */
  readonly mayBegin?: () => void;
  /** The script starts to hold this thread, and must have let go of it at `deadline`, by `monotonicMs`. */
  readonly onEnter?: (deadline: number) => void;
  readonly onLeave?: () => void;
  /** Adds ` (file#line)` to the message of what the script throws. */
  readonly debugInfo?: boolean;
}

/** Compiles a module for the current run; what the prelude's `require` looks up by its id. */
export type ModuleCompiler = (
  module: ModuleSource,
  isKnown: (compiled: CompiledScript) => boolean,
) => CompiledScript;

/**
 * Each promise that was being made swallows the interrupt, and the code around it ends by one of its own. A run that
 * has a thousand of them left after so long is torn off, and its instance is lost.
 */
const LONGEST_UNWINDING_MS = 50;

/** A text of so many characters has no room for too many levels. */
export const SHALLOW_LENGTH = 2 * MOST_LEVELS;

/** A run in progress: its deadline, its calls of the host, the errors that it may still throw. */
export class ScriptRun implements ContextUser, Occupant {
  /** The modules that were required, so that the next run finds them compiled. */
  readonly modules = new Set<CompiledScript>();
  readonly loadedFiles = new LoadedFiles();
  #interruptedAt: number | undefined;
  readonly #request: SandboxRun;
  readonly #occupancy: Occupancy;
  readonly #compileModule: ModuleCompiler;
  /** When its time is over, the time that others have taken aside. */
  readonly #deadline: number;
  readonly #heldBefore: number;
  #ownMs = 0;
  #enteredAt: number | undefined;
  readonly #errors: ResourceError[] = [];
  /** The bindings that are in the sandbox; the others go there when a module mentions them. */
  readonly #sent: Set<string>;
  /** Set once the run must not go on, with the reason. */
  #end: { readonly reason: unknown } | undefined;
  #endWait: (reason: unknown) => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  /** @param parameters the bindings that the script itself is called with */
  constructor(
    request: SandboxRun,
    parameters: readonly string[],
    occupancy: Occupancy,
    compileModule: ModuleCompiler,
  ) {
    this.#request = request;
    this.#sent = new Set(parameters);
    this.#occupancy = occupancy;
    this.#compileModule = compileModule;
    this.#deadline = performance.now() + request.timeoutMs;
    this.#heldBefore = occupancy.heldMs;
    request.signal?.addEventListener('abort', this.#onAbort);
    if (request.signal?.aborted) this.#onAbort();
  }

  get wasInterrupted(): boolean {
    return this.#interruptedAt !== undefined;
  }

  /** The original of an error that the script got from the host. */
  getError(reference: number): ResourceError | undefined {
    return this.#errors[reference];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.onSuspend();
  }

  enter(): void {
    this.#enteredAt = performance.now();
    this.#request.onEnter?.(monotonicMs() + this.#deadlineNow() - performance.now());
  }

  leave(): void {
    if (this.#enteredAt !== undefined) this.#ownMs += performance.now() - this.#enteredAt;
    this.#enteredAt = undefined;
    this.#request.onLeave?.();
  }

  onSuspend(): void {
    this.#occupancy.leave(this);
  }

  onResume(): void {
    this.#occupancy.enter(this);
  }

  shouldInterrupt(): boolean {
    // Asked very often; before the deadline as it was at first it is not over in any case.
    const now = performance.now();
    if (now < this.#deadline || now < this.#deadlineNow()) return false;
    this.#interruptedAt ??= now;
    if (now > this.#interruptedAt + LONGEST_UNWINDING_MS) throw timeLimitError(this.#request.timeoutMs);
    return true;
  }

  async answer(operation: string, argsText: string): Promise<string> {
    if (performance.now() >= this.#deadlineNow()) throw timeLimitError(this.#request.timeoutMs);
    if (this.#end !== undefined) throw this.#end.reason;
    // One timer serves all calls of the run; a run that calls nobody needs none, the interrupt ends it.
    this.#timer ??= setTimeout(this.#onTimer, this.#deadlineNow() - performance.now());
    return new Promise((resolve, reject) => {
      this.#endWait = reject;
      this.#callHost(operation, argsText).then(resolve, reject);
    });
  }

  async #callHost(operation: string, argsText: string): Promise<string> {
    try {
      const args: unknown = JSON.parse(argsText);
      if (!Array.isArray(args)) throw new BadRequestError(`The arguments of ${operation} are not a list`);
      if (argsText.length > SHALLOW_LENGTH && isTooDeep(args)) {
        throw new BadRequestError(`An argument of ${operation} is nested deeper than ${MOST_LEVELS} levels`);
      }
      const value = (await this.#request.host(operation, args)) ?? null;
      const answer = this.#admit(operation, value);
      return `[${JSON.stringify(answer)}]`;
    } catch (error) {
      const failure = error instanceof ScriptSyntaxError ? notCompiled(error) : toResourceError(error);
      const reference = this.#errors.push(failure) - 1;
      const cause = failure.cause instanceof ResourceError ? { message: failure.cause.message } : undefined;
      return JSON.stringify([null, { ...failure.toJSON(), cause }, reference]);
    }
  }

  #admit(operation: string, value: JsonValue): JsonValue {
    if (operation !== 'require.resolve' && operation !== 'load.resolve') return value;
    if (!isObject(value) || typeof value['id'] !== 'string' || typeof value['source'] !== 'string') {
      throw new TypeError(`${operation} must answer with id and source`);
    }
    const source = { name: value['id'], source: value['source'] };
    if (operation === 'require.resolve') return this.#admitModule(source, value['isShared'] === true);
    const { text, functions, bindings } = readLoadedFile(source, Object.keys(this.#request.bindings));
    return {
      text: this.loadedFiles.place(source.name, text),
      functions: [...functions],
      bindings: [...bindings],
      values: this.#unsent(bindings),
    };
  }

  #admitModule(source: ScriptSource, isShared: boolean): JsonValue {
    const module = { ...source, isShared };
    const compiled = this.#compileModule(module, (known) => this.modules.has(known));
    this.modules.add(compiled);
    return { id: source.name, compiledAs: compiled.id, values: this.#unsent(compiled.parameters) };
  }

  /** The values of those bindings that are not in the sandbox yet; afterwards they are. */
  #unsent(names: readonly string[]): JsonObject {
    const values: JsonObject = {};
    for (const name of names) {
      if (this.#sent.has(name)) continue;
      this.#sent.add(name);
      setMember(values, name, getMember(this.#request.bindings, name) ?? null);
    }
    return values;
  }

  /** A script that holds the thread must not use up the time of those that wait for it to let go. */
  #deadlineNow(): number {
    const own = this.#ownMs + (this.#enteredAt === undefined ? 0 : performance.now() - this.#enteredAt);
    return this.#deadline + (this.#occupancy.heldMs - this.#heldBefore - own);
  }

  readonly #onTimer = (): void => {
    const left = this.#deadlineNow() - performance.now();
    if (left > 0) this.#timer = setTimeout(this.#onTimer, left);
    else this.#endWith(timeLimitError(this.#request.timeoutMs));
  };

  readonly #onAbort = (): void => {
    this.#endWith(this.#request.signal?.reason);
  };

  #endWith(reason: unknown): void {
    this.#end ??= { reason };
    this.#endWait(reason);
  }
}

/** The error for a module or a file that the script wanted and that does not compile. */
function notCompiled(error: ScriptSyntaxError): ResourceError {
  const { fileName, line, message } = error;
  return new InternalServerError(`'${fileName}' does not compile: ${message} (line ${line})`, {
    cause: error,
  });
}

export function timeLimitError(timeoutMs: number): ScriptLimitError {
  return new ScriptLimitError('time', (subject) => `${subject} did not end within ${timeoutMs} ms`);
}
