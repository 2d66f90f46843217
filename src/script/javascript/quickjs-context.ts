import { InterruptPace } from './interrupt-pace.ts';
import type { EngineKind, Pointer, QuickJsModule } from './quickjs-module.ts';
import {
  findInterruptCounter,
  type RuntimeFields,
  setGcThreshold,
  setInterruptCounter,
  setStripping,
} from './runtime-fields.ts';
import { type WasmFunction, wasm } from './webassembly.ts';

export interface ContextLimits {
  readonly memoryBytes: number;
  readonly stackBytes: number;
  /** Absent where the build does not show them. */
  readonly fields?: RuntimeFields | undefined;
}

/** What QuickJS tells of an exception in code that is not a script's: its name, message and stack. */
export class QuickJsException extends Error {
  override readonly name = 'QuickJsException';
  readonly thrownName: string;
  readonly quickJsStack: string;

  constructor(thrownName: string, message: string, quickJsStack: string) {
    super(message);
    this.thrownName = thrownName;
    this.quickJsStack = quickJsStack;
  }
}

/** Whoever has code run in the context at the moment. */
export interface ContextUser {
  /**
   * Asked again and again; true ends the code with an exception that it cannot catch. Throwing tears the code off,
   * and leaves the context unusable.
   */
  shouldInterrupt(): boolean;
  /** The code waits for the host from here on, and the thread is free. */
  onSuspend(): void;
  /** Called directly before the code goes on. */
  onResume(): void;
  /** Answers a host call. A rejection ends the call that runs the code, and leaves the context unusable. */
  answer(operation: string, args: string): Promise<string>;
}

/** The user of the context between runs. */
export const NOBODY: ContextUser = {
  shouldInterrupt: () => false,
  onSuspend: () => {},
  onResume: () => {},
  answer: () => Promise.reject(new Error('Host functions can be called only during a run')),
};

const EVAL_COMPILE_ONLY = 32;
const HOST_FUNCTION_ID = 1;
const MOST_ARGUMENTS = 4;
const encoder = new TextEncoder();

/**
 * One runtime with one context, driven through the raw functions of the build. Values are pointers that nobody
 * frees: whoever runs code here puts the memory back afterwards.
 */
export class QuickJsContext {
  user: ContextUser = NOBODY;
  #wasAbandoned = false;
  readonly #quickjs: QuickJsModule;
  readonly #fields: RuntimeFields | undefined;
  readonly #runtime: Pointer;
  readonly #context: Pointer;
  readonly #undefined: Pointer;
  readonly #argv: Pointer;
  readonly #pace = new InterruptPace();
  #abandon: (reason: unknown) => void = () => {};
  readonly #suspendable: (...args: number[]) => number | Promise<number>;

