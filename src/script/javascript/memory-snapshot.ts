import type { QuickJsModule } from './quickjs-module.ts';

const PAGE = 4096;
const PAGE_WORDS = PAGE / 4;
const EMPTY_PAGE = Buffer.alloc(PAGE);
const PROBE_BYTES = 1_048_576;
const PROBE_SLACK = 262_144;
/** Zero pages between two others that are cheaper to copy than to treat apart. */
const SMALL_GAP = 4 * PAGE;
/** What the C stack was linked with; the data ends where it begins. */
const C_STACK_BYTES = 5_242_880;
/** No limit lets the C stack come near this depth. */
const DEEPEST_C_STACK = 2_097_152;
/** Data that is still zero may follow the last that is not; QuickJS has some tens of KiB at most. */
const DATA_MARGIN = 65_536;

/**
 * Finds the word that holds the end of the heap, which no export tells: it lies in the data, is page-aligned and
 * follows a large allocation. Only for an instance that is thrown away afterwards.
 */
export function findBreakAddress(quickjs: QuickJsModule): number {
  const heapBase = quickjs._malloc(16);
  const before = new Uint32Array(quickjs.HEAPU8.buffer.slice(0, heapBase));
  const allocated = quickjs._malloc(PROBE_BYTES) + PROBE_BYTES;
  const after = new Uint32Array(quickjs.HEAPU8.buffer, 0, heapBase >>> 2);
  let found = -1;
  for (let index = 0; index < after.length; index++) {
    const word = after[index]!;
    const follows = word >= allocated && word < allocated + PROBE_SLACK && word % PAGE === 0;
    if (follows && word !== before[index] && (found < 0 || word > after[found]!)) found = index;
  }
  if (found < 0) throw new Error('This build of QuickJS has no recognisable heap end');
  return found * 4;
}

/**
 * The memory of one instance: data from 0, then the C stack, which grows downwards, then the heap up to its break.
 * To be made before anything has been allocated.
 */
export class SandboxMemory {
  readonly #quickjs: QuickJsModule;
  readonly #breakAddress: number;
  /** Start of a page below everything that can be allocated. */
  readonly #heapStart: number;
  #dataEnd = 0;

  /** @param original of an instance whose memory this one is going to be a copy of */
  constructor(quickjs: QuickJsModule, breakAddress: number, original?: SandboxMemory) {
    this.#quickjs = quickjs;
    this.#breakAddress = breakAddress;
    if (original !== undefined) {
      this.#heapStart = original.#heapStart;
      this.#dataEnd = original.#dataEnd;
      return;
    }
    const first = quickjs._malloc(16);
    this.#heapStart = first - (first % PAGE) - PAGE;
  }

  get bytes(): number {
    return this.#quickjs.HEAPU8.length;
  }

  /** The most that the heap has had since the last restore. */
  get heapBytes(): number {
    return this.#heapEnd() - this.#heapStart;
  }

