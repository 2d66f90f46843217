import { Closure, call1, call2 } from '../closure.ts';
import { collate, combinations, indexedMap, like, permutations, transpose } from '../collecting.ts';
import { listOf } from '../iterate.ts';
import { JavaSet, setOf } from '../java-set.ts';
import { defineMethods } from '../method-table.ts';
import { badArgument, noSuchElement } from '../throwable.ts';
import { truth } from '../truth.ts';
import { count } from './collection-methods.ts';
import './object-methods.ts';

function take(self: unknown, first: number, last: number): unknown {
  return like(self, listOf(self).slice(Math.max(0, first), Math.max(0, last)));
}

function firstOf(self: unknown): unknown {
  const items = listOf(self);
  if (items.length === 0)
    throw noSuchElement(
      `Cannot access first() element from an empty ${self instanceof JavaSet ? 'Iterable' : 'List'}`,
    );
  return items[0];
}

function lastOf(self: unknown): unknown {
  const items = listOf(self);
  if (items.length === 0)
    throw noSuchElement(
      `Cannot access last() element from an empty ${self instanceof JavaSet ? 'Iterable' : 'List'}`,
    );
  return items.at(-1);
}

defineMethods('java.util.Collection', 'java.lang.Object', {
  'split/1': (self: unknown, fn: unknown) => {
    const items = listOf(self);
    const yes = items.filter((item) => truth(call1(fn, item)));
    return [yes, items.filter((item) => !yes.includes(item))].map((part) => like(self, part));
  },
  'first/0': firstOf,
  'head/0': firstOf,
  'last/0': lastOf,
  'tail/0': (self: unknown) => {
    if (listOf(self).length === 0) throw noSuchElement('Cannot access tail() for an empty iterable');
    return take(self, 1, listOf(self).length);
  },
  'init/0': (self: unknown) => {
    if (listOf(self).length === 0) throw noSuchElement('Cannot access init() for an empty Iterable');
    return take(self, 0, listOf(self).length - 1);
  },
  'take/1': (self: unknown, size: unknown) => take(self, 0, count(size)),
  'takeRight/1': (self: unknown, size: unknown) =>
    take(self, listOf(self).length - Math.max(0, count(size)), listOf(self).length),
  'drop/1': (self: unknown, size: unknown) => take(self, Math.max(0, count(size)), listOf(self).length),
  'dropRight/1': (self: unknown, size: unknown) =>
    take(self, 0, listOf(self).length - Math.max(0, count(size))),
  'takeWhile/1': (self: unknown, fn: unknown) => {
    const end = listOf(self).findIndex((item) => !truth(call1(fn, item)));
    return take(self, 0, end < 0 ? listOf(self).length : end);
  },
  'dropWhile/1': (self: unknown, fn: unknown) => {
    const start = listOf(self).findIndex((item) => !truth(call1(fn, item)));
    return take(self, start < 0 ? listOf(self).length : start, listOf(self).length);
  },
  'transpose/0': (self: unknown) => transpose(listOf(self)),
  'combinations/0-1': (self: unknown, fn: unknown) => {
    const all = combinations(listOf(self));
    return fn === undefined ? all : all.map((each) => call1(fn, each));
  },
  'eachCombination/1': (self: unknown, fn: unknown) => {
    for (const each of combinations(listOf(self))) call1(fn, each);
    return null;
  },
  'permutations/0-1': (self: unknown, fn: unknown) => {
    const all = permutations(listOf(self));
    return fn === undefined ? setOf(all, 'HashSet') : all.map((each) => call1(fn, each));
  },
  'eachPermutation/1': (self: unknown, fn: unknown) => {
    for (const each of permutations(listOf(self))) call1(fn, each);
    return null;
  },
  'collate/1-3': (self: unknown, size: unknown, second?: unknown, third?: unknown) => {
    const step = second === undefined || typeof second === 'boolean' ? count(size) : count(second);
    return collate(listOf(self), count(size), step, (typeof second === 'boolean' ? second : third) !== false);
  },
  'withIndex/0-2': (self: unknown, first?: unknown, second?: unknown) => {
    const offset = first === undefined || first instanceof Closure ? 0 : count(first);
    const fn = first instanceof Closure ? first : second;
    return listOf(self).map((item, at) =>
      fn === undefined ? [item, at + offset] : call2(fn, item, at + offset),
    );
  },
  'indexed/0-1': (self: unknown, offset: unknown = 0) => indexedMap(listOf(self), count(offset)),
  'subsequences/0': (self: unknown) => {
    const items = listOf(self);
    if (items.length > 15) throw badArgument();
    const all = Array.from({ length: 2 ** items.length - 1 }, (_, bits) =>
      items.filter((_item, at) => ((bits + 1) >> at) & 1),
    );
    return setOf(all, 'HashSet');
  },
  'inits/0': (self: unknown) =>
    Array.from({ length: listOf(self).length + 1 }, (_, cut) =>
      listOf(self).slice(0, listOf(self).length - cut),
    ),
  'tails/0': (self: unknown) =>
    Array.from({ length: listOf(self).length + 1 }, (_, cut) => listOf(self).slice(cut)),
});
