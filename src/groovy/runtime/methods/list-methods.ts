import { Closure, call1, call2 } from '../closure.ts';
import { javaEquals } from '../equality.ts';
import { index, setIndex } from '../index-access.ts';
import { listOf } from '../iterate.ts';
import { JavaSet, setOf } from '../java-set.ts';
import { defineMethods } from '../method-table.ts';
import { intRange } from '../range.ts';
import { badArgument, noSuchElement, outOfBounds, type Throwable, unsupported } from '../throwable.ts';
import { truth } from '../truth.ts';
import { isNumeric, type List, listKind } from '../values.ts';
import { count } from './collection-methods.ts';

/** The list itself, when it may grow and shrink. */
export function growing(self: unknown): List {
  if (!Array.isArray(self)) throw unsupported();
  const kind = listKind(self);
  if (kind?.isFixed || kind?.isReadOnly) throw unsupported();
  return self;
}

/** The list itself, when its items may be replaced. */
export function writable(self: unknown): List {
  if (!Array.isArray(self) || listKind(self)?.isReadOnly) throw unsupported();
  return self;
}

export function replace(list: List, items: readonly unknown[]): void {
  list.length = 0;
  for (const item of items) list.push(item);
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

export function takeFirst(self: unknown): unknown {
  const list = growing(self);
  if (list.length === 0) throw noSuchElement();
  return list.shift();
}

export function getOr(self: unknown, at: unknown): unknown {
  const items = listOf(self);
  const position = count(at);
  if (!isNumeric(at)) throw badArgument();
  if (position < 0 || position >= items.length) throw bounds(position, items.length);
  return items[position];
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
  'indexOf/1': (self: unknown, what: unknown) => listOf(self).findIndex((item) => javaEquals(item, what)),
  'lastIndexOf/1': (self: unknown, what: unknown) =>
    listOf(self).findLastIndex((item) => javaEquals(item, what)),
  'clone/0': (self: unknown) => listOf(self).slice(),
  'indices/0': (self: unknown) => intRange(0, listOf(self).length, false, true),
  'eachWithIndex/1': (self: unknown, fn: unknown) => {
    const items = listOf(self);
    for (let at = 0; at < items.length; at++) call2(fn, items[at], at);
    return self;
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
