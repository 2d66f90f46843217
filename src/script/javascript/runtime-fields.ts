import type { Pointer, QuickJsModule } from './quickjs-module.ts';

/** Settings that the build has no functions for, as offsets from the address of a runtime or of its context. */
export interface RuntimeFields {
  /** What compiled functions do not keep: their text, and where in it each instruction stands. */
  readonly stripFlags: number;
  /** How much may be allocated before cycles are looked for. */
  readonly gcThreshold: number;
  /** How many steps the code of the context makes until the interrupt handler is asked. */
  readonly interruptCounter?: number | undefined;
}

const STRIP_ALL = 3;
const FIRST_GC_THRESHOLD = 262_144;
/** What the counter is set to directly before the handler is asked. */
const FIRST_INTERRUPT_COUNTER = 10_000;
/** Enough to reach past the settings. */
const WORDS = 100;

/**
 * Finds the fields in a runtime that nobody has used. The threshold is the only word of its value; the flags stand in
 * front of the table of shapes, which tells itself by its size: a logarithm, the number, and how many are in it.
 */
export function findRuntimeFields(quickjs: QuickJsModule, runtime: Pointer): RuntimeFields | undefined {
  const words = [...new Uint32Array(quickjs.HEAPU8.buffer, runtime, WORDS)];
  const gcThreshold = words.indexOf(FIRST_GC_THRESHOLD);
  const shapes = words.findIndex((bits, index) => {
    const [size = 0, count = 0] = words.slice(index + 1);
    return bits >= 4 && bits <= 12 && size === 2 ** bits && count <= size;
  });
  const isClear = gcThreshold >= 0 && words.lastIndexOf(FIRST_GC_THRESHOLD) === gcThreshold;
  if (!isClear || shapes < 1 || words[shapes - 1] !== 0) return undefined;
  return { stripFlags: (shapes - 1) * 4, gcThreshold: gcThreshold * 4 };
}

/** Finds the field while the interrupt handler is asked; it is the only word of its value, too. */
export function findInterruptCounter(quickjs: QuickJsModule, context: Pointer): number | undefined {
  const words = [...new Uint32Array(quickjs.HEAPU8.buffer, context, WORDS)];
  const found = words.indexOf(FIRST_INTERRUPT_COUNTER);
  return found >= 0 && words.lastIndexOf(FIRST_INTERRUPT_COUNTER) === found ? found * 4 : undefined;
}

/** @param steps at most 65,535 */
export function setInterruptCounter(quickjs: QuickJsModule, at: Pointer, steps: number): void {
  const heap = quickjs.HEAPU8;
  // Byte by byte: this is done often, and a view of words would have to be made each time.
  heap[at] = steps;
  heap[at + 1] = steps >>> 8;
  heap[at + 2] = heap[at + 3] = 0;
}

export function setStripping(
  quickjs: QuickJsModule,
  runtime: Pointer,
  fields: RuntimeFields,
  isOn: boolean,
): void {
  quickjs.HEAPU8[runtime + fields.stripFlags] = isOn ? STRIP_ALL : 0;
}

export function setGcThreshold(
  quickjs: QuickJsModule,
  runtime: Pointer,
  fields: RuntimeFields,
  bytes: number,
): void {
  new Uint32Array(quickjs.HEAPU8.buffer, runtime + fields.gcThreshold, 1)[0] = bytes;
}
