import { toInt } from '../arithmetic.ts';
import { toArray } from '../casting.ts';
import { Closure, call1, call2 } from '../closure.ts';
import {
  accepts,
  addEntry,
  average,
  best,
  collate,
  combinations,
  countBy,
  distinct,
  flatten,
  groupBy,
  indexedMap,
  inject,
  like,
  numberKey,
  permutations,
  sorted,
  sum,
  transpose,
} from '../collecting.ts';
import { call, callValue } from '../dispatch.ts';
import { equal, itemsOf, javaEquals } from '../equality.ts';
import { index } from '../index-access.ts';
import { JavaIterator, listOf } from '../iterate.ts';
import { arrayType, classNamed, type JavaClass } from '../java-class.ts';
import { JavaMap, mapOf } from '../java-map.ts';
import { JavaSet, setOf } from '../java-set.ts';
import { defineMethods, instanceMethods } from '../method-table.ts';
import { toText } from '../text.ts';
import { badArgument, concurrentModification, noSuchElement } from '../throwable.ts';
import { truth } from '../truth.ts';
import { type List, markList, type Numeric } from '../values.ts';
import './object-methods.ts';

export function count(value: unknown): number {
  return toInt(value as Numeric);
}

/** Calls the visitor with each item; a list that grows or shrinks meanwhile fails as in Java. */
export function visit(self: unknown, visitor: (item: unknown, at: number) => void): void {
  const items = listOf(self);
  const before = items.length;
  for (let at = 0; at < items.length; at++) {
    visitor(items[at], at);
    if (items.length !== before && at + 1 !== items.length) throw concurrentModification();
  }
}

function each(self: unknown, fn: unknown): unknown {
  visit(self, (item) => call1(fn, item));
  return self;
}

function take(self: unknown, first: number, last: number): unknown {
  return like(self, listOf(self).slice(Math.max(0, first), Math.max(0, last)));
}

function firstOf(self: unknown): unknown {
  const items = listOf(self);
  if (items.length === 0)
    throw noSuchElement(
      `Cannot access first() element from an empty ${self instanceof JavaSet ? 'Iterable' : 'List'}`,
    );
  return items[0];
}

function lastOf(self: unknown): unknown {
  const items = listOf(self);
  if (items.length === 0)
    throw noSuchElement(
      `Cannot access last() element from an empty ${self instanceof JavaSet ? 'Iterable' : 'List'}`,
    );
  return items.at(-1);
}

function collectEntries(items: readonly unknown[], first: unknown, second: unknown): JavaMap {
  const target = first instanceof JavaMap ? first : new JavaMap();
  const fn = first instanceof JavaMap ? second : first;
  for (const item of items) addEntry(target, fn === undefined ? item : call1(fn, item));
  return target;
}

function collectInto(self: unknown, first: unknown, second: unknown): unknown {
  if (first === undefined) return [...listOf(self)];
  if (second === undefined) {
    const result: unknown[] = [];
    visit(self, (item) => result.push(call1(first, item)));
    return result;
  }
  for (const item of listOf(self)) call(first, 'add', [call1(second, item)]);
  return first;
}

function indexWhere(self: unknown, args: readonly unknown[], isLast: boolean): number {
  const start = args.length > 1 ? count(args[0]) : 0;
  const fn = args.at(-1);
  const items = listOf(self);
  const fits = (item: unknown, at: number) => at >= start && truth(call1(fn, item));
  return isLast ? items.findLastIndex(fits) : items.findIndex(fits);
}

function without(self: unknown, other: unknown): unknown {
  const removed = itemsOf(other) ?? (other instanceof JavaSet ? other.list() : [other]);
  const keys = new Set(removed.map(numberKey));
  return like(
    self,
    listOf(self).filter(
      (item) =>
        !keys.has(numberKey(item)) && !removed.some((each) => typeof each === 'object' && equal(each, item)),
    ),
  );
}

function collectNested(items: readonly unknown[], fn: unknown): unknown[] {
  return items.map((item) =>
    Array.isArray(item) || item instanceof JavaSet ? collectNested(listOf(item), fn) : call1(fn, item),
  );
}

