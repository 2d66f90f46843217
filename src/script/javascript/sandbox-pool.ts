import { type CompiledScript, SCRIPT_NAME } from './compile-script.ts';
import {
  chooseEngine,
  type EngineModule,
  loadEngineModule,
  widenSuspendableStacks,
} from './engine-module.ts';
import { type ScriptPosition, ScriptSyntaxError } from './failures.ts';
import { Occupancy } from './occupancy.ts';
import { QuickJsException } from './quickjs-context.ts';
import type { EngineKind } from './quickjs-module.ts';
import { drawSeed } from './random-seed.ts';
import { brokenEnvironmentError, readOutcome, type SandboxResult } from './run-outcome.ts';
import { type Furnishing, furnishingOf, Sandbox, type SandboxInput, type SandboxOptions } from './sandbox.ts';
import { ScriptCache } from './script-cache.ts';
import { type SandboxRun, ScriptRun, timeLimitError } from './script-run.ts';
import type { ScriptSource } from './script-source.ts';
import type { TextPosition } from './source-edits.ts';
import { Surplus } from './surplus.ts';

export interface SandboxPoolOptions {
  /** Instances that are kept when there is nothing to do; what a burst leaves stays some seconds more. Default 16. */
  readonly size?: number;
  /** Instances at which further runs wait in line, apart from those that another run waits for. Default 64. */
  readonly maxSize?: number;
  /** What one script may allocate. Default 32 MiB; the instance can never have more than 32 MiB beyond it. */
  readonly memoryLimitBytes?: number;
  /** C stack of QuickJS. Default 256 KiB, for the asyncify engine 96 KiB. */
  readonly stackLimitBytes?: number;
  /** Characters of JSON that a run may answer with. Default 8 Mi. */
  readonly resultLimitBytes?: number;
  /** Default: `SVC_SCRIPT_ENGINE`, else the best that this Node can run. */
  readonly engine?: EngineKind;
  /** The engine compiled elsewhere, for instance by the main thread; wins over `engine`. */
  readonly module?: EngineModule;
  /**
   * Code that every script finds in place, evaluated once per instance after our own prelude. Each source is one
   * function expression; it is called with `{ host(operation, ...args), reviveBinding(name, revive) }`.
   */
  readonly libraries?: readonly ScriptSource[];
}

export interface SandboxPoolStats {
  readonly instances: number;
  readonly idle: number;
  readonly waiting: number;
  readonly created: number;
  readonly discarded: number;
  readonly runs: number;
  /** Scripts and modules that QuickJS has compiled; those that it knew are not among them. */
  readonly compiled: number;
}

const DEFAULT_STACK: Readonly<Record<EngineKind, number>> = { jspi: 262_144, asyncify: 98_304 };

/** Runs scripts, each alone in an instance that remembers nothing of earlier runs. For one thread. */
export class SandboxPool {
  readonly #engine: EngineModule;
  readonly #sandboxOptions: SandboxOptions;
  readonly #size: number;
  readonly #maxSize: number;
  readonly #resultLimitBytes: number;
  readonly #cache = new ScriptCache();
  readonly #occupancy = new Occupancy();
  /** What a script required in its last run, so that it is compiled before its next. */
  readonly #modulesOf = new WeakMap<CompiledScript, ReadonlySet<CompiledScript>>();
  /** One that others are made after. */
  #model: Sandbox | undefined;
  readonly #idle: Sandbox[] = [];
  readonly #surplus: Surplus;
  readonly #waiting: PromiseWithResolvers<Sandbox>[] = [];
  #instances = 0;
  #created = 0;
  #discarded = 0;
  #runs = 0;
  #compiled = 0;
  #isClosed = false;

