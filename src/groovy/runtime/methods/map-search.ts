import { Closure, call1, call2, parameterCount } from '../closure.ts';
import { addEntry, countBy, groupBy, inject, orderBy, sorted } from '../collecting.ts';
import { listOf } from '../iterate.ts';
import { JavaMap } from '../java-map.ts';
import { JavaSet } from '../java-set.ts';
import { defineMethods } from '../method-table.ts';
import { badArgument } from '../throwable.ts';
import { truth } from '../truth.ts';
import type { Entry } from '../values.ts';
import { count } from './collection-methods.ts';
import { callEntry, mapWith, ordered } from './map-methods.ts';

function accepted(self: JavaMap, fn: unknown): Entry[] {
  return self.list().filter((entry) => truth(callEntry(fn, entry)));
}

function bestEntry(self: JavaMap, fn: unknown, sign: 1 | -1): unknown {
  const entries = self.list();
  if (entries.length === 0) return null;
  const isComparator = fn instanceof Closure && parameterCount(fn) === 2;
  const order = isComparator ? orderBy(fn) : orderBy(undefined);
  const read = (entry: Entry) => (isComparator ? entry : call1(fn, entry));
  return entries.reduce((chosen, entry) => (order(read(entry), read(chosen)) * sign > 0 ? entry : chosen));
}

function collect(self: JavaMap, first: unknown, second: unknown): unknown {
  const items = self.list().map((entry) => callEntry(second === undefined ? first : second, entry));
  if (second === undefined) return items;
  if (Array.isArray(first)) first.push(...items);
  else if (first instanceof JavaSet) for (const item of items) first.add(item);
  else throw badArgument();
  return first;
}

function collectEntries(self: JavaMap, first: unknown, second: unknown): JavaMap {
  const target = first instanceof JavaMap ? first : new JavaMap();
  const fn = first instanceof JavaMap ? second : first;
  for (const entry of self) addEntry(target, callEntry(fn, entry));
  return target;
}

defineMethods('java.util.Map', 'java.lang.Object', {
  'reverseEach/1': (self: JavaMap, fn: unknown) => {
    for (const entry of self.list().reverse()) callEntry(fn, entry);
    return self;
  },
  'collect/1-2': collect,
  'collectMany/1': (self: JavaMap, fn: unknown) =>
    self.list().flatMap((entry) => [...listOf(callEntry(fn, entry))]),
  'collectEntries/1-2': collectEntries,
  'find/1': (self: JavaMap, fn: unknown) => self.list().find((entry) => truth(callEntry(fn, entry))) ?? null,
  'findAll/0-1': (self: JavaMap, fn: unknown) =>
    fn === undefined ? self.list().filter(truth) : mapWith(self, accepted(self, fn)),
  'findResult/1-2': (self: JavaMap, ...args: unknown[]) => {
    for (const entry of self) {
      const result = callEntry(args.at(-1), entry);
      if (result !== null) return result;
    }
    return args.length > 1 ? args[0] : null;
  },
  'findResults/1': (self: JavaMap, fn: unknown) =>
    self
      .list()
      .map((entry) => callEntry(fn, entry))
      .filter((item) => item !== null),
  'any/0-1': (self: JavaMap, fn: unknown) =>
    fn === undefined ? self.size > 0 : accepted(self, fn).length > 0,
  'every/0-1': (self: JavaMap, fn: unknown) =>
    fn === undefined || self.list().every((entry) => truth(callEntry(fn, entry))),
  'count/0-1': (self: JavaMap, fn: unknown) => (fn === undefined ? self.size : accepted(self, fn).length),
  'countBy/1': (self: JavaMap, fn: unknown) => countBy(self.list(), (entry) => callEntry(fn, entry)),
  'groupBy/1+': (self: JavaMap, ...fns: unknown[]) => {
    const groups = groupBy(self.list(), fns, callEntry);
    for (const group of groups.list()) if (Array.isArray(group.value)) group.value = ordered(group.value);
    return groups;
  },
  'groupEntriesBy/1': (self: JavaMap, fn: unknown) => groupBy(self.list(), [fn], callEntry),
  'inject/1-2': (self: JavaMap, ...args: unknown[]) =>
    inject(self.list(), args, (fn, total, entry) => {
      const { key, value } = entry as Entry;
      return fn instanceof Closure && parameterCount(fn) === 3
        ? fn.call([total, key, value])
        : call2(fn, total, entry);
    }),
  'max/1': (self: JavaMap, fn: unknown) => bestEntry(self, fn, 1),
  'min/1': (self: JavaMap, fn: unknown) => bestEntry(self, fn, -1),
  'sort/0-1': (self: JavaMap, fn: unknown) =>
    ordered(fn === undefined ? [...self.list()].sort(byKey) : sorted(self.list(), fn)),
  'toSorted/0-1': (self: JavaMap, fn: unknown) =>
    ordered(fn === undefined ? [...self.list()].sort(byValue) : sorted(self.list(), fn)),
  'subMap/1-2': (self: JavaMap, keys: unknown) => {
    const map = new JavaMap();
    for (const key of listOf(keys)) if (self.has(key)) map.put(key, self.find(key)!.value);
    return map;
  },
  'take/1': (self: JavaMap, size: unknown) => mapWith(self, self.list().slice(0, Math.max(0, count(size)))),
  'drop/1': (self: JavaMap, size: unknown) => mapWith(self, self.list().slice(Math.max(0, count(size)))),
  'takeWhile/1': (self: JavaMap, fn: unknown) => {
    const end = self.list().findIndex((entry) => !truth(callEntry(fn, entry)));
    return mapWith(self, end < 0 ? self.list() : self.list().slice(0, end));
  },
  'dropWhile/1': (self: JavaMap, fn: unknown) => {
    const start = self.list().findIndex((entry) => !truth(callEntry(fn, entry)));
    return mapWith(self, start < 0 ? [] : self.list().slice(start));
  },
});

const byKey = (left: Entry, right: Entry) => orderBy(undefined)(left.key, right.key);

const byValue = (left: Entry, right: Entry) => orderBy(undefined)(left.value, right.value);