defineMethods('java.util.Collection', 'java.lang.Object', {
  'each/1': each,
  'forEach/1': (self: unknown, fn: unknown) => {
    each(self, fn);
    return null;
  },
  'eachWithIndex/1': (self: unknown, fn: unknown) => {
    visit(self, (item, at) => call2(fn, item, at));
    return self;
  },
  'collect/0-2': collectInto,
  'collectMany/1-2': (self: unknown, fn: unknown) =>
    listOf(self).flatMap((item) => [...listOf(call1(fn, item))]),
  'collectNested/1': (self: unknown, fn: unknown) => collectNested(listOf(self), fn),
  'collectEntries/0-2': (self: unknown, first: unknown, second: unknown) =>
    collectEntries(listOf(self), first, second),
  'find/0-1': (self: unknown, fn: unknown) => {
    const found = listOf(self).find((item) => truth(fn === undefined ? item : call1(fn, item)));
    return found === undefined ? null : found;
  },
  'findAll/0-1': (self: unknown, fn: unknown) =>
    like(
      self,
      listOf(self).filter((item) => truth(fn === undefined ? item : call1(fn, item))),
    ),
  'findResult/1-2': (self: unknown, ...args: unknown[]) => {
    for (const item of listOf(self)) {
      const result = call1(args.at(-1), item);
      if (result !== null) return result;
    }
    return args.length > 1 ? args[0] : null;
  },
  'findResults/0-1': (self: unknown, fn: unknown) =>
    listOf(self)
      .map((item) => (fn === undefined ? item : call1(fn, item)))
      .filter((item) => item !== null),
  'findIndexOf/1-2': (self: unknown, ...args: unknown[]) => indexWhere(self, args, false),
  'findLastIndexOf/1-2': (self: unknown, ...args: unknown[]) => indexWhere(self, args, true),
  'findIndexValues/1': (self: unknown, fn: unknown) =>
    listOf(self).flatMap((item, at) => (truth(call1(fn, item)) ? [BigInt(at)] : [])),
  'grep/0-1': (self: unknown, filter: unknown) =>
    like(
      self,
      listOf(self).filter((item) => (filter === undefined ? truth(item) : accepts(filter, item))),
    ),
  'any/0-1': (self: unknown, fn: unknown) =>
    listOf(self).some((item) => truth(fn === undefined ? item : call1(fn, item))),
  'every/0-1': (self: unknown, fn: unknown) =>
    listOf(self).every((item) => truth(fn === undefined ? item : call1(fn, item))),
  'split/1': (self: unknown, fn: unknown) => {
    const items = listOf(self);
    const yes = items.filter((item) => truth(call1(fn, item)));
    return [yes, items.filter((item) => !yes.includes(item))].map((part) => like(self, part));
  },
  'inject/1-2': (self: unknown, ...args: unknown[]) => inject(listOf(self), args, call2),
  'sum/0-2': (self: unknown, first: unknown, second: unknown) =>
    first instanceof Closure ? sum(listOf(self), undefined, first) : sum(listOf(self), first, second),
  'average/0-1': (self: unknown, fn: unknown) => average(listOf(self), fn),
  'max/0-1': (self: unknown, fn: unknown) => best(listOf(self), fn, 1),
  'min/0-1': (self: unknown, fn: unknown) => best(listOf(self), fn, -1),
  'count/0-1': (self: unknown, what: unknown) => {
    if (what === undefined) return listOf(self).length;
    return listOf(self).filter((item) =>
      what instanceof Closure ? truth(call1(what, item)) : equal(item, what),
    ).length;
  },
  'countBy/0-1': (self: unknown, fn: unknown) =>
    countBy(listOf(self), (item) => (fn === undefined ? item : call1(fn, item))),
  'groupBy/1+': (self: unknown, ...fns: unknown[]) =>
    groupBy(listOf(self), fns.length === 1 && Array.isArray(fns[0]) ? fns[0] : fns, call1),
  'indexBy/1': (self: unknown, fn: unknown) =>
    mapOf(listOf(self).map((item) => [call1(fn, item), item] as const)),
  'join/0-1': (self: unknown, separator: unknown = '') => listOf(self).map(toText).join(toText(separator)),
  'sort/0-2': (self: unknown, ...args: unknown[]) =>
    sorted(
      listOf(self),
      args.find((arg) => typeof arg !== 'boolean'),
    ),
  'toSorted/0-1': (self: unknown, fn: unknown) => sorted(listOf(self), fn),
  'unique/0-2': (self: unknown, ...args: unknown[]) =>
    like(
      self,
      distinct(
        listOf(self),
        args.find((arg) => typeof arg !== 'boolean'),
      ),
    ),
  'toUnique/0-1': (self: unknown, fn: unknown) => like(self, distinct(listOf(self), fn)),
  'first/0': firstOf,
  'head/0': firstOf,
  'last/0': lastOf,
  'tail/0': (self: unknown) => {
    if (listOf(self).length === 0) throw noSuchElement('Cannot access tail() for an empty iterable');
    return take(self, 1, listOf(self).length);
  },
  'init/0': (self: unknown) => {
    if (listOf(self).length === 0) throw noSuchElement('Cannot access init() for an empty Iterable');
    return take(self, 0, listOf(self).length - 1);
  },
  'take/1': (self: unknown, size: unknown) => take(self, 0, count(size)),
  'takeRight/1': (self: unknown, size: unknown) =>
    take(self, listOf(self).length - Math.max(0, count(size)), listOf(self).length),
  'drop/1': (self: unknown, size: unknown) => take(self, Math.max(0, count(size)), listOf(self).length),
  'dropRight/1': (self: unknown, size: unknown) =>
    take(self, 0, listOf(self).length - Math.max(0, count(size))),
  'takeWhile/1': (self: unknown, fn: unknown) => {
    const end = listOf(self).findIndex((item) => !truth(call1(fn, item)));
    return take(self, 0, end < 0 ? listOf(self).length : end);
  },
  'dropWhile/1': (self: unknown, fn: unknown) => {
    const start = listOf(self).findIndex((item) => !truth(call1(fn, item)));
    return take(self, start < 0 ? listOf(self).length : start, listOf(self).length);
  },
  'contains/1': (self: unknown, value: unknown) =>
    self instanceof JavaSet ? self.has(value) : listOf(self).some((item) => javaEquals(item, value)),
  'containsAll/1': (self: unknown, others: unknown) => {
    const items = listOf(self);
    return listOf(others).every((other) => items.some((item) => javaEquals(item, other)));
  },
  'isEmpty/0': (self: unknown) => listOf(self).length === 0,
  'size/0': (self: unknown) => listOf(self).length,
  'toList/0': (self: unknown) => [...listOf(self)],
  'asList/0': (self: unknown) => [...listOf(self)],
  'toSet/0': (self: unknown) => setOf(listOf(self)),
  'toArray/0-1': (self: unknown, kind: unknown) => {
    const items = listOf(self);
    const type = Array.isArray(kind) ? (call(kind, 'getClass', []) as JavaClass) : undefined;
    return toArray(items, type ?? arrayType(objectClass()));
  },
  'flatten/0-1': (self: unknown, fn: unknown) => like(self, flatten(listOf(self), fn)),
  'transpose/0': (self: unknown) => transpose(listOf(self)),
  'combinations/0-1': (self: unknown, fn: unknown) => {
    const all = combinations(listOf(self));
    return fn === undefined ? all : all.map((each) => call1(fn, each));
  },
  'eachCombination/1': (self: unknown, fn: unknown) => {
    for (const each of combinations(listOf(self))) call1(fn, each);
    return null;
  },
  'permutations/0-1': (self: unknown, fn: unknown) => {
    const all = permutations(listOf(self));
    return fn === undefined ? setOf(all, 'HashSet') : all.map((each) => call1(fn, each));
  },
  'eachPermutation/1': (self: unknown, fn: unknown) => {
    for (const each of permutations(listOf(self))) call1(fn, each);
    return null;
  },
  'collate/1-3': (self: unknown, size: unknown, second?: unknown, third?: unknown) => {
    const step = second === undefined || typeof second === 'boolean' ? count(size) : count(second);
    return collate(listOf(self), count(size), step, (typeof second === 'boolean' ? second : third) !== false);
  },
  'withIndex/0-2': (self: unknown, first?: unknown, second?: unknown) => {
    const offset = first === undefined || first instanceof Closure ? 0 : count(first);
    const fn = first instanceof Closure ? first : second;
    return listOf(self).map((item, at) =>
      fn === undefined ? [item, at + offset] : call2(fn, item, at + offset),
    );
  },
  'indexed/0-1': (self: unknown, offset: unknown = 0) => indexedMap(listOf(self), count(offset)),
  'intersect/1': (self: unknown, other: unknown) => {
    const keys = new Set(listOf(other).map(numberKey));
    return like(
      self,
      distinct(
        listOf(self).filter((item) => keys.has(numberKey(item))),
        undefined,
      ),
    );
  },
  'disjoint/1': (self: unknown, other: unknown) => {
    const keys = new Set(listOf(other).map(numberKey));
    return !listOf(self).some((item) => keys.has(numberKey(item)));
  },
  'plus/1': (self: unknown, other: unknown) => {
    const isGroup = itemsOf(other) !== undefined || other instanceof JavaSet;
    return like(self, [...listOf(self), ...(isGroup ? listOf(other) : [other])]);
  },
  'minus/1': without,
  'multiply/1': (self: unknown, times: unknown) =>
    Array.from({ length: count(times) }, () => listOf(self)).flat(),
  'iterator/0': (self: unknown) => iteratorOf(self),
  'asImmutable/0': (self: unknown) => frozen(self),
  'asUnmodifiable/0': (self: unknown) => frozen(self),
  'asSynchronized/0': (self: unknown) => self,
  'subsequences/0': (self: unknown) => {
    const items = listOf(self);
    if (items.length > 15) throw badArgument();
    const all = Array.from({ length: 2 ** items.length - 1 }, (_, bits) =>
      items.filter((_item, at) => ((bits + 1) >> at) & 1),
    );
    return setOf(all, 'HashSet');
  },
  'inits/0': (self: unknown) =>
    Array.from({ length: listOf(self).length + 1 }, (_, cut) =>
      listOf(self).slice(0, listOf(self).length - cut),
    ),
  'tails/0': (self: unknown) =>
    Array.from({ length: listOf(self).length + 1 }, (_, cut) => listOf(self).slice(cut)),
  'getAt/1': (self: unknown, at: unknown) => index([...listOf(self)], at),
  'getIndices/0': (self: unknown) => call(listOf(self), 'indices', []),
  'call/1+': (self: unknown, ...args: unknown[]) => callValue(call(self, 'getAt', args), []),
});