  /** May be called only between calls into the instance, and not before its first context exists. */
  takeSnapshot(): MemorySnapshot {
    if (this.#dataEnd === 0) this.#dataEnd = this.#findDataEnd();
    return new MemorySnapshot(this.#quickjs.HEAPU8, this.#ranges());
  }

  /** As `takeSnapshot`, for a memory that was at `base` and has changed little. */
  takeDelta(base: MemorySnapshot): SnapshotDelta {
    return new SnapshotDelta(this.#quickjs.HEAPU8, this.#ranges(), base);
  }

  restore(snapshot: Pick<MemorySnapshot, 'restore'>): void {
    snapshot.restore(this.#quickjs.HEAPU8);
  }

  #ranges(): readonly Range[] {
    return [
      { from: 0, to: this.#dataEnd },
      { from: this.#heapStart, to: pageAbove(this.#heapEnd()) },
    ];
  }

  #heapEnd(): number {
    return new Uint32Array(this.#quickjs.HEAPU8.buffer, this.#breakAddress, 1)[0]!;
  }

  #findDataEnd(): number {
    const { buffer } = this.#quickjs.HEAPU8;
    let end = pageAbove(this.#heapStart - DEEPEST_C_STACK);
    // Megabytes of nothing, which are compared faster than read.
    while (end > PAGE && Buffer.from(buffer, end - PAGE, PAGE).equals(EMPTY_PAGE)) end -= PAGE;
    const words = new Uint32Array(buffer, 0, end >>> 2);
    let last = words.length - 1;
    while (last > 0 && words[last] === 0) last--;
    // The heap begins within the two pages that follow its start.
    const mostData = this.#heapStart + 2 * PAGE - C_STACK_BYTES;
    return pageAbove(Math.max(last * 4 + 4, Math.min(last * 4 + DATA_MARGIN, mostData)));
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Copied {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/**
 * Everything that an instance remembers: its data and its heap. What lies above the heap's end at the time of the
 * snapshot is left as it is, because the allocator takes nothing for granted there; so is the C stack.
 */
export class MemorySnapshot {
  readonly #copied: Copied[] = [];
  readonly #cleared: Range[] = [];

  /** The address behind the last byte that it covers. */
  readonly end: number;

  constructor(heap: Uint8Array<ArrayBuffer>, ranges: readonly Range[]) {
    this.end = Math.max(...ranges.map(({ to }) => to));
    for (const { from, to } of ranges) this.#record(heap, from, to);
  }

  /** What a restore copies. */
  get bytes(): number {
    return this.#copied.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  restore(heap: Uint8Array<ArrayBuffer>): void {
    for (const { at, bytes } of this.#copied) heap.set(bytes, at);
    for (const { from, to } of this.#cleared) heap.fill(0, from, to);
  }

  /** The pages of the heap, by where they begin, that are not as they are here; each with what it is here. */
  changedPages(heap: Uint8Array<ArrayBuffer>): Map<number, Uint8Array> {
    const changed = new Map<number, Uint8Array>();
    const now = Buffer.from(heap.buffer);
    for (const { at, bytes } of this.#copied) {
      for (let offset = 0; offset < bytes.length; offset += PAGE) {
        const page = bytes.subarray(offset, offset + PAGE);
        if (now.compare(page, 0, PAGE, at + offset, at + offset + PAGE) !== 0) changed.set(at + offset, page);
      }
    }
    for (const { from, to } of this.#cleared) {
      for (let page = skipZeroPages(heap, from, to); page < to; page = skipZeroPages(heap, page + PAGE, to)) {
        changed.set(page, EMPTY_PAGE);
      }
    }
    return changed;
  }

  #record(heap: Uint8Array<ArrayBuffer>, from: number, to: number): void {
    let position = from;
    while (position < to) {
      const start = skipZeroPages(heap, position, to);
      if (start > position) this.#cleared.push({ from: position, to: start });
      position = start;
      while (position < to) {
        const next = skipZeroPages(heap, position, to);
        if (next - position >= SMALL_GAP || next === to) break;
        position = next + PAGE;
      }
      position = Math.min(position, to);
      if (position > start) this.#copied.push({ at: start, bytes: heap.slice(start, position) });
    }
  }
}

/** A snapshot as what differs from another: compiling a script changes some words here and there. */
export class SnapshotDelta {
  readonly #base: MemorySnapshot;
  /** Where words differ, as indexes of words, and what they are. */
  readonly #places: Uint32Array;
  readonly #words: Uint32Array;
  /** Where most words of a page differ. */
  readonly #pages: readonly Copied[];
  /** The memory beyond what the base covers. */
  readonly #above: MemorySnapshot;
  readonly end: number;

  constructor(heap: Uint8Array<ArrayBuffer>, ranges: readonly Range[], base: MemorySnapshot) {
    this.#base = base;
    const places: number[] = [];
    const pages: Copied[] = [];
    for (const [at, before] of base.changedPages(heap)) {
      const differing = differingWords(wordsOf(before), new Uint32Array(heap.buffer, at, PAGE_WORDS));
      if (differing.length > PAGE_WORDS / 4) pages.push({ at, bytes: heap.slice(at, at + PAGE) });
      else for (const index of differing) places.push((at >>> 2) + index);
    }
    const all = new Uint32Array(heap.buffer);
    this.#places = Uint32Array.from(places);
    this.#words = this.#places.map((place) => all[place]!);
    this.#pages = pages;
    this.#above = new MemorySnapshot(
      heap,
      ranges.map(({ from, to }) => ({ from: Math.max(from, base.end), to: Math.max(to, base.end) })),
    );
    this.end = Math.max(base.end, this.#above.end);
  }

  get bytes(): number {
    return this.#base.bytes + this.ownBytes;
  }

  /** What it keeps beside its base. */
  get ownBytes(): number {
    return this.#places.length * 8 + this.#pages.length * PAGE + this.#above.bytes;
  }

  restore(heap: Uint8Array<ArrayBuffer>): void {
    this.#base.restore(heap);
    const all = new Uint32Array(heap.buffer);
    const places = this.#places;
    const words = this.#words;
    for (let index = 0; index < places.length; index++) all[places[index]!] = words[index]!;
    for (const { at, bytes } of this.#pages) heap.set(bytes, at);
    this.#above.restore(heap);
  }
}

function wordsOf({ buffer, byteOffset }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, PAGE_WORDS);
}

function differingWords(before: Uint32Array, now: Uint32Array): number[] {
  const differing = [];
  for (let index = 0; index < PAGE_WORDS; index++) if (before[index] !== now[index]) differing.push(index);
  return differing;
}

/** The first page from `from` on that holds anything, or `to`. Both are multiples of the page size. */
function skipZeroPages(heap: Uint8Array<ArrayBuffer>, from: number, to: number): number {
  const words = new Uint32Array(heap.buffer, from, (to - from) >>> 2);
  let index = 0;
  while (index < words.length && words[index] === 0) index++;
  return from + (index - (index % PAGE_WORDS)) * 4;
}

function pageAbove(address: number): number {
  return Math.ceil(address / PAGE) * PAGE;
}
