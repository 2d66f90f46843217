import {
  addNumbers,
  compareNumbers,
  divideWhole,
  negate,
  remainderOf,
  subtractNumbers,
  toInt,
  toLong,
  toNumber,
} from '../arithmetic.ts';
import { convertNumber } from '../casting.ts';
import { call1 } from '../closure.ts';
import { rescale, toPrecision } from '../decimal.ts';
import { MathContext } from '../math-context.ts';
import { defineMethods } from '../method-table.ts';
import { numberText } from '../number-text.ts';
import { illegalArgument } from '../throwable.ts';
import { BigDecimal, Char, Double, Float, type Numeric } from '../values.ts';
import { calculation, numeric } from './number-methods.ts';
import './object-methods.ts';

function converter(kind: string) {
  return (self: Numeric) => convertNumber(self, kind);
}

/** Java rounds halves up, also below zero. */
function round(self: Numeric, digits?: unknown): Numeric {
  if (self instanceof BigDecimal) {
    if (digits instanceof MathContext) return toPrecision(self, digits.precision, digits.rounding);
    const places = digits === undefined ? 0 : toInt(numeric(digits));
    return rescale(self, places, 'HALF_UP');
  }
  if (self instanceof Double || self instanceof Float) {
    if (digits === undefined) {
      const rounded = Math.floor(self.value + 0.5);
      return self instanceof Float ? rounded | 0 : toLong(new Double(rounded));
    }
    const factor = 10 ** toInt(numeric(digits));
    const rounded = Math.floor(self.value * factor + 0.5) / factor;
    return self instanceof Float ? new Float(Math.fround(rounded)) : new Double(rounded);
  }
  return self;
}

function truncate(self: Numeric, digits?: unknown): Numeric {
  const places = digits === undefined ? 0 : toInt(numeric(digits));
  if (self instanceof BigDecimal) return rescale(self, places, 'DOWN');
  const factor = 10 ** places;
  return new Double(Math.trunc(toNumber(self) * factor) / factor);
}

function absolute(self: Numeric): Numeric {
  return compareNumbers(self, 0) < 0 ? negate(self) : self;
}

function count(from: Numeric, to: unknown, step: Numeric, isDown: boolean, fn: unknown): null {
  const end = numeric(to);
  for (let at = from; isDown ? compareNumbers(at, end) >= 0 : compareNumbers(at, end) <= 0; ) {
    call1(fn, at);
    at = isDown ? subtractNumbers(at, step) : addNumbers(at, step);
  }
  return null;
}

function stepTo(self: Numeric, to: unknown, by: unknown, fn: unknown): null {
  const step = numeric(by);
  const direction = compareNumbers(step, 0);
  if (direction === 0) throw illegalArgument('Infinite loop in step');
  const end = numeric(to);
  for (let at = self; compareNumbers(at, end) * direction < 0; at = addNumbers(at, step)) call1(fn, at);
  return null;
}

defineMethods('java.lang.Number', 'java.lang.Object', {
  'remainder/1': calculation(remainderOf),
  'intdiv/1': calculation(divideWhole),
  'unaryMinus/0': negate,
  'abs/0': absolute,
  'round/0-1': round,
  'trunc/0-1': truncate,
  'intValue/0': converter('Integer'),
  'longValue/0': converter('Long'),
  'doubleValue/0': converter('Double'),
  'floatValue/0': converter('Float'),
  'shortValue/0': converter('Short'),
  'byteValue/0': converter('Byte'),
  'toInteger/0': converter('Integer'),
  'toLong/0': converter('Long'),
  // A Float becomes the Double that is written like it.
  'toDouble/0': (self: Numeric) =>
    new Double(self instanceof Float ? Number(numberText(self)) : toNumber(self)),
  'toFloat/0': converter('Float'),
  'toBigInteger/0': converter('BigInteger'),
  'toBigDecimal/0': converter('BigDecimal'),
  'times/1': (self: Numeric, fn: unknown) => {
    const end = toInt(self);
    for (let at = 0; at < end; at++) call1(fn, at);
    return null;
  },
  'upto/2': (self: Numeric, to: unknown, fn: unknown) => count(self, to, 1, false, fn),
  'downto/2': (self: Numeric, to: unknown, fn: unknown) => count(self, to, 1, true, fn),
  'step/3': stepTo,
  'isNaN/0': (self: Numeric) => Number.isNaN(toNumber(self)),
  'isInfinite/0': (self: Numeric) => !Number.isFinite(toNumber(self)) && !Number.isNaN(toNumber(self)),
  'toCharacter/0': (self: Numeric) => new Char(String.fromCharCode(toInt(self))),
});
