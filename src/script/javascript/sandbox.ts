import type { CompiledScript } from './compile-script.ts';
import { asLimit, memoryLimitError } from './engine-limits.ts';
import type { EngineModule } from './engine-module.ts';
import { ScriptSyntaxError } from './failures.ts';
import { type MemorySnapshot, SandboxMemory } from './memory-snapshot.ts';
import { PRELUDE } from './prelude.ts';
import {
  type ContextLimits,
  type ContextUser,
  NOBODY,
  QuickJsContext,
  QuickJsException,
} from './quickjs-context.ts';
import { createQuickJs, type Pointer } from './quickjs-module.ts';
import type { ScriptSource } from './script-source.ts';
import { mapStackTrace } from './stack-trace.ts';
import { WASM_PAGE_BYTES } from './webassembly.ts';

export interface SandboxOptions extends ContextLimits {
  readonly libraries: readonly ScriptSource[];
}

/** Fragmentation and the C stack need room above what scripts may allocate. */
const ROOM_ABOVE_LIMIT = 33_554_432;
const MOST_GROWTH = 16_777_216;
/** Memories with different libraries in them, of which each takes some hundred KiB. */
const MOST_BEGINNINGS = 24;
/** Compiled scripts stay in the instance; beyond this it starts over from the prelude. */
const MOST_COMPILED = 256;
const MOST_COMPILED_BYTES = 8_388_608;
const THROWN_NULL = '{"failure":{"thrown":null,"message":"null"}}';

/** What the prelude's `run` is given: JSON, or an empty text for nothing. */
export interface SandboxInput {
  /** Of the script's parameters, in their order. */
  readonly values: string;
  /** The names of the bindings that are wanted back. */
  readonly returned: string;
  readonly seed: string;
}

/** What scripts find in place besides the prelude: every restore copies what it holds. */
export interface Furnishing {
  /** The same for the same things. */
  readonly key: string;
  readonly libraries: readonly ScriptSource[];
  /** Shared modules, which are evaluated. */
  readonly modules: readonly CompiledScript[];
}

const NOTHING: Furnishing = { key: '', libraries: [], modules: [] };

export function furnishingOf(
  libraries: readonly ScriptSource[],
  scripts: Iterable<CompiledScript>,
): Furnishing {
  const modules = [...scripts].filter(({ isShared }) => isShared).sort((one, other) => one.id - other.id);
  if (libraries.length === 0 && modules.length === 0) return NOTHING;
  const key = [...libraries.map(({ name }) => name), ...modules.map(({ id }) => id)].join();
  return { key, libraries, modules };
}

/** Memories as scripts find them, by what is in them; under the empty key that with nothing but the prelude. */
type Beginnings = Map<string, MemorySnapshot>;

/** The functions of the prelude that the host calls. */
interface Entries {
  readonly load: Pointer;
  readonly define: Pointer;
  readonly preload: Pointer;
  readonly run: Pointer;
}

/**
 * One instance of QuickJS: prelude, compiled scripts, and a snapshot of the memory with nothing else in it, to
 * which every run goes back. Runs one script at a time.
 */
export class Sandbox {
  readonly #context: QuickJsContext;
  readonly #memory: SandboxMemory;
  readonly #initialBytes: number;
  readonly #entries: Entries;
  readonly #memoryLimit: number;
  /** Shared by all that are copies of each other. */
  readonly #beginnings: Beginnings;
  readonly #compiled = new Set<number>();
  #furnishing = NOTHING;
  #snapshot: MemorySnapshot;
  #isBroken = false;

  private constructor(
    context: QuickJsContext,
    memory: SandboxMemory,
    entries: Entries,
    memoryLimit: number,
    beginnings: Beginnings,
  ) {
    this.#memoryLimit = memoryLimit;
    this.#context = context;
    this.#memory = memory;
    this.#entries = entries;
    this.#initialBytes = memory.bytes;
    this.#beginnings = beginnings;
    this.#snapshot = beginnings.get('')!;
  }