  /** @param original of an instance whose memory this one is a copy of; it has everything in the same place */
  constructor(kind: EngineKind, quickjs: QuickJsModule, limits: ContextLimits, original?: QuickJsContext) {
    this.#quickjs = quickjs;
    this.#suspendable = suspendableCall(kind, quickjs);
    quickjs.callbacks = {
      ...quickjs.callbacks,
      shouldInterrupt: () => {
        const isOver = this.user.shouldInterrupt();
        this.#setSteps(this.#pace.next(isOver));
        return isOver ? 1 : 0;
      },
      callFunction: (sleeper, _context, _self, _argc, argv) =>
        // The asyncify build asks a second time when it goes on; only then does handleSleep not call back.
        sleeper === undefined
          ? this.#callHost(argv)
          : sleeper.handleSleep((wake) => void this.#callHost(argv).then(wake, () => {})),
    };
    this.#fields = limits.fields;
    if (original !== undefined) {
      this.#runtime = original.#runtime;
      this.#context = original.#context;
      this.#undefined = original.#undefined;
      this.#argv = original.#argv;
      return;
    }
    const runtime = quickjs._QTS_NewRuntime();
    this.#runtime = runtime;
    quickjs._QTS_RuntimeSetMemoryLimit(runtime, limits.memoryBytes);
    quickjs._QTS_RuntimeSetMaxStackSize(runtime, limits.stackBytes);
    quickjs._QTS_RuntimeEnableInterruptHandler(runtime);
    this.#context = quickjs._QTS_NewContext(runtime, 0);
    this.#undefined = quickjs._QTS_GetUndefined();
    this.#argv = quickjs._malloc(MOST_ARGUMENTS * 4);
  }

  /** A call was given up while it waited for the host; the C stack cannot be trusted any more. */
  get wasAbandoned(): boolean {
    return this.#wasAbandoned;
  }

  /** What is compiled inside keeps neither its text nor its places, which every run would have to put back. */
  stripped<T>(compile: () => T): T {
    this.#strip(true);
    try {
      return compile();
    } finally {
      this.#strip(false);
    }
  }

  #strip(isOn: boolean): void {
    if (this.#fields !== undefined) setStripping(this.#quickjs, this.#runtime, this.#fields, isOn);
  }

  /** Memory that is put back after each run need not be tidied during it. */
  letGarbageGrow(bytes: number): void {
    if (this.#fields !== undefined) setGcThreshold(this.#quickjs, this.#runtime, this.#fields, bytes);
  }

  /** Where this build counts steps; undefined when that does not show. For an instance that is thrown away. */
  findInterruptCounter(): number | undefined {
    let found: number | undefined;
    const shouldInterrupt = () => {
      found ??= findInterruptCounter(this.#quickjs, this.#context);
      return false;
    };
    this.user = { ...NOBODY, shouldInterrupt };
    this.evaluate('for (var i = 0; i < 20000; i++);', 'probe');
    this.user = NOBODY;
    return found;
  }

  #setSteps(steps: number): void {
    const offset = this.#fields?.interruptCounter;
    if (offset !== undefined) setInterruptCounter(this.#quickjs, this.#context + offset, steps);
  }

  /** The host function as a value: `(operation, jsonArguments) => json`. */
  newHostFunction(): Pointer {
    return this.#quickjs._QTS_NewFunction(this.#context, this.#writeText('host').at, 2, 0, HOST_FUNCTION_ID);
  }

  newString(text: string): Pointer {
    const { at } = this.#writeText(text);
    const value = this.#quickjs._QTS_NewString(this.#context, at);
    this.#quickjs._free(at);
    return this.#resolve(value);
  }

  newNumber(number: number): Pointer {
    return this.#quickjs._QTS_NewFloat64(this.#context, number);
  }

  getString(value: Pointer): string {
    const at = this.#quickjs._QTS_GetString(this.#context, value);
    if (at === 0) throw new QuickJsException('InternalError', 'out of memory', '');
    return this.#readText(at);
  }

  /** For values whose memory matters; the pointer must not be used again. */
  free(value: Pointer): void {
    this.#quickjs._QTS_FreeValuePointer(this.#context, value);
  }

  getProperty(value: Pointer, name: string): Pointer {
    const getter = this.evaluate(`(value => value.${name})`, 'property');
    return this.call(getter, [value]);
  }

  /** Runs global code. @throws QuickJsException */
  evaluate(source: string, fileName: string): Pointer {
    return this.#evaluate(source, fileName, 0);
  }

  /** Only parses. @throws QuickJsException */
  parse(source: string, fileName: string): void {
    this.#evaluate(source, fileName, EVAL_COMPILE_ONLY);
  }

  /** Calls a function that asks nothing of the host. @throws QuickJsException */
  call(fn: Pointer, args: readonly Pointer[]): Pointer {
    this.#setArguments(args);
    return this.#resolve(
      this.#quickjs._QTS_Call(this.#context, fn, this.#undefined, args.length, this.#argv),
    );
  }

  /**
   * Calls a function that may ask the host; one at a time. Rejects with QuickJsException when
   * the code threw; with anything else when it was abandoned or has trapped, and the context is unusable then.
   */
  async callSuspendable(fn: Pointer, args: readonly Pointer[]): Promise<Pointer> {
    this.#setArguments(args);
    this.#setSteps(this.#pace.begin());
    const ended = this.#suspendable(this.#context, fn, this.#undefined, args.length, this.#argv);
    return this.#resolve(await (typeof ended === 'number' ? ended : this.#unlessAbandoned(ended)));
  }

  #unlessAbandoned(ended: Promise<Pointer>): Promise<Pointer> {
    return new Promise((resolve, reject) => {
      this.#abandon = reject;
      ended.then(resolve, reject);
    });
  }

  #callHost(argv: Pointer): Promise<Pointer> {
    const answer = this.#askHost(argv);
    // Registered before the engine's own reaction, so it runs directly before the code goes on.
    answer.then(
      () => {
        this.user.onResume();
        this.#pace.resume();
      },
      (reason) => {
        this.#wasAbandoned = true;
        this.#abandon(reason);
      },
    );
    return answer;
  }

