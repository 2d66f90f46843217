import { int } from '../arguments.ts';
import { itemsOf } from '../equality.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { Range } from '../range.ts';
import { badArgument, outOfBounds } from '../throwable.ts';
import { truth } from '../truth.ts';
import { JavaObject } from '../values.ts';

/** Bits by number. Words without a bit are not kept, so one far bit takes no more than a near one. */
class BitSet extends JavaObject {
  readonly type: JavaClass = classNamed('java.util.BitSet');
  readonly words = new Map<number, number>();

  has(bit: number): boolean {
    return ((this.words.get(bit >>> 5) ?? 0) & (1 << (bit & 31))) !== 0;
  }

  put(bit: number, isSet: boolean): void {
    const at = bit >>> 5;
    const word = this.words.get(at) ?? 0;
    this.keep(at, isSet ? word | (1 << (bit & 31)) : word & ~(1 << (bit & 31)));
  }

  keep(at: number, word: number): void {
    if (word === 0) this.words.delete(at);
    else this.words.set(at, word);
  }

  /** Word by word. */
  change(from: number, to: number, make: (word: number, mask: number) => number): void {
    for (let at = from >>> 5; at * 32 < to; at++) {
      const first = Math.max(0, from - at * 32);
      const last = Math.min(32, to - at * 32);
      const mask = last - first === 32 ? -1 : ((2 ** (last - first) - 1) << first) | 0;
      this.keep(at, make(this.words.get(at) ?? 0, mask));
    }
  }

  copy(): BitSet {
    const copy = new BitSet();
    for (const [at, word] of this.words) copy.words.set(at, word);
    return copy;
  }

  combined(other: BitSet, make: (left: number, right: number) => number): BitSet {
    const result = new BitSet();
    for (const at of new Set([...this.words.keys(), ...other.words.keys()]))
      result.keep(at, make(this.words.get(at) ?? 0, other.words.get(at) ?? 0));
    return result;
  }

  bits(): number[] {
    const found: number[] = [];
    for (const at of [...this.words.keys()].sort((left, right) => left - right)) {
      const word = this.words.get(at)!;
      for (let bit = 0; bit < 32; bit++) if ((word & (1 << bit)) !== 0) found.push(at * 32 + bit);
    }
    return found;
  }

  /** One more than the highest bit. */
  get length(): number {
    let last = -1;
    for (const at of this.words.keys()) last = Math.max(last, at);
    return last < 0 ? 0 : last * 32 + 32 - Math.clz32(this.words.get(last)!);
  }

  override key(): unknown {
    return this.bits().join();
  }

  override toText(): string {
    return `{${this.bits().join(', ')}}`;
  }
}

function bitOf(value: unknown): number {
  const bit = int(value);
  if (bit < 0) throw outOfBounds(`bitIndex < 0: ${bit}`);
  return bit;
}

/** `set(bit)`, `set(bit, value)`, `set(from, to)`, `set(from, to, value)`. */
function set(self: BitSet, first: unknown, ...others: unknown[]): null {
  const last = others.at(-1);
  const flag = typeof last === 'boolean' ? last : true;
  if (typeof last === 'boolean') others.pop();
  if (others.length === 0) self.put(bitOf(first), flag);
  else self.change(bitOf(first), bitOf(others[0]), (word, mask) => (flag ? word | mask : word & ~mask));
  return null;
}

function clear(self: BitSet, ...ends: unknown[]): null {
  if (ends.length === 0) self.words.clear();
  else set(self, ends[0], ...ends.slice(1), false);
  return null;
}

function flip(self: BitSet, from: unknown, to?: unknown): null {
  const first = bitOf(from);
  self.change(first, to === undefined ? first + 1 : bitOf(to), (word, mask) => word ^ mask);
  return null;
}

function part(self: BitSet, from: number, to: number): BitSet {
  const result = new BitSet();
  for (const bit of self.bits()) if (bit >= from && bit < to) result.put(bit - from, true);
  return result;
}

function getAt(self: BitSet, at: unknown): unknown {
  if (at instanceof Range) return part(self, bitOf(at.low), bitOf(at.high) + 1);
  if (itemsOf(at) !== undefined) throw badArgument();
  return self.has(bitOf(at));
}

function putAt(self: BitSet, at: unknown, value: unknown): null {
  const isSet = truth(value);
  if (at instanceof Range) return set(self, at.low, int(at.high) + 1, isSet);
  return set(self, at, isSet);
}

function next(self: BitSet, from: unknown, wanted: boolean): number {
  const start = bitOf(from);
  if (wanted) return self.bits().find((bit) => bit >= start) ?? -1;
  let bit = start;
  while (self.has(bit)) bit++;
  return bit;
}

function previous(self: BitSet, from: unknown): number {
  const end = int(from);
  return self.bits().findLast((bit) => bit <= end) ?? -1;
}

function combine(make: (left: number, right: number) => number) {
  return (self: BitSet, other: unknown) => {
    if (!(other instanceof BitSet)) throw badArgument();
    return self.combined(other, make);
  };
}

function sizeOf(self: BitSet): number {
  return Math.max(64, Math.ceil(self.length / 64) * 64);
}

defineStatics('java.util.BitSet', { 'new/0-1': () => new BitSet() });
defineMethods('java.util.BitSet', 'java.lang.Object', {
  'set/1-3': set,
  'clear/0-2': clear,
  'flip/1-2': flip,
  'get/1-2': (self: BitSet, from: unknown, to?: unknown) =>
    to === undefined ? self.has(bitOf(from)) : part(self, bitOf(from), bitOf(to)),
  'getAt/1': getAt,
  'putAt/2': putAt,
  'nextSetBit/1': (self: BitSet, from: unknown) => next(self, from, true),
  'nextClearBit/1': (self: BitSet, from: unknown) => next(self, from, false),
  'previousSetBit/1': previous,
  'cardinality/0': (self: BitSet) => self.bits().length,
  'length/0': (self: BitSet) => self.length,
  'size/0': sizeOf,
  'isEmpty/0': (self: BitSet) => self.words.size === 0,
  'intersects/1': (self: BitSet, other: BitSet) => self.combined(other, (a, b) => a & b).words.size > 0,
  'and/1': combine((a, b) => a & b),
  'or/1': combine((a, b) => a | b),
  'xor/1': combine((a, b) => a ^ b),
  'bitwiseNegate/0': (self: BitSet) => {
    const result = self.copy();
    result.change(0, sizeOf(self) - 1, (word, mask) => word ^ mask);
    return result;
  },
  'andNot/1': (self: BitSet, other: BitSet) => {
    const left = self.combined(other, (a, b) => a & ~b);
    self.words.clear();
    for (const [at, word] of left.words) self.words.set(at, word);
    return null;
  },
  'clone/0': (self: BitSet) => self.copy(),
  'toString/0': (self: BitSet) => self.toText(),
});
