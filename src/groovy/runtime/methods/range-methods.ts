import { toNumber } from '../arithmetic.ts';
import { call1 } from '../closure.ts';
import { javaEquals } from '../equality.ts';
import { defineMethods } from '../method-table.ts';
import type { Range } from '../range.ts';
import { toText } from '../text.ts';
import { illegalArgument, outOfBounds } from '../throwable.ts';
import { isNumeric } from '../values.ts';
import { count } from './collection-methods.ts';

function step(range: Range, by: unknown): unknown[] {
  const size = count(by);
  if (size === 0) throw illegalArgument('Infinite loop detected due to step size of 0');
  const items = size < 0 ? [...range.items].reverse() : range.items;
  return items.filter((_item, at) => at % Math.abs(size) === 0);
}

defineMethods('groovy.lang.Range', 'java.util.List', {
  'size/0': (self: Range) => self.size,
  'isEmpty/0': (self: Range) => self.isEmpty,
  'get/1': (self: Range, at: unknown) => {
    const item = self.items[count(at)];
    if (count(at) < 0) throw outOfBounds(`Index: ${count(at)} should not be negative`);
    if (item === undefined) throw outOfBounds(`Index: ${count(at)} too big for range: ${toText(self)}`);
    return item;
  },
  'getFrom/0': (self: Range) => self.low,
  'getTo/0': (self: Range) => self.high,
  'getFromInt/0': (self: Range) => self.low,
  'getToInt/0': (self: Range) => self.high,
  'isReverse/0': (self: Range) => self.isReverse,
  'step/1-2': (self: Range, by: unknown, fn?: unknown) => {
    const items = step(self, by);
    if (fn === undefined) return items;
    for (const item of items) call1(fn, item);
    return null;
  },
  'by/1': step,
  'containsWithinBounds/1': (self: Range, value: unknown) => {
    if (!isNumeric(value) || !self.isInt) return self.items.some((item) => javaEquals(item, value));
    return self.spans(toNumber(value));
  },
  'contains/1': (self: Range, value: unknown) => {
    if (!self.isInt) return self.items.some((item) => javaEquals(item, value));
    if (!isNumeric(value) || self.isEmpty) return false;
    const number = toNumber(value);
    return Number.isInteger(number) && self.spans(number);
  },
});
