import { LRUCache } from 'lru-cache';
import type { CompiledScript } from './compile-script.ts';
import { asLimit, memoryLimitError } from './engine-limits.ts';
import type { EngineModule } from './engine-module.ts';
import { ScriptSyntaxError } from './failures.ts';
import { type MemorySnapshot, SandboxMemory, type SnapshotDelta } from './memory-snapshot.ts';
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
/** What is kept of compiled scripts, some 7 KiB of a short one; one that is not kept is compiled again. */
const MOST_COMPILED_BYTES = 33_554_432;
const THROWN_NULL = '{"failure":{"thrown":null,"message":"null"}}';

/** What the prelude's `run` is given: JSON, or an empty text for nothing. */
export interface SandboxInput {
  /** The values of the script's parameters, in their order. */
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

/** A memory as a run finds it. */
interface Image {
  readonly snapshot: MemorySnapshot | SnapshotDelta;
  /** Ids of the compiled scripts in it. */
  readonly scripts: ReadonlySet<number>;
}

/**
 * Memories of instances that are copies of each other, so that what one of them has compiled all of them know: with
 * different libraries in them, under the empty key that with nothing but the prelude; and those with scripts.
 */
class Images {
  readonly pristine: MemorySnapshot;
  readonly beginnings = new LRUCache<string, MemorySnapshot>({ max: MOST_BEGINNINGS });
  readonly prepared = new LRUCache<string, Image & { readonly snapshot: SnapshotDelta }>({
    maxSize: MOST_COMPILED_BYTES,
    sizeCalculation: ({ snapshot }) => snapshot.ownBytes + 1,
  });

  constructor(pristine: MemorySnapshot) {
    this.pristine = pristine;
  }
}

/** The functions of the prelude that the host calls. */
interface Entries {
  readonly load: Pointer;
  readonly define: Pointer;
  readonly preload: Pointer;
  readonly run: Pointer;
}

/**
 * One instance of QuickJS, and the memory with the prelude, libraries and compiled scripts and nothing else in it, to
 * which every run goes back. Runs one script at a time.
 */
export class Sandbox {
  readonly #context: QuickJsContext;
  readonly #memory: SandboxMemory;
  readonly #initialBytes: number;
  readonly #entries: Entries;
  readonly #memoryLimit: number;
  readonly #images: Images;
  #furnishing = NOTHING;
  #image: Image;
  #isBroken = false;

  private constructor(
    context: QuickJsContext,
    memory: SandboxMemory,
    entries: Entries,
    memoryLimit: number,
    images: Images,
  ) {
    this.#memoryLimit = memoryLimit;
    this.#context = context;
    this.#memory = memory;
    this.#entries = entries;
    this.#initialBytes = memory.bytes;
    this.#images = images;
    this.#image = { snapshot: images.pristine, scripts: new Set() };
  }

  static async create(engine: EngineModule, options: SandboxOptions): Promise<Sandbox> {
    const quickjs = await createQuickJs(engine.kind, engine.module, mostPages(options));
    const memory = new SandboxMemory(quickjs, engine.breakAddress);
    const context = new QuickJsContext(engine.kind, quickjs, options);
    const entries = context.stripped(() => loadPrelude(context, options.libraries));
    context.letGarbageGrow(options.memoryBytes / 4);
    return new Sandbox(context, memory, entries, options.memoryBytes, new Images(memory.takeSnapshot()));
  }

  /**
   * Another one of the same engine and options, as new: its memory is the snapshot of this one's before any script,
   * which the two share. Large libraries are evaluated once that way.
   */
  async createAnother(engine: EngineModule, options: SandboxOptions): Promise<Sandbox> {
    const quickjs = await createQuickJs(engine.kind, engine.module, mostPages(options));
    // Libraries that need more than a memory starts with; growing it here is not worth the trouble.
    const { pristine } = this.#images;
    if (pristine.end > quickjs.HEAPU8.length) return Sandbox.create(engine, options);
    const memory = new SandboxMemory(quickjs, engine.breakAddress, this.#memory);
    memory.restore(pristine);
    const context = new QuickJsContext(engine.kind, quickjs, options, this.#context);
    return new Sandbox(context, memory, this.#entries, options.memoryBytes, this.#images);
  }

  /** False once its memory can no longer be trusted, or has grown for good. */
  get isUsable(): boolean {
    return !this.#isBroken && this.#memory.bytes - this.#initialBytes <= MOST_GROWTH;
  }

  get snapshotBytes(): number {
    return this.#image.snapshot.bytes;
  }

  has(script: CompiledScript): boolean {
    return this.#image.scripts.has(script.id);
  }

  /** Whether it holds exactly this: who needs nothing pays for nothing. */
  isFurnished(furnishing: Furnishing): boolean {
    return this.#furnishing.key === furnishing.key;
  }

  /**
   * Has these scripts ready beside what they find in place, and no others; between runs.
   *
   * @returns how many had to be compiled
   * @throws ScriptSyntaxError, ScriptLimitError
   */
  prepare(added: readonly CompiledScript[], furnishing: Furnishing): number {
    const isComplete = this.#image.scripts.size === added.length + furnishing.modules.length;
    if (this.isFurnished(furnishing) && isComplete && added.every((script) => this.has(script))) return 0;
    const key = `${furnishing.key}|${added.map(({ id }) => id).join()}`;
    const known = this.#images.prepared.get(key);
    if (known !== undefined && known.snapshot.end <= this.#memory.bytes) {
      this.#furnishing = furnishing;
      this.#goTo(known);
      return 0;
    }
    const beginning = this.#begin(furnishing);
    try {
      for (const script of added) this.define(script);
      const snapshot = this.#memory.takeDelta(beginning);
      const image = { snapshot, scripts: new Set([...this.#image.scripts, ...added.map(({ id }) => id)]) };
      this.#images.prepared.set(key, image);
      this.#image = image;
      return added.length;
    } catch (error) {
      if (!this.#isBroken) this.#memory.restore(beginning);
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
      if (!this.#isBroken) this.#memory.restore(this.#image.snapshot);
      this.#context.user = NOBODY;
    }
  }

  /** Goes to the memory with these libraries and modules and no script. */
  #begin(furnishing: Furnishing): MemorySnapshot {
    const { beginnings, pristine } = this.#images;
    const known = furnishing === NOTHING ? pristine : beginnings.get(furnishing.key);
    const isReady = known !== undefined && known.end <= this.#memory.bytes;
    const snapshot = isReady ? known : this.#furnish(furnishing);
    this.#furnishing = furnishing;
    this.#goTo({ snapshot, scripts: new Set(furnishing.modules.map(({ id }) => id)) });
    return snapshot;
  }

  #goTo(image: Image): void {
    this.#image = image;
    this.#memory.restore(image.snapshot);
  }

  #furnish({ key, libraries, modules }: Furnishing): MemorySnapshot {
    const { beginnings, pristine } = this.#images;
    this.#furnishing = NOTHING;
    this.#goTo({ snapshot: pristine, scripts: new Set() });
    try {
      this.#context.stripped(() => {
        for (const library of libraries) loadLibrary(this.#context, this.#entries.load, library);
        for (const module of modules) this.#preload(module);
      });
    } catch (error) {
      if (!this.#isBroken) this.#memory.restore(pristine);
      throw error;
    }
    const snapshot = this.#memory.takeSnapshot();
    beginnings.set(key, snapshot);
    return snapshot;
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
