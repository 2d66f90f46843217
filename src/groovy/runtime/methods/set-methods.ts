import { Closure, call1 } from '../closure.ts';
import { compare } from '../equality.ts';
import { listOf } from '../iterate.ts';
import { JavaSet, setOf } from '../java-set.ts';
import { defineMethods } from '../method-table.ts';
import { noSuchElement } from '../throwable.ts';
import { truth } from '../truth.ts';

function removeWhere(self: JavaSet, isGone: (item: unknown) => boolean): boolean {
  const gone = self.list().filter(isGone);
  for (const item of gone) self.delete(item);
  return gone.length > 0;
}

function endOf(self: JavaSet, at: 0 | -1): unknown {
  const items = self.list();
  if (items.length === 0) throw noSuchElement();
  return items.at(at);
}

function among(others: unknown): (item: unknown) => boolean {
  if (others instanceof Closure) return (item) => truth(call1(others, item));
  const set = others instanceof JavaSet ? others : setOf(listOf(others));
  return (item) => set.has(item);
}

function orderIn(self: JavaSet): (left: unknown, right: unknown) => number {
  return self.compare ?? compare;
}

/** A copy, not a view as in the original. */
function between(self: JavaSet, isIn: (item: unknown) => boolean): JavaSet {
  return setOf(self.list().filter(isIn), self.emptyCopy().kind, self.compare);
}

defineMethods('java.util.Set', 'java.util.Collection', {
  'add/1': (self: JavaSet, item: unknown) => self.add(item),
  'leftShift/1': (self: JavaSet, item: unknown) => {
    self.add(item);
    return self;
  },
  'addAll/1': (self: JavaSet, items: unknown) => {
    const before = self.size;
    for (const item of listOf(items)) self.add(item);
    return self.size !== before;
  },
  'remove/1': (self: JavaSet, item: unknown) => self.delete(item),
  'removeAll/1': (self: JavaSet, others: unknown) => removeWhere(self, among(others)),
  'removeIf/1': (self: JavaSet, others: unknown) => removeWhere(self, among(others)),
  'retainAll/1': (self: JavaSet, others: unknown) => {
    const isKept = among(others);
    return removeWhere(self, (item) => !isKept(item));
  },
  'clear/0': (self: JavaSet) => {
    removeWhere(self, () => true);
    return null;
  },
  'size/0': (self: JavaSet) => self.size,
  'isEmpty/0': (self: JavaSet) => self.size === 0,
  'contains/1': (self: JavaSet, item: unknown) => self.has(item),
  'isCase/1': (self: JavaSet, item: unknown) => self.has(item),
  'or/1': (self: JavaSet, other: unknown) =>
    setOf([...self.list(), ...listOf(other)], self.emptyCopy().kind, self.compare),
  'and/1': (self: JavaSet, other: unknown) =>
    setOf(self.list().filter(among(other)), self.emptyCopy().kind, self.compare),
  'clone/0': (self: JavaSet) => setOf(self.list(), self.emptyCopy().kind, self.compare),
  'first/0': (self: JavaSet) => endOf(self, 0),
  'last/0': (self: JavaSet) => endOf(self, -1),
  'headSet/1-2': (self: JavaSet, end: unknown, isIncluded: unknown = false) =>
    between(self, (item) => orderIn(self)(item, end) < (isIncluded === true ? 1 : 0)),
  'tailSet/1-2': (self: JavaSet, start: unknown, isIncluded: unknown = true) =>
    between(self, (item) => orderIn(self)(item, start) > (isIncluded === true ? -1 : 0)),
  'subSet/2': (self: JavaSet, start: unknown, end: unknown) =>
    between(self, (item) => orderIn(self)(item, start) >= 0 && orderIn(self)(item, end) < 0),
  'pollFirst/0': (self: JavaSet) => {
    const [first] = self.list();
    if (first === undefined) return null;
    self.delete(first);
    return first;
  },
});
