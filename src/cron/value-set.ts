/** A set of integers from 0 to 63, as two words of 32 bits. */
export interface ValueSet {
  readonly low: number;
  readonly high: number;
}

export function valueSet(values: Iterable<number>): ValueSet {
  let low = 0;
  let high = 0;
  for (const value of values) {
    if (value < 32) low |= 1 << value;
    else high |= 1 << (value - 32);
  }
  return { low, high };
}

/** The smallest member that is at least `from`, or -1. */
export function nextMember(set: ValueSet, from: number): number {
  const low = nextBit(set.low, from);
  if (low >= 0) return low;
  const high = nextBit(set.high, from <= 32 ? 0 : from - 32);
  return high < 0 ? -1 : high + 32;
}

/** The lowest bit set at or above position `from` (0 and up) of a word of 32 bits, or -1. */
export function nextBit(word: number, from: number): number {
  if (from > 31) return -1;
  const rest = word & (-1 << from);
  return rest === 0 ? -1 : 31 - Math.clz32(rest & -rest);
}
