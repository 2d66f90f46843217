import { compare } from '../equality.ts';
import { JavaMap } from '../java-map.ts';
import { type JavaSet, setOf } from '../java-set.ts';
import { defineMethods, type Implementation } from '../method-table.ts';
import type { Entry } from '../values.ts';
import './map-methods.ts';
import './set-methods.ts';

/** Where the neighbours of a value stand: at it, below it or above it. */
const SIDES: Readonly<Record<string, readonly [fits: (order: number) => boolean, isLast: boolean]>> = {
  ceiling: [(order) => order >= 0, false],
  higher: [(order) => order > 0, false],
  floor: [(order) => order <= 0, true],
  lower: [(order) => order < 0, true],
};

type Sorted = JavaMap | JavaSet;

function orderOf(self: Sorted): (left: unknown, right: unknown) => number {
  return self.compare ?? compare;
}

function neighbour<T>(items: readonly T[], fits: (item: T) => boolean, isLast: boolean): T | undefined {
  return isLast ? items.findLast(fits) : items.find(fits);
}

function entryNear(self: JavaMap, key: unknown, side: string): Entry | undefined {
  const [fits, isLast] = SIDES[side]!;
  return neighbour(self.list(), (entry) => fits(orderOf(self)(entry.key, key)), isLast);
}

const ofMaps: Record<string, Implementation> = {};
const ofSets: Record<string, Implementation> = {};
for (const side of Object.keys(SIDES)) {
  ofMaps[`${side}Key/1`] = (self: JavaMap, key: unknown) => entryNear(self, key, side)?.key ?? null;
  ofMaps[`${side}Entry/1`] = (self: JavaMap, key: unknown) => entryNear(self, key, side) ?? null;
  ofSets[`${side}/1`] = (self: JavaSet, item: unknown) => {
    const [fits, isLast] = SIDES[side]!;
    return neighbour(self.list(), (other) => fits(orderOf(self)(other, item)), isLast) ?? null;
  };
}

function reversed(self: JavaMap): JavaMap {
  const order = orderOf(self);
  const map = new JavaMap('TreeMap', (left, right) => order(right, left));
  for (const { key, value } of self.list()) map.put(key, value);
  return map;
}

function reversedKeys(self: JavaMap): JavaSet {
  return setOf(reversed(self).keys());
}

defineMethods('java.util.TreeMap', 'java.util.Map', {
  ...ofMaps,
  'descendingMap/0': reversed,
  'descendingKeySet/0': reversedKeys,
  'navigableKeySet/0': (self: JavaMap) => setOf(self.keys(), 'TreeSet', self.compare),
  'pollLastEntry/0': (self: JavaMap) => {
    const entry = self.list().at(-1);
    if (entry !== undefined) self.remove(entry.key);
    return entry ?? null;
  },
});
defineMethods('java.util.TreeSet', 'java.util.Set', {
  ...ofSets,
  'descendingSet/0': (self: JavaSet) => {
    const order = orderOf(self);
    return setOf(self.list(), 'TreeSet', (left, right) => order(right, left));
  },
  'pollLast/0': (self: JavaSet) => {
    const last = self.list().at(-1);
    if (last !== undefined) self.delete(last);
    return last ?? null;
  },
});
