import { addNumbers, divideNumbers, toInt, toNumber } from './arithmetic.ts';
import { Closure, call1, call2, parameterCount, takesTwo } from './closure.ts';
import { isCase } from './conversion-operators.ts';
import { call } from './dispatch.ts';
import { compare, equal } from './equality.ts';
import { hashKey } from './hash-key.ts';
import { listOf } from './iterate.ts';
import { JavaMap, mapOf } from './java-map.ts';
import { JavaSet, setOf } from './java-set.ts';
import { plus } from './operators.ts';
import { textOf } from './text.ts';
import { badArgument, illegalArgument } from './throwable.ts';
import { truth } from './truth.ts';
import { Entry, isNumeric } from './values.ts';

export type Order = (left: unknown, right: unknown) => number;

/** What a closure, a Comparator or nothing says about order. */
export function orderBy(fn: unknown): Order {
  if (fn === null || fn === undefined) return compare;
  if (fn instanceof Closure) {
    if (takesTwo(fn)) return (left, right) => orderNumber(fn.code(fn, left, right));
    if (parameterCount(fn) === 2) return (left, right) => orderNumber(call2(fn, left, right));
    return (left, right) => compare(call1(fn, left), call1(fn, right));
  }
  return (left, right) => orderNumber(call(fn, 'compare', [left, right]));
}

function orderNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (isNumeric(value)) return toInt(value);
  return truth(value) ? 1 : 0;
}

/** Keys are asked for once per item. */
export function sorted(items: readonly unknown[], fn: unknown): unknown[] {
  if (fn instanceof Closure && parameterCount(fn) !== 2) {
    return items
      .map((item) => [call1(fn, item), item] as const)
      .sort(([left], [right]) => compare(left, right))
      .map(([, item]) => item);
  }
  return items.slice().sort(orderBy(fn));
}

/** The same kind of collection with other items. */
export function like(self: unknown, items: unknown[]): unknown {
  return self instanceof JavaSet ? setOf(items, self.similarKind, self.compare) : items;
}

export function best(items: readonly unknown[], fn: unknown, sign: 1 | -1): unknown {
  const candidates = fn === undefined ? items.filter((item) => item !== null) : items;
  if (candidates.length === 0) return null;
  if (fn instanceof Closure && parameterCount(fn) !== 2) {
    let chosen = candidates[0];
    let key = call1(fn, chosen);
    for (const item of candidates.slice(1)) {
      const other = call1(fn, item);
      if (compare(other, key) * sign > 0) [chosen, key] = [item, other];
    }
    return chosen;
  }
  const order = orderBy(fn);
  return candidates.reduce((chosen, item) => (order(item, chosen) * sign > 0 ? item : chosen));
}

export function sum(items: readonly unknown[], start: unknown, fn: unknown): unknown {
  let total = start;
  for (const item of items) {
    const value = fn === undefined ? item : call1(fn, item);
    total = total === undefined ? value : plus(total, value);
  }
  return total === undefined ? null : total;
}

export function average(items: readonly unknown[], fn: unknown): unknown {
  const numbers = items.map((item) => (fn === undefined ? item : call1(fn, item))).filter(isNumeric);
  if (numbers.length === 0) return null;
  return divideNumbers(numbers.reduce(addNumbers), numbers.length);
}

/** The items without those that are equal to an earlier one. */
export function distinct(items: readonly unknown[], fn: unknown): unknown[] {
  if (fn === undefined) {
    const seen = new ItemSet();
    return items.filter((item) => seen.add(item));
  }
  const order = orderBy(fn);
  const kept: unknown[] = [];
  for (const item of items) {
    if (!kept.some((other) => order(other, item) === 0)) kept.push(item);
  }
  return kept;
}

/** Items as the methods of Groovy tell them apart: `1` and `1.0` are the same one, and so are `'a'` and `"${'a'}"`. */
export class ItemSet {
  readonly #items = new Map<unknown, unknown[]>();

  constructor(items: Iterable<unknown> = []) {
    for (const item of items) this.add(item);
  }

  has(item: unknown): boolean {
    return this.#items.get(looseKey(item))?.some((other) => equal(other, item) || other === item) === true;
  }

  /** Whether it was new. */
  add(item: unknown): boolean {
    if (this.has(item)) return false;
    const key = looseKey(item);
    const known = this.#items.get(key);
    if (known === undefined) this.#items.set(key, [item]);
    else known.push(item);
    return true;
  }
}