  static async create(engine: EngineModule, options: SandboxOptions): Promise<Sandbox> {
    const quickjs = await createQuickJs(engine.kind, engine.module, mostPages(options));
    const memory = new SandboxMemory(quickjs, engine.breakAddress);
    const context = new QuickJsContext(engine.kind, quickjs, options);
    const entries = context.stripped(() => loadPrelude(context, options.libraries));
    context.letGarbageGrow(options.memoryBytes / 4);
    const beginnings = new Map([['', memory.takeSnapshot()]]);
    return new Sandbox(context, memory, entries, options.memoryBytes, beginnings);
  }

  /**
   * Another one of the same engine and options, as new: its memory is the snapshot of this one's before any script,
   * which the two share. Large libraries are evaluated once that way.
   */
  async createAnother(engine: EngineModule, options: SandboxOptions): Promise<Sandbox> {
    const quickjs = await createQuickJs(engine.kind, engine.module, mostPages(options));
    // Libraries that need more than a memory starts with; growing it here is not worth the trouble.
    const pristine = this.#beginnings.get('')!;
    if (pristine.end > quickjs.HEAPU8.length) return Sandbox.create(engine, options);
    const memory = new SandboxMemory(quickjs, engine.breakAddress, this.#memory);
    memory.restore(pristine);
    const context = new QuickJsContext(engine.kind, quickjs, options, this.#context);
    return new Sandbox(context, memory, this.#entries, options.memoryBytes, this.#beginnings);
  }

  /** False once its memory can no longer be trusted, or has grown for good. */
  get isUsable(): boolean {
    return !this.#isBroken && this.#memory.bytes - this.#initialBytes <= MOST_GROWTH;
  }

  /** It has not been made ready for any script. */
  get isNew(): boolean {
    return this.#compiled.size === 0 && this.#furnishing === NOTHING;
  }

  get snapshotBytes(): number {
    return this.#snapshot.bytes;
  }

  has(script: CompiledScript): boolean {
    return this.#compiled.has(script.id);
  }

  /** Whether it holds exactly this: who needs nothing pays for nothing. */
  isFurnished(furnishing: Furnishing): boolean {
    return this.#furnishing.key === furnishing.key;
  }

  /** Compiles what is missing, after what the scripts find in place; between runs. @throws ScriptSyntaxError, ScriptLimitError */
  prepare(scripts: readonly CompiledScript[], furnishing: Furnishing): void {
    const missing = scripts.filter((script) => !this.has(script));
    const isReady = this.isFurnished(furnishing);
    if (isReady && missing.length === 0) return;
    const begun = this.#beginnings.get(this.#furnishing.key);
    const isFull =
      this.#compiled.size + missing.length > MOST_COMPILED ||
      this.#snapshot.bytes - (begun?.bytes ?? 0) > MOST_COMPILED_BYTES;
    const starts = isFull || !isReady;
    if (starts) this.#startOver(furnishing);
    const added = starts ? scripts : missing;
    try {
      for (const script of added) this.define(script);
      this.#snapshot = this.#memory.takeSnapshot();
      for (const { id } of added) this.#compiled.add(id);
    } catch (error) {
      if (!this.#isBroken) this.#memory.restore(this.#snapshot);
      throw error;
    }
  }

  /** Compiles one script, for the current run only when there is one. @throws ScriptSyntaxError, ScriptLimitError */
  define(script: CompiledScript): void {
    try {
      // The program first: evaluating the function's text would run what might stand behind the function.
      this.#context.parse(`\n${script.programText}\n`, script.name);
      const fn = this.#context.evaluate(script.functionText, script.name);
      const parameters = this.#context.newString(JSON.stringify(script.parameters));
      this.#context.call(this.#entries.define, [this.#context.newNumber(script.id), fn, parameters]);
    } catch (error) {
      throw this.#compileError(error, script);
    }
  }

  /**
   * Runs a prepared script; the result is the JSON of the prelude's `run`. Afterwards the instance
   * is as if nothing had happened, or not usable. Rejects with QuickJsException, ScriptLimitError, or with what
   * the user's `answer` rejected with.
   */
  async run(script: CompiledScript, input: SandboxInput, user: ContextUser): Promise<string> {
    this.#context.user = user;
    try {
      const text = await this.#call(script, input);
      // With no room left even for the error, QuickJS throws null instead of it.
      if (text === THROWN_NULL && this.#memory.heapBytes > this.#memoryLimit / 2)
        throw memoryLimitError(this.#memoryLimit);
      return text;
    } finally {
      if (!this.#isBroken) this.#memory.restore(this.#snapshot);
      this.#context.user = NOBODY;
    }
  }

  #startOver(furnishing: Furnishing): void {
    this.#compiled.clear();
    this.#furnishing = furnishing;
    const known = this.#beginnings.get(furnishing.key);
    if (known !== undefined && known.end <= this.#memory.bytes) {
      this.#memory.restore(known);
      this.#snapshot = known;
    } else this.#furnish(furnishing);
    for (const { id } of furnishing.modules) this.#compiled.add(id);
  }

  #furnish({ key, libraries, modules }: Furnishing): void {
    const pristine = this.#beginnings.get('')!;
    this.#memory.restore(pristine);
    this.#snapshot = pristine;
    try {
      this.#context.stripped(() => {
        for (const library of libraries) loadLibrary(this.#context, this.#entries.load, library);
        for (const module of modules) this.#preload(module);
      });
    } catch (error) {
      if (!this.#isBroken) this.#memory.restore(pristine);
      this.#furnishing = NOTHING;
      throw error;
    }
    this.#snapshot = this.#memory.takeSnapshot();
    const [, oldest] = this.#beginnings.keys();
    if (this.#beginnings.size > MOST_BEGINNINGS && oldest !== undefined) this.#beginnings.delete(oldest);
    this.#beginnings.set(key, this.#snapshot);
  }

  #preload(module: CompiledScript): void {
    this.define(module);
    try {
      const id = this.#context.newString(module.name);
      this.#context.call(this.#entries.preload, [id, this.#context.newNumber(module.id)]);
    } catch (error) {
      throw this.#compileError(error, module);
    }
  }

  async #call(script: CompiledScript, input: SandboxInput): Promise<string> {
    try {
      const texts = [input.values, input.returned, input.seed];
      const args = [
        this.#context.newNumber(script.id),
        ...texts.map((text) => this.#context.newString(text)),
      ];
      const result = await this.#context.callSuspendable(this.#entries.run, args);
      return this.#context.getString(result);
    } catch (error) {
      if (!(error instanceof QuickJsException) || this.#context.wasAbandoned) this.#isBroken = true;
      if (this.#lacksRoom(error)) throw memoryLimitError(this.#memoryLimit);
      throw asLimit(error, this.#memoryLimit) ?? error;
    }
  }

  /** With no room left even for the error, QuickJS throws null instead of it. */
  #lacksRoom(error: unknown): boolean {
    const isNull = error instanceof QuickJsException && error.message === 'null';
    return isNull && this.#memory.heapBytes > this.#memoryLimit / 2;
  }

  #compileError(error: unknown, script: CompiledScript): unknown {
    if (!(error instanceof QuickJsException)) this.#isBroken = true;
    const limit = asLimit(error, this.#memoryLimit);
    if (limit !== undefined || !(error instanceof QuickJsException)) return limit ?? error;
    const { position } = mapStackTrace(error.quickJsStack, (_fileName, place) => script.positionOf(place));
    return new ScriptSyntaxError(error.message, position ?? { fileName: script.name, line: 1, column: 1 });
  }
}

function mostPages({ memoryBytes }: SandboxOptions): number {
  return Math.ceil((memoryBytes + ROOM_ABOVE_LIMIT) / WASM_PAGE_BYTES);
}

function loadPrelude(context: QuickJsContext, libraries: readonly ScriptSource[]): Entries {
  const [first, ...others] = PRELUDE;
  const start = context.evaluate(first!.source, first!.name);
  const record = context.call(start, [context.newHostFunction()]);
  const load = context.getProperty(record, 'load');
  for (const library of [...others, ...libraries]) loadLibrary(context, load, library);
  return {
    load,
    define: context.getProperty(record, 'define'),
    preload: context.getProperty(record, 'preload'),
    run: context.getProperty(record, 'run'),
  };
}

function loadLibrary(context: QuickJsContext, load: Pointer, { source, name }: ScriptSource): void {
  const library = context.evaluate(source, name);
  context.call(load, [library]);
  // Its own code is never needed again, only what it made.
  context.free(library);
}
