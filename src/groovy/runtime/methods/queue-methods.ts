import { listOf } from '../iterate.ts';
import { defineMethods } from '../method-table.ts';
import { exception, noSuchElement } from '../throwable.ts';
import { listKind } from '../values.ts';
import { getOr, growing, takeFirst } from './list-methods.ts';

function takeLast(self: unknown): unknown {
  const list = growing(self);
  if (list.length === 0) throw noSuchElement();
  return list.pop();
}

/** `push` and `pop` work on the front, except on a Stack. */
function isStack(self: unknown): boolean {
  return Array.isArray(self) && listKind(self)?.name === 'Stack';
}

function pop(self: unknown): unknown {
  if (listOf(self).length === 0)
    throw isStack(self)
      ? exception('java.util.EmptyStackException', null)
      : noSuchElement('Cannot pop() an empty List');
  return isStack(self) ? takeLast(self) : takeFirst(self);
}

defineMethods('java.util.List', 'java.util.Collection', {
  'addFirst/1': (self: unknown, item: unknown) => {
    growing(self).unshift(item);
    return null;
  },
  'addLast/1': (self: unknown, item: unknown) => {
    growing(self).push(item);
    return null;
  },
  'offer/1': (self: unknown, item: unknown) => growing(self).push(item) > 0,
  'offerLast/1': (self: unknown, item: unknown) => growing(self).push(item) > 0,
  'offerFirst/1': (self: unknown, item: unknown) => growing(self).unshift(item) > 0,
  'peekFirst/0': (self: unknown) => listOf(self).at(0) ?? null,
  'peekLast/0': (self: unknown) => listOf(self).at(-1) ?? null,
  'push/1': (self: unknown, item: unknown) => {
    const list = growing(self);
    if (isStack(self)) {
      list.push(item);
      return item;
    }
    list.unshift(item);
    return listKind(list)?.name === 'LinkedList' ? null : true;
  },
  'pop/0': pop,
  'poll/0': (self: unknown) => (listOf(self).length === 0 ? null : takeFirst(self)),
  'pollFirst/0': (self: unknown) => (listOf(self).length === 0 ? null : takeFirst(self)),
  'pollLast/0': (self: unknown) => (listOf(self).length === 0 ? null : takeLast(self)),
  'peek/0': (self: unknown) => listOf(self).at(isStack(self) ? -1 : 0) ?? null,
  'removeFirst/0': takeFirst,
  'removeLast/0': takeLast,
  'getFirst/0': (self: unknown) => getOr(self, 0),
  'getLast/0': (self: unknown) => getOr(self, listOf(self).length - 1),
  'capacity/0': (self: unknown) => listOf(self).length,
  'empty/0': (self: unknown) => listOf(self).length === 0,
});
