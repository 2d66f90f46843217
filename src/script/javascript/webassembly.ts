/** The part of WebAssembly that the sandbox uses; the compiler's library without DOM does not declare it. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: 'WebAssembly.Module';
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

export type WasmFunction = (...args: number[]) => number;

export interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>;
}

interface WasmNamespace {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  readonly Memory: new (limits: { initial: number; maximum: number }) => WasmMemory;
  readonly Instance: new (module: WasmModule, imports: object) => WasmInstance;
  /** JavaScript Promise Integration; absent in engines that lack it. */
  readonly Suspending?: new (
    call: (...args: number[]) => unknown,
  ) => unknown;
  promising?(call: WasmFunction): (...args: number[]) => Promise<number>;
}

export const wasm = (globalThis as unknown as { readonly WebAssembly: WasmNamespace }).WebAssembly;

export const WASM_PAGE_BYTES = 65_536;
