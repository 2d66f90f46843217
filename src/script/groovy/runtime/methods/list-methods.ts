import { toNumber } from '../arithmetic.ts';
import { Closure, call1, call2 } from '../closure.ts';
import { distinct, orderBy, sorted } from '../collecting.ts';
import { javaEquals } from '../equality.ts';
import { index, setIndex } from '../index-access.ts';
import { JavaIterator, listOf } from '../iterate.ts';
import { JavaSet, setOf } from '../java-set.ts';
import { SubList } from '../list-view.ts';
import { defineMethods } from '../method-table.ts';
import { intRange, type Range } from '../range.ts';
import {
  badArgument,
  illegalArgument,
  noSuchElement,
  outOfBounds,
  type Throwable,
  unsupported,
} from '../throwable.ts';
import { truth } from '../truth.ts';
import { isNumeric, JavaObject, type List, listKind } from '../values.ts';
import { count } from './collection-methods.ts';

/** The list itself, when it may grow and shrink. */
function growing(self: unknown): List {
  if (!Array.isArray(self)) throw unsupported(null as never);
  const kind = listKind(self);
  if (kind?.isFixed || kind?.isReadOnly) throw unsupported(null as never);
  return self;
}

/** The list itself, when its items may be replaced. */
function writable(self: unknown): List {
  if (!Array.isArray(self) || listKind(self)?.isReadOnly) throw unsupported(null as never);
  return self;
}

function replace(list: List, items: readonly unknown[]): void {
  list.length = 0;
  for (const item of items) list.push(item);
}

function sort(self: unknown, args: readonly unknown[]): unknown {
  const order = sorted(
    listOf(self),
    args.find((arg) => typeof arg !== 'boolean'),
  );
  if (args[0] === false || !Array.isArray(self)) return order;
  const list = writable(self);
  for (const [at, item] of order.entries()) list[at] = item;
  // With a Comparator it is Java's own method, which gives nothing back.
  return args.length === 1 && args[0] instanceof JavaObject ? null : list;
}

function removeAt(self: unknown, at: unknown): unknown {
  const list = growing(self);
  const position = count(at);
  if (position < 0 || position >= list.length) throw bounds(position, list.length);
  return list.splice(position, 1)[0];
}

function bounds(position: number, length: number): Throwable {
  return outOfBounds(`Index ${position} out of bounds for length ${length}`);
}

function removeElement(self: unknown, item: unknown): boolean {
  const list = growing(self);
  const at = list.findIndex((each) => javaEquals(each, item));
  if (at >= 0) list.splice(at, 1);
  return at >= 0;
}

function keepWhere(self: unknown, keeps: (item: unknown) => boolean): boolean {
  const list = growing(self);
  const kept = list.filter(keeps);
  const isChanged = kept.length !== list.length;
  if (isChanged) replace(list, kept);
  return isChanged;
}

function hasItem(others: unknown): (item: unknown) => boolean {
  if (others instanceof JavaSet) return (item) => others.has(item);
  const set = setOf(listOf(others));
  return (item) => set.has(item);
}

function addAll(self: unknown, first: unknown, second?: unknown): boolean {
  const list = growing(self);
  const items = listOf(second === undefined ? first : second);
  const at = second === undefined ? list.length : count(first);
  if (at < 0 || at > list.length) throw bounds(at, list.length);
  if (at === list.length) for (const item of [...items]) list.push(item);
  else list.splice(at, 0, ...items);
  return items.length > 0;
}

function shuffle(self: unknown): unknown {
  const list = writable(self);
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [list[at], list[other]] = [list[other], list[at]];
  }
  return null;
}

function takeFirst(self: unknown): unknown {
  const list = growing(self);
  if (list.length === 0) throw noSuchElement();
  return list.shift();
}

function takeLast(self: unknown): unknown {
  const list = growing(self);
  if (list.length === 0) throw noSuchElement();
  return list.pop();
}

/** `push` and `pop` work on the front, except on a Stack. */
function isStack(self: unknown): boolean {
  return Array.isArray(self) && listKind(self)?.name === 'Stack';
}

function pop(self: unknown): unknown {
  if (listOf(self).length === 0) throw noSuchElement('Cannot pop() an empty List');
  return isStack(self) ? takeLast(self) : takeFirst(self);
}

function chop(self: unknown, sizes: readonly unknown[]): unknown[] {
  const items = listOf(self);
  let at = 0;
  return sizes.map((size) => {
    const length = count(size) < 0 ? items.length - at : count(size);
    at += length;
    return items.slice(at - length, at);
  });
}

function swap(self: unknown, first: unknown, second: unknown): unknown {
  const list = writable(self);
  [list[count(first)], list[count(second)]] = [list[count(second)], list[count(first)]];
  return list;
}