function objectClass(): JavaClass {
  return classNamed('java.lang.Object');
}

export function frozen(self: unknown): unknown {
  if (self instanceof JavaSet) {
    const copy = new JavaSet('UnmodifiableSet', self.compare);
    for (const item of self.list()) copy.hold(item);
    return copy;
  }
  return markList([...listOf(self)], {
    name: 'Collections$UnmodifiableList',
    isFixed: true,
    isReadOnly: true,
  });
}

/** Over a list or set that the iterator may take items out of. */
export function iteratorOf(self: unknown): JavaIterator {
  if (self instanceof JavaIterator) return self;
  if (Array.isArray(self)) {
    let at = 0;
    let size = self.length;
    const next = () => {
      if (at >= self.length) return undefined;
      if (self.length !== size) throw concurrentModification();
      return self[at++];
    };
    return new JavaIterator(next, (position) => {
      (self as List).splice(position, 1);
      at--;
      size--;
    });
  }
  const items = [...listOf(self)];
  let at = 0;
  const remove = (position: number) => {
    const [item] = items.splice(position, 1);
    at--;
    if (self instanceof JavaSet) self.delete(item);
    if (self instanceof JavaMap) self.remove((item as { key: unknown }).key);
  };
  return new JavaIterator(() => (at < items.length ? items[at++] : undefined), remove);
}

/** Classes of scripts that can be walked have what collections have. */
defineMethods('java.lang.Iterable', 'java.util.Collection', {});
defineMethods('java.util.Iterator', 'java.util.Collection', {
  'hasNext/0': (self: JavaIterator) => self.hasNext(),
  'next/0': (self: JavaIterator) => {
    const item = self.next();
    if (item === undefined) throw noSuchElement();
    return item;
  },
  'remove/0': (self: JavaIterator) => {
    self.remove();
    return null;
  },
  'iterator/0': (self: unknown) => self,
});

const ofAnything = instanceMethods('java.util.Collection')!;

/** Other objects are collections of themselves to these. */
defineMethods(
  'java.lang.Object',
  null,
  Object.fromEntries(
    [
      'collect/0-2',
      'eachWithIndex/1',
      'every/0-1',
      'any/0-1',
      'find/0-1',
      'findAll/0-1',
      'findIndexOf/1-2',
      'findResult/1-2',
      'grep/0-1',
      'inject/1-2',
    ].map((key) => [key, ofAnything[key.slice(0, key.indexOf('/'))]!.run]),
  ),
);
