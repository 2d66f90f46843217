import { listOfKind, MAP_KINDS, orderOf, SET_KINDS } from '../casting.ts';
import { Closure } from '../closure.ts';
import { orderBy } from '../collecting.ts';
import { LEAST_PLACES, placesFor } from '../hash-order.ts';
import { listOf } from '../iterate.ts';
import { JavaMap } from '../java-map.ts';
import { hashSetOf, JavaSet, setOf } from '../java-set.ts';
import { defineStatics } from '../method-table.ts';
import { frozen } from '../methods/collection-methods.ts';
import { frozenMap } from '../methods/map-changes.ts';
import { mapOfKind } from '../methods/map-methods.ts';
import { illegalArgument } from '../throwable.ts';
import { Entry, listKind } from '../values.ts';
import { Comparator } from './comparator.ts';

for (const name of ['ArrayList', 'LinkedList', 'Stack', 'Vector', 'ArrayDeque']) {
  defineStatics(`java.util.${name}`, {
    'new/0-1': (items?: unknown) => {
      if (typeof items === 'number' && items < 0) throw illegalArgument(`Illegal Capacity: ${items}`);
      return listOfKind(
        items === undefined || typeof items === 'number' ? [] : listOf(items),
        `java.util.${name}`,
      );
    },
  });
}

for (const name of ['HashSet', 'LinkedHashSet', 'TreeSet']) {
  const full = `java.util.${name}`;
  defineStatics(full, {
    'new/0-1': (items?: unknown) => {
      if (items instanceof Closure || items instanceof Comparator)
        return new JavaSet(SET_KINDS[full], orderBy(items));
      const given = items === undefined || typeof items === 'number' ? [] : listOf(items);
      if (name === 'HashSet') return hashSetOf(given, placesAsked(items, given));
      return setOf(given, SET_KINDS[full], orderOf(name));
    },
  });
}

/** How large a table is made for what the constructor of a HashSet was given. */
function placesAsked(asked: unknown, given: readonly unknown[]): number {
  if (typeof asked === 'number') return asked;
  return Math.max(LEAST_PLACES, Math.floor(given.length / 0.75) + 1);
}

for (const full of Object.keys(MAP_KINDS).filter(
  (name) => name !== 'java.util.SortedMap' && name !== 'java.util.Properties',
)) {
  defineStatics(full, {
    'new/0-2': (source?: unknown) => {
      if (source instanceof Closure || source instanceof Comparator)
        return new JavaMap(MAP_KINDS[full], orderBy(source));
      const map = mapOfKind(full, source instanceof JavaMap ? source.list() : []);
      if (typeof source === 'number') map.places = placesFor(0, source);
      else if (source instanceof JavaMap && map.kind === 'HashMap')
        map.places = placesFor(0, Math.floor(source.size / 0.75 + 1));
      return map;
    },
  });
}

defineStatics('java.util.AbstractMap$SimpleEntry', {
  'new/2': (key: unknown, value: unknown) => new Entry(key, value),
});

defineStatics('java.util.Map', {
  'of/0+': (...parts: unknown[]) => {
    const map = new JavaMap('HashMap');
    for (let at = 0; at + 1 < parts.length; at += 2) map.put(parts[at], parts[at + 1]);
    return frozenMap(map);
  },
  'entry/2': (key: unknown, value: unknown) => new Entry(key, value),
  'copyOf/1': frozenMap,
});

export const unpack = (items: unknown[]) =>
  items.length === 1 && Array.isArray(items[0]) && listKind(items[0])?.element !== undefined
    ? items[0]
    : items;

defineStatics('java.util.List', {
  'of/0+': (...items: unknown[]) => frozen(unpack(items)),
  'copyOf/1': frozen,
});

defineStatics('java.util.Set', {
  'of/0+': (...items: unknown[]) => frozen(setOf(unpack(items))),
  'copyOf/1': (items: unknown) => frozen(setOf(listOf(items))),
});

defineStatics('java.util.concurrent.ConcurrentHashMap', { 'newKeySet/0-1': () => new JavaSet() });
