import { MAP_KINDS } from '../casting.ts';
import { Closure, call1, call2, parameterCount } from '../closure.ts';
import { addEntry, countBy, groupBy, inject, orderBy, sorted } from '../collecting.ts';
import { equal, javaEquals } from '../equality.ts';
import { listOf } from '../iterate.ts';
import { JavaMap } from '../java-map.ts';
import { JavaSet } from '../java-set.ts';
import { ValuesView } from '../list-view.ts';
import { defineMethods } from '../method-table.ts';
import { toText } from '../text.ts';
import { badArgument, noSuchElement } from '../throwable.ts';
import { truth } from '../truth.ts';
import { Entry } from '../values.ts';
import { count, iteratorOf } from './collection-methods.ts';

/** Closures with two parameters get key and value, others the entry. */
export function callEntry(fn: unknown, entry: unknown): unknown {
  const { key, value } = entry as Entry;
  if (parameterCount(fn) === 2 || !(fn instanceof Closure)) return call2(fn, key, value);
  return call1(fn, entry);
}

function accepted(self: JavaMap, fn: unknown): Entry[] {
  return self.list().filter((entry) => truth(callEntry(fn, entry)));
}

function mapWith(self: JavaMap, entries: Iterable<Entry>): JavaMap {
  const map =
    self.kind === 'TreeMap'
      ? self.emptyCopy()
      : new JavaMap(self.kind === 'HashMap' ? 'HashMap' : 'LinkedHashMap');
  for (const { key, value } of entries) map.put(key, value);
  return map;
}

function ordered(entries: readonly unknown[]): JavaMap {
  const map = new JavaMap();
  for (const entry of entries) addEntry(map, entry);
  return map;
}

function copyWith(self: JavaMap, other: unknown): JavaMap {
  const copy = mapWith(self, self.list());
  for (const part of other instanceof JavaMap ? [other] : listOf(other)) addEntry(copy, part);
  return copy;
}

function putAll(self: JavaMap, other: unknown): null {
  for (const part of other instanceof JavaMap ? [other] : listOf(other)) addEntry(self, part);
  return null;
}

function without(self: JavaMap, other: unknown): JavaMap {
  const gone = other instanceof JavaMap ? other : ordered(listOf(other));
  return mapWith(
    self,
    self.list().filter(({ key, value }) => {
      const entry = gone.find(key);
      return entry === undefined || !equal(entry.value, value);
    }),
  );
}

/** Keys or entries, which can be taken out of the map through the set. */
function view(self: JavaMap, items: readonly unknown[]): JavaSet {
  const set = new JavaSet('LinkedHashSet', undefined, self);
  for (const item of items) set.hold(item);
  return set;
}

function removeWhere(self: JavaMap, isGone: (entry: Entry) => boolean): boolean {
  const gone = self.list().filter(isGone);
  for (const { key } of gone) self.remove(key);
  return gone.length > 0;
}

function bestEntry(self: JavaMap, fn: unknown, sign: 1 | -1): unknown {
  const entries = self.list();
  if (entries.length === 0) return null;
  const isComparator = fn instanceof Closure && parameterCount(fn) === 2;
  const order = isComparator ? orderBy(fn) : orderBy(undefined);
  const read = (entry: Entry) => (isComparator ? entry : call1(fn, entry));
  return entries.reduce((chosen, entry) => (order(read(entry), read(chosen)) * sign > 0 ? entry : chosen));
}

function computeIfAbsent(self: JavaMap, key: unknown, fn: unknown): unknown {
  const entry = self.find(key);
  if (entry !== undefined && entry.value !== null) return entry.value;
  const value = call1(fn, key);
  if (value !== null) self.put(key, value);
  return value;
}

function compute(self: JavaMap, key: unknown, fn: unknown): unknown {
  return keepComputed(self, key, call2(fn, key, self.find(key)?.value ?? null));
}

function keepComputed(self: JavaMap, key: unknown, value: unknown): unknown {
  if (value === null) self.remove(key);
  else self.put(key, value);
  return value;
}

function merge(self: JavaMap, key: unknown, value: unknown, fn: unknown): unknown {
  const before = self.find(key)?.value ?? null;
  return keepComputed(self, key, before === null ? value : call2(fn, before, value));
}

