import { call1, call2 } from '../closure.ts';
import { compare, equal, javaEquals } from '../equality.ts';
import { JavaMap } from '../java-map.ts';
import { defineMethods } from '../method-table.ts';
import { toText } from '../text.ts';
import { noSuchElement } from '../throwable.ts';
import { truth } from '../truth.ts';
import { Entry } from '../values.ts';
import { callEntry, mapWith } from './map-methods.ts';

function removeWhere(self: JavaMap, isGone: (entry: Entry) => boolean): boolean {
  const gone = self.list().filter(isGone);
  for (const { key } of gone) self.remove(key);
  return gone.length > 0;
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

defineMethods('java.util.Map', 'java.lang.Object', {
  'putIfAbsent/2': (self: JavaMap, key: unknown, value: unknown) => {
    const before = self.find(key)?.value ?? null;
    if (before === null) self.put(key, value);
    return before;
  },
  'replace/2-3': (self: JavaMap, key: unknown, value: unknown, next?: unknown) => {
    if (next === undefined) return self.has(key) ? self.put(key, value) : null;
    const isSame = self.has(key) && javaEquals(self.find(key)!.value, value);
    if (isSame) self.put(key, next);
    return isSame;
  },
  'replaceAll/1': (self: JavaMap, fn: unknown) => {
    for (const entry of self) entry.value = call2(fn, entry.key, entry.value);
    return null;
  },
  'computeIfAbsent/2': computeIfAbsent,
  'computeIfPresent/2': (self: JavaMap, key: unknown, fn: unknown) =>
    (self.find(key)?.value ?? null) === null ? null : compute(self, key, fn),
  'compute/2': compute,
  'merge/3': merge,
  'intersect/1': (self: JavaMap, other: JavaMap) =>
    mapWith(
      self,
      self.list().filter(({ key, value }) => other.has(key) && equal(other.find(key)!.value, value)),
    ),
  'withDefault/1': (self: JavaMap, fn: unknown) => {
    const map = self.emptyCopy();
    map.pairs = self.pairs;
    map.byDefault = fn;
    return map;
  },
  'removeAll/1': (self: JavaMap, fn: unknown) => removeWhere(self, (entry) => truth(callEntry(fn, entry))),
  'retainAll/1': (self: JavaMap, fn: unknown) => removeWhere(self, (entry) => !truth(callEntry(fn, entry))),
  'asImmutable/0': (self: JavaMap) => frozenMap(self),
  'asUnmodifiable/0': (self: JavaMap) => frozenMap(self),
  'asSynchronized/0': (self: JavaMap) => self,
  'toMapString/0': toText,
  'firstKey/0': (self: JavaMap) => firstKey(self, 0),
  'lastKey/0': (self: JavaMap) => firstKey(self, -1),
  'headMap/1-2': (self: JavaMap, to: unknown, isIncluded: unknown = false) =>
    between(self, (order) => order(to) < (isIncluded === true ? 1 : 0)),
  'tailMap/1-2': (self: JavaMap, from: unknown, isIncluded: unknown = true) =>
    between(self, (order) => order(from) > (isIncluded === true ? -1 : 0)),
  'firstEntry/0': (self: JavaMap) => self.list()[0] ?? null,
  'lastEntry/0': (self: JavaMap) => self.list().at(-1) ?? null,
  'pollFirstEntry/0': (self: JavaMap) => {
    const [entry] = self.list();
    if (entry !== undefined) self.remove(entry.key);
    return entry ?? null;
  },
});

/** The entries whose keys, compared with another one, are where they are wanted; of a map that has an order. */
function between(self: JavaMap, fits: (order: (other: unknown) => number) => boolean): JavaMap {
  const order = self.compare ?? compare;
  return mapWith(
    self,
    self.list().filter(({ key }) => fits((other) => order(key, other))),
  );
}

export function frozenMap(self: JavaMap): JavaMap {
  const map = new JavaMap('UnmodifiableMap', self.compare);
  for (const [hashed, { key, value }] of self.pairs) map.pairs.set(hashed, new Entry(key, value));
  return map;
}
