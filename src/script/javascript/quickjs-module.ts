import loadAsyncify from '@jitl/quickjs-wasmfile-release-asyncify/emscripten-module';
import loadSync from '@jitl/quickjs-wasmfile-release-sync/emscripten-module';
import {
  type WasmFunction,
  type WasmInstance,
  type WasmMemory,
  type WasmModule,
  wasm,
} from './webassembly.ts';

/** A number that addresses something in the memory of the instance. */
export type Pointer = number;

/** Present in calls of the asyncify build: suspends, and resumes with what `wake` is given. */
interface Sleeper {
  handleSleep(start: (wake: (result: Pointer) => void) => void): Pointer;
}

export interface QuickJsCallbacks {
  callFunction(
    sleeper: Sleeper | undefined,
    context: Pointer,
    self: Pointer,
    argc: number,
    argv: Pointer,
    id: number,
  ): unknown;
  shouldInterrupt(sleeper: Sleeper | undefined, runtime: Pointer): number;
  freeHostRef(): void;
  loadModuleSource(): Pointer;
  normalizeModule(): Pointer;
}

/** The functions of quickjs-emscripten 0.32.0 that the sandbox calls; all others stay unused. */
export interface QuickJsModule {
  callbacks: QuickJsCallbacks;
  /** A new view whenever the memory has grown, so never kept. */
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  cwrap(name: string, result: 'number', args: readonly string[], options?: { async: true }): WasmFunction;
  _malloc(bytes: number): Pointer;
  _free(pointer: Pointer): void;
  _QTS_NewRuntime(): Pointer;
  _QTS_NewContext(runtime: Pointer, intrinsics: number): Pointer;
  _QTS_RuntimeSetMemoryLimit(runtime: Pointer, bytes: number): void;
  _QTS_RuntimeSetMaxStackSize(runtime: Pointer, bytes: number): void;
  _QTS_RuntimeEnableInterruptHandler(runtime: Pointer): void;
  _QTS_Eval(
    context: Pointer,
    source: Pointer,
    bytes: number,
    file: Pointer,
    detectModule: number,
    flags: number,
  ): Pointer;
  _QTS_Call(context: Pointer, fn: Pointer, self: Pointer, argc: number, argv: Pointer): Pointer;
  _QTS_ResolveException(context: Pointer, result: Pointer): Pointer;
  _QTS_Dump(context: Pointer, value: Pointer): Pointer;
  _QTS_FreeValuePointer(context: Pointer, value: Pointer): void;
  _QTS_GetUndefined(): Pointer;
  _QTS_NewString(context: Pointer, text: Pointer): Pointer;
  _QTS_NewFloat64(context: Pointer, number: number): Pointer;
  _QTS_GetString(context: Pointer, value: Pointer): Pointer;
  _QTS_NewFunction(
    context: Pointer,
    name: Pointer,
    length: number,
    isConstructor: number,
    id: number,
  ): Pointer;
  _QTS_ArgvGetJSValueConstPointer(argv: Pointer, index: number): Pointer;
}

interface LoaderOptions {
  readonly wasmMemory: WasmMemory;
  readonly print: () => void;
  readonly printErr: () => void;
  readonly instantiateWasm: (
    imports: Record<string, Record<string, unknown>>,
    done: (instance: WasmInstance, module: WasmModule) => void,
  ) => void;
}

type Loader = (options: LoaderOptions) => Promise<QuickJsModule>;

/** How a script that waits for the host is suspended: by the WebAssembly engine, or by instrumented code. */
export type EngineKind = 'jspi' | 'asyncify';

const LOADERS: Readonly<Record<EngineKind, Loader>> = {
  jspi: loadSync as unknown as Loader,
  asyncify: loadAsyncify as unknown as Loader,
};

/** What both builds were linked with; the engine refuses a memory that starts smaller. */
const INITIAL_PAGES = 256;

/**
 * A fresh instance with a memory of its own, which can never grow beyond `maximumPages`. In the JSPI build the
 * import through which QuickJS calls host functions becomes a suspending one.
 */
export async function createQuickJs(
  kind: EngineKind,
  module: WasmModule,
  maximumPages: number,
): Promise<QuickJsModule> {
  const quickjs = await LOADERS[kind]({
    wasmMemory: new wasm.Memory({ initial: INITIAL_PAGES, maximum: maximumPages }),
    print: () => {},
    printErr: () => {},
    instantiateWasm: (imports, done) => {
      if (kind === 'jspi') suspendHostCalls(imports);
      done(new wasm.Instance(module, imports), module);
    },
  });
  quickjs.callbacks = IDLE;
  return quickjs;
}

/** The import's name is minified by the linker, its text is not: that is how it is recognised. */
function suspendHostCalls(imports: Record<string, Record<string, unknown>>): void {
  const found = Object.values(imports)
    .flatMap((group) => Object.entries(group).map(([name, value]) => ({ group, name, value })))
    .filter(({ value }) => typeof value === 'function' && String(value).includes('.callbacks.callFunction('));
  const [hostCall] = found;
  if (found.length !== 1 || hostCall === undefined || wasm.Suspending === undefined) {
    throw new Error('This build of QuickJS has no recognisable host-call import');
  }
  const call = hostCall.value as (...args: number[]) => unknown;
  hostCall.group[hostCall.name] = new wasm.Suspending((...args) => call(...args));
}

const IDLE: QuickJsCallbacks = {
  callFunction: () => 0,
  shouldInterrupt: () => 0,
  freeHostRef: () => {},
  loadModuleSource: () => 0,
  normalizeModule: () => 0,
};