function firstKey(self: JavaMap, at: 0 | -1): unknown {
  const entry = self.list().at(at);
  if (entry === undefined) throw noSuchElement();
  return entry.key;
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
  'get/1-2': (self: JavaMap, key: unknown, byDefault?: unknown) => {
    const entry = self.find(key);
    if (entry !== undefined) return entry.value;
    if (byDefault !== undefined) self.put(key, byDefault);
    return byDefault === undefined ? self.get(key) : byDefault;
  },
  'getOrDefault/2': (self: JavaMap, key: unknown, byDefault: unknown) =>
    self.find(key)?.value ?? (self.has(key) ? null : byDefault),
  'getAt/1': (self: JavaMap, key: unknown) => self.get(key),
  'put/2': (self: JavaMap, key: unknown, value: unknown) => self.put(key, value),
  'putAt/2': (self: JavaMap, key: unknown, value: unknown) => {
    self.put(key, value);
    return value;
  },
  'putIfAbsent/2': (self: JavaMap, key: unknown, value: unknown) => {
    const before = self.find(key)?.value ?? null;
    if (before === null) self.put(key, value);
    return before;
  },
  'putAll/1': putAll,
  'leftShift/1': (self: JavaMap, other: unknown) => {
    putAll(self, other instanceof Entry ? [other] : other);
    return self;
  },
  'remove/1-2': (self: JavaMap, key: unknown, value?: unknown) => {
    if (value === undefined) return self.remove(key);
    const isSame = self.has(key) && javaEquals(self.find(key)!.value, value);
    if (isSame) self.remove(key);
    return isSame;
  },
  'replace/2-3': (self: JavaMap, key: unknown, value: unknown) =>
    self.has(key) ? self.put(key, value) : null,
  'replaceAll/1': (self: JavaMap, fn: unknown) => {
    for (const entry of self) entry.value = call2(fn, entry.key, entry.value);
    return null;
  },
  'clear/0': (self: JavaMap) => {
    self.clear();
    return null;
  },
  'computeIfAbsent/2': computeIfAbsent,
  'computeIfPresent/2': (self: JavaMap, key: unknown, fn: unknown) =>
    (self.find(key)?.value ?? null) === null ? null : compute(self, key, fn),
  'compute/2': compute,
  'merge/3': merge,
  'size/0': (self: JavaMap) => self.size,
  'isEmpty/0': (self: JavaMap) => self.size === 0,
  'containsKey/1': (self: JavaMap, key: unknown) => self.has(key),
  'containsValue/1': (self: JavaMap, value: unknown) => self.values().some((item) => javaEquals(item, value)),
  'keySet/0': (self: JavaMap) => view(self, self.keys()),
  'values/0': (self: JavaMap) => new ValuesView(self),
  'entrySet/0': (self: JavaMap) => view(self, self.list()),
  'iterator/0': iteratorOf,
  'each/1': (self: JavaMap, fn: unknown) => {
    for (const entry of self) callEntry(fn, entry);
    return self;
  },
  'forEach/1': (self: JavaMap, fn: unknown) => {
    for (const entry of self) callEntry(fn, entry);
    return null;
  },
  'eachWithIndex/1': (self: JavaMap, fn: unknown) => {
    let at = 0;
    for (const entry of self) {
      if (parameterCount(fn) === 3) (fn as Closure).call([entry.key, entry.value, at++]);
      else call2(fn, entry, at++);
    }
    return self;
  },
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
      return parameterCount(fn) === 3 ? (fn as Closure).call([total, key, value]) : call2(fn, total, entry);
    }),
  'max/1': (self: JavaMap, fn: unknown) => bestEntry(self, fn, 1),
  'min/1': (self: JavaMap, fn: unknown) => bestEntry(self, fn, -1),
  'sort/0-1': (self: JavaMap, fn: unknown) =>
    ordered(fn === undefined ? [...self.list()].sort(byKey) : sorted(self.list(), fn)),
  'toSorted/0-1': (self: JavaMap, fn: unknown) =>
    ordered(fn === undefined ? [...self.list()].sort(byValue) : sorted(self.list(), fn)),
  'toList/0': (self: JavaMap) => self.list(),
  'asList/0': (self: JavaMap) => self.list(),
  'plus/1': copyWith,
  'minus/1': without,
  'intersect/1': (self: JavaMap, other: JavaMap) =>
    mapWith(
      self,
      self.list().filter(({ key, value }) => other.has(key) && equal(other.find(key)!.value, value)),
    ),
  'subMap/1-2': (self: JavaMap, keys: unknown) => {
    const map = new JavaMap();
    for (const key of listOf(keys)) if (self.has(key)) map.put(key, self.find(key)!.value);
    return map;
  },
  'withDefault/1': (self: JavaMap, fn: unknown) => {
    const map = self.emptyCopy();
    map.pairs = self.pairs;
    map.byDefault = fn;
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
  'removeAll/1': (self: JavaMap, fn: unknown) => removeWhere(self, (entry) => truth(callEntry(fn, entry))),
  'retainAll/1': (self: JavaMap, fn: unknown) => removeWhere(self, (entry) => !truth(callEntry(fn, entry))),
  'isCase/1': (self: JavaMap, key: unknown) => truth(self.find(key)?.value ?? null),
  'clone/0': (self: JavaMap) => mapWith(self, self.list()),
  'asImmutable/0': (self: JavaMap) => frozenMap(self),
  'asUnmodifiable/0': (self: JavaMap) => frozenMap(self),
  'asSynchronized/0': (self: JavaMap) => self,
  'toMapString/0': toText,
  'firstKey/0': (self: JavaMap) => firstKey(self, 0),
  'lastKey/0': (self: JavaMap) => firstKey(self, -1),
  'firstEntry/0': (self: JavaMap) => self.list()[0] ?? null,
  'lastEntry/0': (self: JavaMap) => self.list().at(-1) ?? null,
  'pollFirstEntry/0': (self: JavaMap) => {
    const [entry] = self.list();
    if (entry !== undefined) self.remove(entry.key);
    return entry ?? null;
  },
  'getProperty/1': (self: JavaMap, key: unknown) => self.get(key),
});

const byKey = (left: unknown, right: unknown) =>
  orderBy(undefined)((left as Entry).key, (right as Entry).key);
const byValue = (left: unknown, right: unknown) =>
  orderBy(undefined)((left as Entry).value, (right as Entry).value);

export function frozenMap(self: JavaMap): JavaMap {
  const map = new JavaMap('UnmodifiableMap', self.compare);
  for (const [hashed, { key, value }] of self.pairs) map.pairs.set(hashed, new Entry(key, value));
  return map;
}

defineMethods('java.util.Map$Entry', 'java.lang.Object', {
  'getKey/0': (self: Entry) => self.key,
  'getValue/0': (self: Entry) => self.value,
  'setValue/1': (self: Entry, value: unknown) => {
    const before = self.value;
    self.value = value;
    return before;
  },
});

export function mapOfKind(className: string, entries: Iterable<Entry>): JavaMap {
  const map = new JavaMap(
    MAP_KINDS[className] ?? 'LinkedHashMap',
    /Tree|Sorted/.test(className) ? orderBy(undefined) : undefined,
  );
  for (const { key, value } of entries) map.put(key, value);
  return map;
}