  private constructor(engine: EngineModule, options: SandboxPoolOptions) {
    this.#engine = engine;
    this.#size = options.size ?? 16;
    this.#surplus = new Surplus(this.#size, (count) => this.#shed(count));
    this.#maxSize = Math.max(this.#size, options.maxSize ?? 64);
    this.#resultLimitBytes = options.resultLimitBytes ?? 8_388_608;
    this.#sandboxOptions = {
      memoryBytes: options.memoryLimitBytes ?? 33_554_432,
      stackBytes: options.stackLimitBytes ?? DEFAULT_STACK[engine.kind],
      libraries: options.libraries ?? [],
      fields: engine.fields,
    };
  }

  /** Has one instance ready; the others are made when they are needed (some 10 ms each). */
  static async create(options: SandboxPoolOptions = {}): Promise<SandboxPool> {
    const engine = options.module ?? (await loadEngineModule(options.engine ?? chooseEngine()));
    if (engine.kind === 'jspi') widenSuspendableStacks();
    const pool = new SandboxPool(engine, options);
    pool.#idle.push(await pool.#createSandbox());
    return pool;
  }

  get stats(): SandboxPoolStats {
    return {
      instances: this.#instances,
      idle: this.#idle.length,
      waiting: this.#waiting.length,
      created: this.#created,
      discarded: this.#discarded,
      runs: this.#runs,
      compiled: this.#compiled,
    };
  }

  /**
   * Rejects with ScriptSyntaxError, ScriptThrownError, ScriptLimitError, or the signal's reason. A host call that
   * runs a script itself takes another instance.
   */
  async run(request: SandboxRun): Promise<SandboxResult> {
    const script = this.#cache.getScript(request.script, Object.keys(request.bindings));
    const modules = this.#modulesOf.get(script) ?? [];
    const furnishing = furnishingOf(request.libraries ?? [], modules);
    const sandbox = await this.#acquire(script, furnishing, request.isNested === true);
    try {
      request.signal?.throwIfAborted();
      request.mayBegin?.();
      this.#compiled += prepare(sandbox, request.script, [script, ...modules], furnishing);
      return await this.#runIn(sandbox, script, request);
    } finally {
      this.#release(sandbox);
    }
  }

  /** What the idle instances copy at each restore, all in all. */
  get snapshotBytes(): number {
    return this.#idle.reduce((sum, sandbox) => sum + sandbox.snapshotBytes, 0);
  }

  /** Whether it is a script at all; nothing of it runs. There are no warnings. @throws ScriptSyntaxError */
  check(script: ScriptSource): readonly [] {
    this.#cache.getScript(script, []);
    return [];
  }

  /** Refuses further runs; those in progress end in peace. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closedError());
    this.#surplus.stop();
    this.#instances -= this.#idle.splice(0).length;
  }

  async #runIn(sandbox: Sandbox, script: CompiledScript, request: SandboxRun): Promise<SandboxResult> {
    this.#runs++;
    const names = Object.keys(request.bindings);
    const run = new ScriptRun(request, script.parameters, this.#occupancy, (module, isKnown) => {
      const compiled = this.#cache.getModule(module, names);
      if (!sandbox.has(compiled) && !isKnown(compiled)) sandbox.define(compiled);
      return compiled;
    });
    run.onResume();
    try {
      const outcome = await sandbox.run(script, inputOf(script, request), run);
      if (run.wasInterrupted) throw timeLimitError(request.timeoutMs);
      return readOutcome(outcome, request, {
        resultLimitBytes: this.#resultLimitBytes,
        memoryLimitBytes: this.#sandboxOptions.memoryBytes,
        getError: (reference) => run.getError(reference),
        positionOf: (fileName, place) =>
          fileName === SCRIPT_NAME
            ? { ...script.positionOf(place), fileName: request.script.name }
            : (positionIn(run.modules, fileName, place) ?? run.loadedFiles.positionOf(fileName, place)),
        sourceOf: (fileName) =>
          fileName === request.script.name
            ? script.source
            : ([...run.modules].find(({ name }) => name === fileName)?.source ??
              run.loadedFiles.sourceOf(fileName)),
      });
    } catch (error) {
      if (run.wasInterrupted) throw timeLimitError(request.timeoutMs);
      throw error instanceof QuickJsException ? brokenEnvironmentError(error.message) : error;
    } finally {
      run.dispose();
      if (run.modules.size > 0) this.#modulesOf.set(script, run.modules);
    }
  }

  /**
   * Prefers an instance that has the script ready, then one that holds the libraries that it needs; of several the one
   * used last, whose memory is warm.
   */
  async #acquire(script: CompiledScript, furnishing: Furnishing, isNested: boolean): Promise<Sandbox> {
    if (this.#isClosed) throw closedError();
    const [sandbox] = this.#idle.splice(this.#choose(script, furnishing), 1);
    this.#surplus.note(this.#idle.length);
    if (sandbox !== undefined) return sandbox;
    if (isNested || this.#instances < this.#maxSize) return this.#createSandbox();
    const waiter = Promise.withResolvers<Sandbox>();
    this.#waiting.push(waiter);
    return waiter.promise;
  }

  #choose(script: CompiledScript, furnishing: Furnishing): number {
    const isFurnished = (sandbox: Sandbox) => sandbox.isFurnished(furnishing);
    const ready = this.#idle.findLastIndex((sandbox) => isFurnished(sandbox) && sandbox.has(script));
    return ready >= 0 ? ready : this.#idle.findLastIndex(isFurnished);
  }

  #release(sandbox: Sandbox): void {
    if (sandbox.isUsable && !this.#isClosed) {
      const waiter = this.#waiting.shift();
      if (waiter !== undefined || this.#idle.length < this.#maxSize) {
        if (waiter === undefined) this.#idle.push(sandbox);
        else waiter.resolve(sandbox);
        this.#surplus.note(this.#idle.length);
        return;
      }
    }
    this.#discard(sandbox);
    const waiter = this.#waiting.shift();
    if (waiter !== undefined) this.#createSandbox().then(waiter.resolve, waiter.reject);
  }

  /** Discards so many of the sandboxes that have been idle longest. */
  #shed(count: number): void {
    for (const sandbox of this.#idle.splice(0, count)) this.#discard(sandbox);
    this.#surplus.note(this.#idle.length);
  }

  #discard(sandbox: Sandbox): void {
    this.#instances--;
    this.#discarded++;
    // It would keep its memory as long as it is known here.
    if (sandbox === this.#model) this.#model = this.#idle[0];
  }

  async #createSandbox(): Promise<Sandbox> {
    this.#instances++;
    this.#created++;
    try {
      const sandbox = await (this.#model?.createAnother(this.#engine, this.#sandboxOptions) ??
        Sandbox.create(this.#engine, this.#sandboxOptions));
      this.#model ??= sandbox;
      return sandbox;
    } catch (error) {
      this.#instances--;
      throw error;
    }
  }
}

function inputOf(script: CompiledScript, { bindings, returnBindings = [] }: SandboxRun): SandboxInput {
  return {
    values:
      script.parameters.length === 0
        ? ''
        : JSON.stringify(script.parameters.map((name) => bindings[name] ?? null)),
    returned: returnBindings.length === 0 ? '' : JSON.stringify(returnBindings),
    seed: `[${drawSeed().join()}]`,
  };
}

/** @throws ScriptSyntaxError under the names that their authors know */
function prepare(
  sandbox: Sandbox,
  { name }: ScriptSource,
  scripts: readonly CompiledScript[],
  furnishing: Furnishing,
): number {
  try {
    return sandbox.prepare(
      scripts.filter(({ isShared }) => !isShared),
      furnishing,
    );
  } catch (error) {
    throw error instanceof ScriptSyntaxError && error.fileName === SCRIPT_NAME
      ? new ScriptSyntaxError(error.message, { ...error, fileName: name })
      : error;
  }
}

function positionIn(
  modules: Iterable<CompiledScript>,
  fileName: string,
  place: TextPosition,
): ScriptPosition | undefined {
  return [...modules].find(({ name }) => name === fileName)?.positionOf(place);
}

function closedError(): Error {
  return new Error('The sandbox pool is closed');
}
