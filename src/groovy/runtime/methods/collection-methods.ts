import { int } from '../arguments.ts';
import { call1, takesOne } from '../closure.ts';
import { ItemSet, like } from '../collecting.ts';
import { call, callValue } from '../dispatch.ts';
import { itemsOf, javaEquals } from '../equality.ts';
import { index } from '../index-access.ts';
import { JavaIterator, listOf } from '../iterate.ts';
import { JavaMap } from '../java-map.ts';
import { JavaSet } from '../java-set.ts';
import { defineMethods } from '../method-table.ts';
import { toText } from '../text.ts';
import { badArgument, concurrentModification, noSuchElement } from '../throwable.ts';
import { Entry, isNumeric, listKind, markList } from '../values.ts';
import './object-methods.ts';

export function count(value: unknown): number {
  return int(value);
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

/** What the closure makes of each item; `visit` in one loop, because nothing is done as often. */
export function collected(self: unknown, fn: unknown): unknown[] {
  const items = listOf(self);
  const before = items.length;
  const result: unknown[] = [];
  const closure = takesOne(fn) ? fn : undefined;
  for (let at = 0; at < items.length; at++) {
    result.push(closure === undefined ? call1(fn, items[at]) : closure.code(closure, items[at]));
    if (items.length !== before && at + 1 !== items.length) throw concurrentModification();
  }
  return result;
}

function each(self: unknown, fn: unknown): unknown {
  const items = listOf(self);
  const before = items.length;
  const closure = takesOne(fn) ? fn : undefined;
  for (let at = 0; at < items.length; at++) {
    if (closure === undefined) call1(fn, items[at]);
    else closure.code(closure, items[at]);
    if (items.length !== before && at + 1 !== items.length) throw concurrentModification();
  }
  return self;
}

function without(self: unknown, other: unknown): unknown {
  const removed = itemsOf(other) ?? (other instanceof JavaSet ? other.list() : [other]);
  const gone = new ItemSet(removed);
  return like(
    self,
    listOf(self).filter((item) => !gone.has(item)),
  );
}

defineMethods('java.util.Collection', 'java.lang.Object', {
  'each/1': each,
  'forEach/1': (self: unknown, fn: unknown) => {
    each(self, fn);
    return null;
  },
  'join/0-1': (self: unknown, separator: unknown = '') => listOf(self).map(toText).join(toText(separator)),
  'contains/1': (self: unknown, value: unknown) =>
    self instanceof JavaSet ? self.has(value) : listOf(self).some((item) => javaEquals(item, value)),
  'isEmpty/0': (self: unknown) => listOf(self).length === 0,
  'size/0': (self: unknown) => listOf(self).length,
  'toList/0': (self: unknown) => listOf(self).slice(),
  'asList/0': (self: unknown) => listOf(self).slice(),
  'plus/1-2': (self: unknown, first: unknown, second?: unknown) => {
    const other = second === undefined ? first : second;
    const isGroup = itemsOf(other) !== undefined || other instanceof JavaSet;
    const items = listOf(self);
    const at = second === undefined ? items.length : count(first);
    return like(self, [...items.slice(0, at), ...(isGroup ? listOf(other) : [other]), ...items.slice(at)]);
  },
  'minus/1': without,
  'multiply/1': (self: unknown, times: unknown) => {
    if (!isNumeric(times)) throw badArgument();
    return Array.from({ length: count(times) }, () => listOf(self)).flat();
  },
  'iterator/0': (self: unknown) => iteratorOf(self),
  'getAt/1': (self: unknown, at: unknown) => index(listOf(self).slice(), at),
  'call/1+': (self: unknown, ...args: unknown[]) => callValue(call(self, 'getAt', args), []),
});

export function frozen(self: unknown): unknown {
  if (self instanceof JavaSet) {
    const copy = new JavaSet('UnmodifiableSet', self.compare);
    for (const item of self.list()) copy.hold(item);
    return copy;
  }
  return markList(listOf(self).slice(), {
    name: 'Collections$UnmodifiableList',
    isFixed: true,
    isReadOnly: true,
  });
}

/** Over a list or set that the iterator may take items out of. */
export function iteratorOf(self: unknown): JavaIterator {
  if (self instanceof JavaIterator) return self;
  if (Array.isArray(self) && listKind(self)?.isSnapshot !== true) {
    let at = 0;
    let size = self.length;
    const next = () => {
      if (at >= self.length) return undefined;
      if (self.length !== size) throw concurrentModification();
      return self[at++];
    };
    return new JavaIterator(next, (position) => {
      self.splice(position, 1);
      at--;
      size--;
    });
  }
  const items = listOf(self).slice();
  let at = 0;
  const remove = (position: number) => {
    const [item] = items.splice(position, 1);
    at--;
    if (self instanceof JavaSet) self.delete(item);
    if (self instanceof JavaMap && item instanceof Entry) self.remove(item.key);
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
