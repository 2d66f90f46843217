import { arrays, Closure, call1 } from '../closure.ts';
import { average, best, countBy, distinct, groupBy, like, sorted, sum } from '../collecting.ts';
import { listOf } from '../iterate.ts';
import { arrayType } from '../java-class.ts';
import { mapOf } from '../java-map.ts';
import { defineMethods } from '../method-table.ts';
import { listKind } from '../values.ts';
import './object-methods.ts';

defineMethods('java.util.Collection', 'java.lang.Object', {
  'sum/0-2': (self: unknown, first: unknown, second: unknown) =>
    first instanceof Closure ? sum(listOf(self), undefined, first) : sum(listOf(self), first, second),
  'average/0-1': (self: unknown, fn: unknown) => average(listOf(self), fn),
  'max/0-1': (self: unknown, fn: unknown) => best(listOf(self), fn, 1),
  'min/0-1': (self: unknown, fn: unknown) => best(listOf(self), fn, -1),
  'countBy/0-1': (self: unknown, fn: unknown) =>
    countBy(listOf(self), (item) => (fn === undefined ? item : call1(fn, item))),
  'groupBy/1+': (self: unknown, ...fns: unknown[]) =>
    groupBy(listOf(self), fns.length === 1 && Array.isArray(fns[0]) ? fns[0] : fns, call1),
  'indexBy/1': (self: unknown, fn: unknown) =>
    mapOf(listOf(self).map((item) => [call1(fn, item), item] as const)),
  'sort/0-2': (self: unknown, ...args: unknown[]) =>
    sorted(
      listOf(self),
      args.find((arg) => typeof arg !== 'boolean'),
    ),
  'toSorted/0-1': (self: unknown, fn: unknown) => sorted(listOf(self), fn),
  'unique/0-2': (self: unknown, ...args: unknown[]) =>
    like(
      self,
      distinct(
        listOf(self),
        args.find((arg) => typeof arg !== 'boolean'),
      ),
    ),
  'toUnique/0-1': (self: unknown, fn: unknown) => {
    const kept = distinct(listOf(self), fn);
    const element = Array.isArray(self) ? listKind(self)?.element : undefined;
    return element === undefined ? like(self, kept) : arrays.make(kept, arrayType(element));
  },
});
