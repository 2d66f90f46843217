import { dispatcher } from './dispatch-port.ts';
import { addKeyMaker, keyText, markedKey } from './hash-key.ts';
import { illegalArgument } from './throwable.ts';

const LONGEST = 10_000_000;

/** `from..to`, as a list that is made when somebody wants all of it. Of ints it knows its items without. */
export class Range {
  readonly from: unknown;
  readonly to: unknown;
  readonly isReverse: boolean;
  readonly isEmpty: boolean;
  /** The end of a range that was written `from..<to`, so that it is printed the same way. */
  openEnd: unknown;
  #items: unknown[] | undefined;
  readonly #make: () => unknown[];

  constructor(from: unknown, to: unknown, isReverse: boolean, isEmpty: boolean, make: () => unknown[]) {
    this.from = from;
    this.to = to;
    this.isReverse = isReverse;
    this.isEmpty = isEmpty;
    this.#make = make;
  }

  get isInt(): boolean {
    return typeof this.from === 'number' && typeof this.to === 'number';
  }

  get items(): unknown[] {
    this.#items ??= this.isEmpty ? [] : this.#make();
    return this.#items;
  }

  get size(): number {
    if (this.isEmpty) return 0;
    const { from, to } = this;
    if (typeof from !== 'number' || typeof to !== 'number') return this.items.length;
    return Math.abs(to - from) + 1;
  }

  /** The ends in their natural order. */
  get low(): unknown {
    return this.isReverse ? this.to : this.from;
  }

  get high(): unknown {
    return this.isReverse ? this.from : this.to;
  }

  /** Whether a number lies between the ends of a range of ints, or is one of them. */
  spans(number: number): boolean {
    const { low, high } = this;
    return typeof low === 'number' && typeof high === 'number' && number >= low && number <= high;
  }
}

export function intRange(from: number, to: number, opensLeft: boolean, opensRight: boolean): Range {
  const step = from <= to ? 1 : -1;
  const isEmpty =
    from === to ? opensLeft || opensRight : Math.abs(to - from) === 1 && opensLeft && opensRight;
  const first = opensLeft ? from + step : from;
  const last = opensRight ? to - step : to;
  if (Math.abs(last - first) > LONGEST) throw illegalArgument(`The range ${from}..${to} is too long`);
  const range = new Range(isEmpty ? from : first, isEmpty ? from : last, step < 0, isEmpty, () => {
    const items: unknown[] = [];
    for (let value = first; step > 0 ? value <= last : value >= last; value += step) items.push(value);
    return items;
  });
  if (opensRight && !opensLeft && !isEmpty) range.openEnd = to;
  return range;
}

/** A range of anything that can be compared and has `next()` and `previous()`. */
export function steppedRange(
  from: unknown,
  to: unknown,
  opens: { left: boolean; right: boolean },
  compare: (left: unknown, right: unknown) => number,
): Range {
  const direction = compare(from, to);
  const isReverse = direction > 0;
  const step = (value: unknown) => dispatcher.invoke(value, isReverse ? 'previous' : 'next', []);
  const first = opens.left ? step(from) : from;
  const items: unknown[] = [];
  for (let value = first; ; value = step(value)) {
    const order = compare(value, to);
    if (isReverse ? order < 0 : order > 0) break;
    if (order === 0 && opens.right) break;
    // Texts that grow while they are counted up never meet their end.
    if (typeof value === 'string' && typeof to === 'string' && value.length > to.length) break;
    items.push(value);
    if (items.length > LONGEST) throw illegalArgument('The range is too long');
    if (order === 0) break;
  }
  return new Range(first, items.at(-1) ?? to, isReverse, items.length === 0, () => items);
}

addKeyMaker(
  (value) => value instanceof Range,
  (value) => markedKey('[', `${value.items.map(keyText).join(',')}]`),
);
