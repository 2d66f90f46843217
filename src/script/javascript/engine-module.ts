import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { findBreakAddress } from './memory-snapshot.ts';
import { QuickJsContext } from './quickjs-context.ts';
import { createQuickJs, type EngineKind, type QuickJsModule } from './quickjs-module.ts';
import { findRuntimeFields, type RuntimeFields } from './runtime-fields.ts';
import { type WasmModule, wasm } from './webassembly.ts';

/** QuickJS, compiled once. Structured-cloneable, so worker threads share the machine code. */
export interface EngineModule {
  readonly kind: EngineKind;
  readonly module: WasmModule;
  /** Where the C library keeps the end of its heap. */
  readonly breakAddress: number;
  /** Absent when this build has them elsewhere: sandboxes are larger then, and some runs end late. */
  readonly fields?: RuntimeFields | undefined;
}

/**
 * V8's size of the stacks on which suspendable code runs, in KiB. Its default of 984 carries a QuickJS stack
 * of 128 KiB and no more; memory is committed only as deep as a script recurses.
 */
const SUSPENDABLE_STACK_KIB = 4096;

const WASM_FILES: Readonly<Record<EngineKind, string>> = {
  jspi: '@jitl/quickjs-wasmfile-release-sync/wasm',
  asyncify: '@jitl/quickjs-wasmfile-release-asyncify/wasm',
};

/** The engine to use: what is asked for, else `SVC_SCRIPT_ENGINE`, else the best that this Node can run. */
export function chooseEngine(asked = process.env['SVC_SCRIPT_ENGINE']): EngineKind {
  if (asked === 'asyncify' || wasm.Suspending === undefined) return 'asyncify';
  return 'jspi';
}

/** Compiles QuickJS. Takes some 20 ms; call it once and hand the result to every thread. */
export async function loadEngineModule(kind: EngineKind = chooseEngine()): Promise<EngineModule> {
  const file = createRequire(import.meta.url).resolve(WASM_FILES[kind]);
  const module = await wasm.compile(await readFile(file));
  const probe = await createQuickJs(kind, module, 1024);
  const breakAddress = findBreakAddress(probe);
  const found = findRuntimeFields(probe, probe._QTS_NewRuntime());
  if (found === undefined || !strips(kind, probe, found)) return { kind, module, breakAddress };
  const fields = { ...found, interruptCounter: probeContext(kind, probe).findInterruptCounter() };
  return { kind, module, breakAddress, fields };
}

/** Whether the flags are what they are taken for: a function compiled with them has no text. */
function strips(kind: EngineKind, probe: QuickJsModule, fields: RuntimeFields): boolean {
  const context = probeContext(kind, probe, fields);
  const read = () => context.getString(context.evaluate('(function(){/*text*/}).toString()', 'probe'));
  return !context.stripped(read).includes('text') && read().includes('text');
}

function probeContext(kind: EngineKind, probe: QuickJsModule, fields?: RuntimeFields): QuickJsContext {
  return new QuickJsContext(kind, probe, { memoryBytes: 16_777_216, stackBytes: 65_536, fields });
}

/** To be called in every thread before the first run: stacks made earlier keep the smaller size. */
export function widenSuspendableStacks(): void {
  setFlagsFromString(`--wasm-stack-switching-stack-size=${SUSPENDABLE_STACK_KIB}`);
}