function subList(self: unknown, from: unknown, to: unknown): unknown {
  const [first, last] = [count(from), count(to)];
  const items = listOf(self);
  if (first < 0) throw outOfBounds(`fromIndex = ${first}`);
  if (last > items.length) throw outOfBounds(`toIndex = ${last}`);
  if (first > last) throw illegalArgument(`fromIndex(${first}) > toIndex(${last})`);
  return Array.isArray(self) && !listKind(self)?.isReadOnly
    ? new SubList(self, first, last)
    : items.slice(first, last);
}

function getOr(self: unknown, at: unknown): unknown {
  const items = listOf(self);
  const position = count(at);
  if (!isNumeric(at)) throw badArgument();
  if (position < 0 || position >= items.length) throw bounds(position, items.length);
  return items[position];
}

function listIterator(self: unknown): unknown {
  let at = 0;
  const list = listOf(self);
  return new JavaIterator(
    () => (at < list.length ? list[at++] : undefined),
    (position) => {
      growing(self).splice(position, 1);
      at--;
    },
  );
}

defineMethods('java.util.List', 'java.util.Collection', {
  'add/1-2': (self: unknown, first: unknown, second?: unknown) => {
    const list = growing(self);
    if (second === undefined) {
      list.push(first);
      return true;
    }
    const at = count(first);
    if (at < 0 || at > list.length) throw outOfBounds(`Index: ${at}, Size: ${list.length}`);
    list.splice(at, 0, second);
    return null;
  },
  'leftShift/1': (self: unknown, item: unknown) => {
    growing(self).push(item);
    return self;
  },
  'addAll/1-2': addAll,
  'addFirst/1': (self: unknown, item: unknown) => {
    growing(self).unshift(item);
    return null;
  },
  'addLast/1': (self: unknown, item: unknown) => {
    growing(self).push(item);
    return null;
  },
  'offer/1': (self: unknown, item: unknown) => growing(self).push(item) > 0,
  'offerLast/1': (self: unknown, item: unknown) => growing(self).push(item) > 0,
  'offerFirst/1': (self: unknown, item: unknown) => growing(self).unshift(item) > 0,
  'peekFirst/0': (self: unknown) => listOf(self).at(0) ?? null,
  'peekLast/0': (self: unknown) => listOf(self).at(-1) ?? null,
  'push/1': (self: unknown, item: unknown) => {
    const list = growing(self);
    if (isStack(self)) {
      list.push(item);
      return item;
    }
    list.unshift(item);
    return listKind(list)?.name === 'LinkedList' ? null : true;
  },
  'pop/0': pop,
  'poll/0': (self: unknown) => (listOf(self).length === 0 ? null : takeFirst(self)),
  'pollFirst/0': (self: unknown) => (listOf(self).length === 0 ? null : takeFirst(self)),
  'pollLast/0': (self: unknown) => (listOf(self).length === 0 ? null : takeLast(self)),
  'peek/0': (self: unknown) => listOf(self).at(isStack(self) ? -1 : 0) ?? null,
  'removeFirst/0': takeFirst,
  'removeLast/0': takeLast,
  'getFirst/0': (self: unknown) => getOr(self, 0),
  'getLast/0': (self: unknown) => getOr(self, listOf(self).length - 1),
  'get/1-2': (self: unknown, at: unknown) => getOr(self, at),
  'getAt/1': index,
  'putAt/2': (self: unknown, at: unknown, item: unknown) => {
    setIndex(self, at, item);
    return null;
  },
  'set/2': (self: unknown, at: unknown, item: unknown) => {
    const list = writable(self);
    const before = getOr(list, at);
    list[count(at)] = item;
    return before;
  },
  'remove/0-1': (self: unknown, what: unknown) => {
    if (what === undefined) return takeFirst(self);
    return typeof what === 'number' ? removeAt(self, what) : removeElement(self, what);
  },
  'removeAt/1': removeAt,
  'removeElement/1': removeElement,
  'removeAll/1': (self: unknown, what: unknown) => {
    if (what instanceof Closure) return keepWhere(self, (item) => !truth(call1(what, item)));
    const isGone = hasItem(what);
    return keepWhere(self, (item) => !isGone(item));
  },
  'retainAll/1': (self: unknown, what: unknown) => {
    if (what instanceof Closure) return keepWhere(self, (item) => truth(call1(what, item)));
    return keepWhere(self, hasItem(what));
  },
  'removeIf/1': (self: unknown, fn: unknown) => keepWhere(self, (item) => !truth(call1(fn, item))),
  'clear/0': (self: unknown) => {
    growing(self).length = 0;
    return null;
  },
  'replaceAll/1': (self: unknown, fn: unknown) => {
    const list = writable(self);
    for (let at = 0; at < list.length; at++) list[at] = call1(fn, list[at]);
    return null;
  },
  'indexOf/1': (self: unknown, what: unknown) => listOf(self).findIndex((item) => javaEquals(item, what)),
  'lastIndexOf/1': (self: unknown, what: unknown) =>
    listOf(self).findLastIndex((item) => javaEquals(item, what)),
  'subList/2': subList,
  'sort/0-2': (self: unknown, ...args: unknown[]) => sort(self, args),
  'unique/0-2': (self: unknown, ...args: unknown[]) => {
    const kept = distinct(
      listOf(self),
      args.find((arg) => typeof arg !== 'boolean'),
    );
    if (args[0] === false || !Array.isArray(self)) return kept;
    replace(growing(self), kept);
    return self;
  },
  'reverse/0-1': (self: unknown, isInPlace: unknown) => {
    if (isInPlace === true) return writable(self).reverse();
    return [...listOf(self)].reverse();
  },
  'reverseEach/1': (self: unknown, fn: unknown) => {
    for (const item of [...listOf(self)].reverse()) call1(fn, item);
    return self;
  },
  'shuffle/0-1': shuffle,
  'shuffled/0-1': (self: unknown) => {
    const copy = [...listOf(self)];
    shuffle(copy);
    return copy;
  },
  'swap/2': swap,
  'clone/0': (self: unknown) => [...listOf(self)],
  'indices/0': (self: unknown) => intRange(0, listOf(self).length, false, true),
  'listIterator/0': listIterator,
  'chop/1+': (self: unknown, ...sizes: unknown[]) => chop(self, sizes),
  'execute/0': () => {
    throw unsupported('Scripts cannot start programs');
  },
  'withDefault/1': () => {
    throw unsupported('Lists with a default are not supported here; check the size instead');
  },
  'eachWithIndex/1': (self: unknown, fn: unknown) => {
    const items = listOf(self);
    for (let at = 0; at < items.length; at++) call2(fn, items[at], at);
    return self;
  },
  'capacity/0': (self: unknown) => listOf(self).length,
  'empty/0': (self: unknown) => listOf(self).length === 0,
  'binarySearch/1-2': (self: unknown, key: unknown, comparator?: unknown) => {
    const items = listOf(self);
    const order = orderBy(comparator);
    let low = 0;
    let high = items.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const difference = order(items[middle], key);
      if (difference === 0) return middle;
      if (difference < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -(low + 1);
  },
});

defineMethods('array', 'java.util.List', {
  'size/0': (self: unknown[]) => self.length,
  'getLength/0': (self: unknown[]) => self.length,
  'clone/0': (self: List) => copyArray(self),
});

function copyArray(self: List): unknown[] {
  const copy: List = [...self];
  const kind = listKind(self);
  if (kind !== undefined)
    Object.defineProperty(copy, Object.getOwnPropertySymbols(self)[0]!, { value: kind, writable: true });
  return copy;
}

function step(range: Range, by: unknown): unknown[] {
  const size = count(by);
  if (size === 0) throw illegalArgument('Infinite loop detected due to step size of 0');
  const items = size < 0 ? [...range.items].reverse() : range.items;
  return items.filter((_item, at) => at % Math.abs(size) === 0);
}

defineMethods('groovy.lang.Range', 'java.util.List', {
  'size/0': (self: Range) => self.size,
  'isEmpty/0': (self: Range) => self.isEmpty,
  'getFrom/0': (self: Range) => self.low,
  'getTo/0': (self: Range) => self.high,
  'getFromInt/0': (self: Range) => self.low,
  'getToInt/0': (self: Range) => self.high,
  'isReverse/0': (self: Range) => self.isReverse,
  'step/1-2': (self: Range, by: unknown, fn?: unknown) => {
    const items = step(self, by);
    if (fn === undefined) return items;
    for (const item of items) call1(fn, item);
    return null;
  },
  'by/1': step,
  'containsWithinBounds/1': (self: Range, value: unknown) => {
    if (!isNumeric(value) || !self.isInt) return self.items.some((item) => javaEquals(item, value));
    const number = toNumber(value);
    return number >= (self.low as number) && number <= (self.high as number);
  },
  'contains/1': (self: Range, value: unknown) => {
    if (!self.isInt) return self.items.some((item) => javaEquals(item, value));
    if (!isNumeric(value) || self.isEmpty) return false;
    const number = toNumber(value);
    return Number.isInteger(number) && number >= (self.low as number) && number <= (self.high as number);
  },
});

// Its other parents are no lists, but an ArrayDeque is one here.
defineMethods('java.util.ArrayDeque', 'java.util.List', {});
