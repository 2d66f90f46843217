import { call1 } from '../closure.ts';
import { distinct, orderBy, sorted } from '../collecting.ts';
import { listOf } from '../iterate.ts';
import { ListIterator } from '../list-iterator.ts';
import { ReversedList, SubList } from '../list-view.ts';
import { defineMethods } from '../method-table.ts';
import { illegalArgument, outOfBounds, unsupported } from '../throwable.ts';
import { JavaObject, listKind } from '../values.ts';
import { count } from './collection-methods.ts';
import { growing, replace, writable } from './list-methods.ts';

function sort(self: unknown, args: readonly unknown[]): unknown {
  const order = sorted(listOf(self), typeof args[0] === 'boolean' ? args[1] : args[0]);
  if (args[0] === false || !Array.isArray(self)) return order;
  const list = writable(self);
  for (let at = 0; at < order.length; at++) list[at] = order[at];
  // With a Comparator it is Java's own method, which gives nothing back.
  return args.length === 1 && args[0] instanceof JavaObject ? null : list;
}

function shuffle(self: unknown): unknown {
  const list = writable(self);
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [list[at], list[other]] = [list[other], list[at]];
  }
  return null;
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

function listIterator(self: unknown, from: unknown = 0): unknown {
  return new ListIterator(Array.isArray(self) ? growing(self) : [...listOf(self)], count(from));
}

/** The list from behind: what is changed in one is changed in the other. */
function reversed(self: unknown): unknown {
  return Array.isArray(self) ? new ReversedList(self) : [...listOf(self)].reverse();
}

defineMethods('java.util.List', 'java.util.Collection', {
  'replaceAll/1': (self: unknown, fn: unknown) => {
    const list = writable(self);
    for (let at = 0; at < list.length; at++) list[at] = call1(fn, list[at]);
    return null;
  },
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
    return listOf(self).slice().reverse();
  },
  'reverseEach/1': (self: unknown, fn: unknown) => {
    for (const item of listOf(self).slice().reverse()) call1(fn, item);
    return self;
  },
  'shuffle/0-1': shuffle,
  'shuffled/0-1': (self: unknown) => {
    const copy = listOf(self).slice();
    shuffle(copy);
    return copy;
  },
  'swap/2': swap,
  'listIterator/0-1': listIterator,
  'asReversed/0': reversed,
  'chop/1+': (self: unknown, ...sizes: unknown[]) => chop(self, sizes),
  'execute/0': () => {
    throw unsupported('Scripts cannot start programs');
  },
  'withDefault/1': () => {
    throw unsupported('Lists with a default are not supported here; check the size instead');
  },
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