  async #askHost(argv: Pointer): Promise<Pointer> {
    const operation = this.getString(this.#quickjs._QTS_ArgvGetJSValueConstPointer(argv, 0));
    const args = this.getString(this.#quickjs._QTS_ArgvGetJSValueConstPointer(argv, 1));
    this.user.onSuspend();
    return this.newString(await this.user.answer(operation, args));
  }

  #setArguments(args: readonly Pointer[]): void {
    new Uint32Array(this.#quickjs.HEAPU8.buffer, this.#argv, MOST_ARGUMENTS).set(args);
  }

  #evaluate(source: string, fileName: string, flags: number): Pointer {
    const { at, bytes } = this.#writeText(source);
    const file = this.#writeText(fileName);
    const value = this.#quickjs._QTS_Eval(this.#context, at, bytes, file.at, 0, flags);
    this.#quickjs._free(at);
    this.#quickjs._free(file.at);
    return this.#resolve(value);
  }

  #resolve(value: Pointer): Pointer {
    const exception = this.#quickjs._QTS_ResolveException(this.#context, value);
    if (exception === 0) return value;
    const text = this.#readText(this.#quickjs._QTS_Dump(this.#context, exception));
    throw toException(text);
  }

  /** Zero-terminated UTF-8. @throws QuickJsException when the instance has no room for it */
  #writeText(text: string): { at: Pointer; bytes: number } {
    // Three bytes are the most that one UTF-16 unit takes.
    const worst = text.length * 3 + 1;
    const room = worst < 65_536 ? worst : Buffer.byteLength(text) + 1;
    const at = this.#quickjs._malloc(room);
    if (at === 0) throw new QuickJsException('InternalError', 'out of memory', '');
    const heap = this.#quickjs.HEAPU8;
    const { written } = encoder.encodeInto(text, heap.subarray(at, at + room - 1));
    heap[at + written] = 0;
    return { at, bytes: written };
  }

  #readText(at: Pointer): string {
    const heap = this.#quickjs.HEAPU8;
    return Buffer.from(heap.buffer, at, heap.indexOf(0, at) - at).toString('utf8');
  }
}

function suspendableCall(kind: EngineKind, quickjs: QuickJsModule) {
  if (kind === 'jspi') return wasm.promising!(quickjs._QTS_Call as WasmFunction);
  const numbers = ['number', 'number', 'number', 'number', 'number'];
  return quickjs.cwrap('QTS_Call', 'number', numbers, { async: true });
}

function toException(dumped: string): QuickJsException {
  try {
    const { name, message, stack } = JSON.parse(dumped) as Record<string, unknown>;
    return new QuickJsException(String(name), String(message), typeof stack === 'string' ? stack : '');
  } catch {
    return new QuickJsException('Error', dumped, '');
  }
}
