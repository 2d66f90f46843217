import { Closure, call1, call2 } from '../closure.ts';
import { accepts, addEntry, flatten, inject, like } from '../collecting.ts';
import { call } from '../dispatch.ts';
import { equal } from '../equality.ts';
import { listOf } from '../iterate.ts';
import { JavaMap } from '../java-map.ts';
import { JavaSet } from '../java-set.ts';
import { defineMethods, instanceMethods } from '../method-table.ts';
import { truth } from '../truth.ts';
import { collected, count, visit } from './collection-methods.ts';
import './object-methods.ts';

function collectEntries(items: readonly unknown[], first: unknown, second: unknown): JavaMap {
  const target = first instanceof JavaMap ? first : new JavaMap();
  const fn = first instanceof JavaMap ? second : first;
  for (const item of items) addEntry(target, fn === undefined ? item : call1(fn, item));
  return target;
}

function collectInto(self: unknown, first: unknown, second: unknown): unknown {
  if (first === undefined) return listOf(self).slice();
  if (second === undefined) return collected(self, first);
  for (const item of listOf(self)) call(first, 'add', [call1(second, item)]);
  return first;
}

function indexWhere(self: unknown, args: readonly unknown[], isLast: boolean): number {
  const start = args.length > 1 ? count(args[0]) : 0;
  const fn = args.at(-1);
  const items = listOf(self);
  const fits = (item: unknown, at: number) => at >= start && truth(call1(fn, item));
  return isLast ? items.findLastIndex(fits) : items.findIndex(fits);
}

function collectNested(items: readonly unknown[], fn: unknown): unknown[] {
  return items.map((item) =>
    Array.isArray(item) || item instanceof JavaSet ? collectNested(listOf(item), fn) : call1(fn, item),
  );
}

defineMethods('java.util.Collection', 'java.lang.Object', {
  'eachWithIndex/1': (self: unknown, fn: unknown) => {
    visit(self, (item, at) => call2(fn, item, at));
    return self;
  },
  'collect/0-2': collectInto,
  'collectMany/1-2': (self: unknown, fn: unknown) =>
    listOf(self).flatMap((item) => [...listOf(call1(fn, item))]),
  'collectNested/1': (self: unknown, fn: unknown) => collectNested(listOf(self), fn),
  'collectEntries/0-2': (self: unknown, first: unknown, second: unknown) =>
    collectEntries(listOf(self), first, second),
  'find/0-1': (self: unknown, fn: unknown) => {
    const found = listOf(self).find((item) => truth(fn === undefined ? item : call1(fn, item)));
    return found === undefined ? null : found;
  },
  'findAll/0-1': (self: unknown, fn: unknown) =>
    like(
      self,
      listOf(self).filter((item) => truth(fn === undefined ? item : call1(fn, item))),
    ),
  'findResult/1-2': (self: unknown, ...args: unknown[]) => {
    for (const item of listOf(self)) {
      const result = call1(args.at(-1), item);
      if (result !== null) return result;
    }
    return args.length > 1 ? args[0] : null;
  },
  'findResults/0-1': (self: unknown, fn: unknown) =>
    listOf(self)
      .map((item) => (fn === undefined ? item : call1(fn, item)))
      .filter((item) => item !== null),
  'findIndexOf/1-2': (self: unknown, ...args: unknown[]) => indexWhere(self, args, false),
  'findLastIndexOf/1-2': (self: unknown, ...args: unknown[]) => indexWhere(self, args, true),
  'findIndexValues/1': (self: unknown, fn: unknown) =>
    listOf(self).flatMap((item, at) => (truth(call1(fn, item)) ? [BigInt(at)] : [])),
  'grep/0-1': (self: unknown, filter: unknown) =>
    like(
      self,
      listOf(self).filter((item) => (filter === undefined ? truth(item) : accepts(filter, item))),
    ),
  'any/0-1': (self: unknown, fn: unknown) =>
    listOf(self).some((item) => truth(fn === undefined ? item : call1(fn, item))),
  'every/0-1': (self: unknown, fn: unknown) =>
    listOf(self).every((item) => truth(fn === undefined ? item : call1(fn, item))),
  'inject/1-2': (self: unknown, ...args: unknown[]) => inject(listOf(self), args, call2),
  'count/0-1': (self: unknown, what: unknown) => {
    if (what === undefined) return listOf(self).length;
    return listOf(self).filter((item) =>
      what instanceof Closure ? truth(call1(what, item)) : equal(item, what),
    ).length;
  },
  'flatten/0-1': (self: unknown, fn: unknown) => like(self, flatten(listOf(self), fn)),
});

const ofAnything = instanceMethods('java.util.Collection')!;

/** Other objects are collections of themselves to these. */
defineMethods(
  'java.lang.Object',
  null,
  Object.fromEntries(
    [
      'collect/0-2',
      'eachWithIndex/1',
      'every/0-1',
      'any/0-1',
      'find/0-1',
      'findAll/0-1',
      'findIndexOf/1-2',
      'findResult/1-2',
      'grep/0-1',
      'inject/1-2',
    ].map((key) => [key, ofAnything[key.slice(0, key.indexOf('/'))]!.run]),
  ),
);
