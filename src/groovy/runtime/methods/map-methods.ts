import { MAP_KINDS } from '../casting.ts';
import { Closure, call1, call2, parameterCount, takesTwo } from '../closure.ts';
import { addEntry, orderBy } from '../collecting.ts';
import { equal, itemsOf, javaEquals } from '../equality.ts';
import { listOf } from '../iterate.ts';
import { JavaMap } from '../java-map.ts';
import { JavaSet } from '../java-set.ts';
import { ValuesView } from '../list-view.ts';
import { defineMethods } from '../method-table.ts';
import { textOf, toText } from '../text.ts';
import { badArgument, concurrentModification, exception } from '../throwable.ts';
import { truth } from '../truth.ts';
import { classNameOf } from '../type-of.ts';
import { Entry } from '../values.ts';
import { iteratorOf } from './collection-methods.ts';

/** Closures with two parameters get key and value, others the entry. */
export function callEntry(fn: unknown, entry: unknown): unknown {
  const { key, value } = entry as Entry;
  if (takesTwo(fn)) return fn.code(fn, key, value);
  if (parameterCount(fn) === 2 || !(fn instanceof Closure)) return call2(fn, key, value);
  return call1(fn, entry);
}

export function mapWith(self: JavaMap, entries: Iterable<Entry>): JavaMap {
  const map = self.kind === 'TreeMap' ? self.emptyCopy() : new JavaMap();
  for (const { key, value } of entries) map.put(key, value);
  return map;
}

export function ordered(entries: readonly unknown[]): JavaMap {
  const map = new JavaMap();
  for (const entry of entries) addEntry(map, entry);
  return map;
}

function copyOf(self: JavaMap): JavaMap {
  const copy = self.emptyCopy();
  for (const { key, value } of self.list()) copy.put(key, value);
  return copy;
}

/** A map, entries in a collection, or a text; nothing else can be added to a map. */
function plus(self: JavaMap, other: unknown): unknown {
  if (textOf(other) !== undefined) return toText(self) + toText(other);
  if (other === null) throw exception('groovy.lang.GroovyRuntimeException', 'Ambiguous method overloading');
  if (!(other instanceof JavaMap) && !(other instanceof JavaSet) && itemsOf(other) === undefined)
    throw badArgument();
  const copy = copyOf(self);
  for (const part of other instanceof JavaMap ? other.list() : listOf(other)) {
    if (!(part instanceof Entry))
      throw exception(
        'java.lang.ClassCastException',
        `class ${classNameOf(part)} cannot be cast to class java.util.Map$Entry`,
      );
    copy.put(part.key, part.value);
  }
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

/** Goes over the map as a loop does, without the iterator that a loop of QuickJS is slow with. */
function each(self: JavaMap, fn: unknown): JavaMap {
  const entries = self.list();
  const before = self.changes;
  for (let at = 0; at < entries.length; at++) {
    if (self.changes !== before) throw concurrentModification();
    callEntry(fn, entries[at]);
  }
  return self;
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
  'clear/0': (self: JavaMap) => {
    self.clear();
    return null;
  },
  'size/0': (self: JavaMap) => self.size,
  'isEmpty/0': (self: JavaMap) => self.size === 0,
  'containsKey/1': (self: JavaMap, key: unknown) => self.has(key),
  'containsValue/1': (self: JavaMap, value: unknown) => self.values().some((item) => javaEquals(item, value)),
  'keySet/0': (self: JavaMap) => view(self, self.keys()),
  'values/0': (self: JavaMap) => new ValuesView(self),
  'entrySet/0': (self: JavaMap) => view(self, self.list()),
  'iterator/0': iteratorOf,
  'each/1': each,
  'forEach/1': (self: JavaMap, fn: unknown) => {
    each(self, fn);
    return null;
  },
  'eachWithIndex/1': (self: JavaMap, fn: unknown) => {
    let at = 0;
    for (const entry of self) {
      if (fn instanceof Closure && parameterCount(fn) === 3) fn.call([entry.key, entry.value, at++]);
      else call2(fn, entry, at++);
    }
    return self;
  },
  'toList/0': (self: JavaMap) => self.list(),
  'asList/0': (self: JavaMap) => self.list(),
  'plus/1': plus,
  'minus/1': without,
  'isCase/1': (self: JavaMap, key: unknown) => truth(self.find(key)?.value ?? null),
  'clone/0': copyOf,
  'getProperty/1': (self: JavaMap, key: unknown) => self.get(key),
});

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