/** Items that are equal to Groovy have the same. */
function looseKey(item: unknown): unknown {
  if (isNumeric(item)) return toNumber(item);
  if (Array.isArray(item) || item instanceof JavaMap || item instanceof JavaSet) return typeof item;
  return textOf(item) ?? hashKey(item);
}

export function groupBy(
  items: readonly unknown[],
  fns: readonly unknown[],
  read: (fn: unknown, item: unknown) => unknown,
): JavaMap {
  const groups = new JavaMap();
  const [fn, ...others] = fns;
  for (const item of items) {
    const key = fn === undefined ? item : read(fn, item);
    const isPlain = typeof key === 'number' || (typeof key === 'string' && key >= '\u0002');
    const entry = groups.pairs.get(isPlain ? key : hashKey(key));
    if (entry === undefined) groups.put(key, [item]);
    else (entry.value as unknown[]).push(item);
  }
  if (others.length > 0) {
    for (const entry of groups.list()) entry.value = groupBy(entry.value as unknown[], others, read);
  }
  return groups;
}

export function countBy(items: readonly unknown[], read: (item: unknown) => unknown): JavaMap {
  const counts = new JavaMap();
  for (const item of items) {
    const key = read(item);
    const before = counts.find(key)?.value;
    counts.put(key, (typeof before === 'number' ? before : 0) + 1);
  }
  return counts;
}

/** One entry of a new map: a pair, an entry or a map of entries. */
export function addEntry(map: JavaMap, part: unknown): void {
  if (Array.isArray(part) && part.length === 2) map.put(part[0], part[1]);
  else if (part instanceof Entry) map.put(part.key, part.value);
  else if (part instanceof JavaMap) for (const { key, value } of part.list()) map.put(key, value);
  else if (part !== null) {
    const pair = Array.isArray(part) ? part : listOf(part);
    if (pair.length === 0) return;
    map.put(pair[0], pair.length > 1 ? pair[1] : null);
  }
}

export function flatten(items: readonly unknown[], fn?: unknown): unknown[] {
  const flat: unknown[] = [];
  for (const item of items) {
    const isNested = Array.isArray(item) || item instanceof JavaSet;
    if (isNested) flat.push(...flatten(listOf(item), fn));
    else if (fn === undefined) flat.push(item);
    else {
      const value = call1(fn, item);
      if (Array.isArray(value)) flat.push(...flatten(value, undefined));
      else flat.push(value);
    }
  }
  return flat;
}

export function combinations(lists: readonly unknown[]): unknown[][] {
  let all: unknown[][] = [[]];
  for (const list of lists) {
    const items = listOf(list);
    all = items.flatMap((item) => all.map((head) => [...head, item]));
  }
  return lists.length === 0 ? [] : all;
}

export function permutations(items: readonly unknown[]): unknown[][] {
  if (items.length > 9) throw illegalArgument('More than nine items have too many permutations');
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) =>
    permutations([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [item, ...rest]),
  );
}

export function transpose(lists: readonly unknown[]): unknown[][] {
  const rows = lists.map(listOf);
  const length = rows.length === 0 ? 0 : Math.min(...rows.map((row) => row.length));
  return Array.from({ length }, (_, at) => rows.map((row) => row[at]));
}

export function collate(
  items: readonly unknown[],
  size: number,
  step: number,
  keepsRest: boolean,
): unknown[][] {
  if (step === 0 && items.length > 0) throw illegalArgument('step cannot be zero');
  const parts: unknown[][] = [];
  for (let at = 0; at < items.length && at >= 0; at += step) {
    if (!keepsRest && at > items.length - size) break;
    parts.push(items.slice(at, at + size));
  }
  return parts;
}

export function inject(
  items: readonly unknown[],
  args: readonly unknown[],
  read: (fn: unknown, total: unknown, item: unknown) => unknown,
): unknown {
  if (args.length === 1) {
    if (items.length === 0) throw badArgument();
    return items.slice(1).reduce((total, item) => read(args[0], total, item), items[0]);
  }
  return items.reduce((total, item) => read(args[1], total, item), args[0]);
}

/** Truth of a closure, or of `isCase` for `grep` and the like. */
export function accepts(filter: unknown, item: unknown): boolean {
  return filter instanceof Closure ? truth(call1(filter, item)) : isCase(filter, item);
}

export function indexedMap(items: readonly unknown[], offset: number): JavaMap {
  return mapOf(items.map((item, at) => [at + offset, item] as const));
}
