import {
  addNumbers,
  combineBits,
  compareNumbers,
  divideNumbers,
  divideWhole,
  multiplyNumbers,
  negate,
  raiseNumber,
  remainderOf,
  shift,
  subtractNumbers,
  toBigInt,
  toDecimal,
  toInt,
  toLong,
  toNumber,
} from '../arithmetic.ts';
import { convertNumber } from '../casting.ts';
import { call1 } from '../closure.ts';
import {
  divideExactly,
  divideRounded,
  divideToPrecision,
  greatestDivisor,
  plainText,
  precisionOf,
  type Rounding,
  rescale,
  stripZeros,
  tenTo,
  toPrecision,
} from '../decimal.ts';
import { equal } from '../equality.ts';
import { MathContext, roundingOf } from '../math-context.ts';
import { defineMethods } from '../method-table.ts';
import { numberText } from '../number-text.ts';
import { next, previous } from '../operators.ts';
import { toText } from '../text.ts';
import { badArgument, exception, illegalArgument } from '../throwable.ts';
import { BigDecimal, BigInteger, Char, Double, Float, isNumeric, type Numeric } from '../values.ts';
import './object-methods.ts';

export function numeric(value: unknown): Numeric {
  if (value instanceof Char) return value.code;
  if (!isNumeric(value)) throw badArgument();
  return value;
}

function calculation(calculate: (left: Numeric, right: Numeric) => Numeric) {
  return (self: Numeric, other: unknown) => calculate(self, numeric(other));
}

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
    return new Double(Math.floor(self.value * factor + 0.5) / factor);
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
  'plus/1': (self: Numeric, other: unknown) =>
    isNumeric(other) || other instanceof Char ? addNumbers(self, numeric(other)) : plusText(self, other),
  'minus/1': calculation(subtractNumbers),
  'multiply/1': calculation(multiplyNumbers),
  'div/1': calculation(divideNumbers),
  'mod/1': calculation(remainderOf),
  'remainder/1': calculation(remainderOf),
  'intdiv/1': calculation(divideWhole),
  'power/1': calculation(raiseNumber),
  'positive/0': (self: Numeric) => self,
  'unaryMinus/0': negate,
  'next/0': next,
  'previous/0': previous,
  'and/1': calculation((left, right) => combineBits(left, right, (a, b) => a & b)),
  'or/1': calculation((left, right) => combineBits(left, right, (a, b) => a | b)),
  'xor/1': calculation((left, right) => combineBits(left, right, (a, b) => a ^ b)),
  'leftShift/1': (self: Numeric, by: unknown) => shift(self, toInt(numeric(by)), '<<'),
  'rightShift/1': (self: Numeric, by: unknown) => shift(self, toInt(numeric(by)), '>>'),
  'rightShiftUnsigned/1': (self: Numeric, by: unknown) => shift(self, toInt(numeric(by)), '>>>'),
  'bitwiseNegate/0': (self: Numeric) => combineBits(self, -1, (a, b) => a ^ b),
  'abs/0': absolute,
  'round/0-1': round,
  'trunc/0-1': truncate,
  'compareTo/1': (self: Numeric, other: unknown) => compareNumbers(self, numeric(other)),
  'isCase/1': (self: Numeric, other: unknown) => equal(self, other),
  'intValue/0': converter('Integer'),
  'longValue/0': converter('Long'),
  'doubleValue/0': converter('Double'),
  'floatValue/0': converter('Float'),
  'shortValue/0': converter('Short'),
  'byteValue/0': converter('Byte'),
  'toInteger/0': converter('Integer'),
  'toLong/0': converter('Long'),
  'toDouble/0': converter('Double'),
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
  'toString/0': numberText,
  'toCharacter/0': (self: Numeric) => new Char(String.fromCharCode(toInt(self))),
});

function plusText(self: Numeric, other: unknown): string {
  if (typeof other !== 'string' && !(typeof other === 'object' && other !== null && 'strings' in other))
    throw badArgument();
  return toText(self) + toText(other);
}

function signum(self: Numeric): number {
  return compareNumbers(self, 0);
}

function setScale(self: BigDecimal, scale: unknown, rounding?: unknown): BigDecimal {
  return rescale(self, toInt(numeric(scale)), rounding === undefined ? 'UNNECESSARY' : roundingOf(rounding));
}

function divide(self: BigDecimal, other: unknown, second?: unknown, third?: unknown): BigDecimal {
  const divisor = toDecimal(numeric(other));
  if (divisor.unscaled === 0n) throw exception('java.lang.ArithmeticException', 'Division by zero');
  if (second === undefined) {
    const exact = divideExactly(self, divisor);
    if (exact === undefined) {
      throw exception(
        'java.lang.ArithmeticException',
        'Non-terminating decimal expansion; no exact representable decimal result.',
      );
    }
    return exact;
  }
  if (second instanceof MathContext)
    return divideToPrecision(self, divisor, second.precision, second.rounding);
  const [scale, rounding] =
    third === undefined ? [self.scale, roundingOf(second)] : [toInt(numeric(second)), roundingOf(third)];
  return divideToScale(self, divisor, scale, rounding);
}

function divideToScale(left: BigDecimal, right: BigDecimal, scale: number, rounding: Rounding): BigDecimal {
  const power = scale + right.scale - left.scale;
  const dividend = power >= 0 ? left.unscaled * tenTo(power) : left.unscaled;
  const divisor = power >= 0 ? right.unscaled : right.unscaled * tenTo(-power);
  return new BigDecimal(divideRounded(dividend, divisor, rounding), scale);
}

defineMethods('java.math.BigDecimal', 'java.lang.Number', {
  'add/1': calculation(addNumbers),
  'subtract/1': calculation(subtractNumbers),
  'multiply/1-2': calculation(multiplyNumbers),
  'divide/1-3': divide,
  'div/1': (self: BigDecimal, other: unknown) => divideNumbers(self, numeric(other)),
  'pow/1': (self: BigDecimal, power: unknown) => raiseNumber(self, numeric(power)),
  'negate/0': negate,
  'setScale/1-2': setScale,
  'scale/0': (self: BigDecimal) => self.scale,
  'precision/0': precisionOf,
  'signum/0': signum,
  'unscaledValue/0': (self: BigDecimal) => new BigInteger(self.unscaled),
  'stripTrailingZeros/0': stripZeros,
  'toPlainString/0': plainText,
  'toEngineeringString/0': numberText,
  'max/1': (self: Numeric, other: unknown) => (compareNumbers(self, numeric(other)) >= 0 ? self : other),
  'min/1': (self: Numeric, other: unknown) => (compareNumbers(self, numeric(other)) <= 0 ? self : other),
  'movePointLeft/1': (self: BigDecimal, by: unknown) =>
    new BigDecimal(self.unscaled, self.scale + toInt(numeric(by))),
  'movePointRight/1': (self: BigDecimal, by: unknown) =>
    rescale(
      new BigDecimal(self.unscaled, self.scale - toInt(numeric(by))),
      Math.max(0, self.scale - toInt(numeric(by))),
      'UNNECESSARY',
    ),
  'intValueExact/0': (self: BigDecimal) => toInt(self),
  'longValueExact/0': (self: BigDecimal) => toLong(self),
});

function whole(value: unknown): bigint {
  return toBigInt(numeric(value));
}

defineMethods('java.math.BigInteger', 'java.lang.Number', {
  'add/1': (self: BigInteger, other: unknown) => new BigInteger(self.value + whole(other)),
  'subtract/1': (self: BigInteger, other: unknown) => new BigInteger(self.value - whole(other)),
  'divide/1': (self: BigInteger, other: unknown) => divideWhole(self, new BigInteger(whole(other))),
  'pow/1': (self: BigInteger, power: unknown) => new BigInteger(self.value ** whole(power)),
  'negate/0': negate,
  'gcd/1': (self: BigInteger, other: unknown) => new BigInteger(greatestDivisor(self.value, whole(other))),
  'modPow/2': (self: BigInteger, power: unknown, modulus: unknown) => {
    let [base, exponent, result] = [self.value, whole(power), 1n];
    for (; exponent > 0n; exponent >>= 1n) {
      if (exponent & 1n) result = (result * base) % whole(modulus);
      base = (base * base) % whole(modulus);
    }
    return new BigInteger(result);
  },
  'mod/1': (self: BigInteger, other: unknown) =>
    new BigInteger(((self.value % whole(other)) + whole(other)) % whole(other)),
  'signum/0': signum,
  'bitLength/0': (self: BigInteger) => self.value.toString(2).length,
  'testBit/1': (self: BigInteger, bit: unknown) => ((self.value >> whole(bit)) & 1n) === 1n,
  'max/1': (self: Numeric, other: unknown) => (compareNumbers(self, numeric(other)) >= 0 ? self : other),
  'min/1': (self: Numeric, other: unknown) => (compareNumbers(self, numeric(other)) <= 0 ? self : other),
  'toString/0-1': (self: BigInteger, radix?: unknown) =>
    self.value.toString(radix === undefined ? 10 : toInt(numeric(radix))),
});

defineMethods('java.lang.Character', 'java.lang.Object', {
  'charValue/0': (self: Char) => self,
  'isDigit/0': (self: Char) => /\p{Nd}/u.test(self.value),
  'isLetter/0': (self: Char) => /\p{L}/u.test(self.value),
  'isLetterOrDigit/0': (self: Char) => /[\p{L}\p{Nd}]/u.test(self.value),
  'isUpperCase/0': (self: Char) => /\p{Lu}/u.test(self.value),
  'isLowerCase/0': (self: Char) => /\p{Ll}/u.test(self.value),
  'isWhitespace/0': (self: Char) => /\s/.test(self.value),
  'toUpperCase/0': (self: Char) => new Char(self.value.toUpperCase()),
  'toLowerCase/0': (self: Char) => new Char(self.value.toLowerCase()),
  'plus/1': (self: Char, other: unknown) =>
    isNumeric(other) ? addNumbers(self.code, other) : self.value + toText(other),
  'minus/1': (self: Char, other: unknown) => subtractNumbers(self.code, numeric(other)),
  'multiply/1': (self: Char, times: unknown) => multiplyNumbers(self.code, numeric(times)),
  'next/0': (self: Char) => new Char(String.fromCharCode(self.code + 1)),
  'previous/0': (self: Char) => new Char(String.fromCharCode(self.code - 1)),
  'compareTo/1': (self: Char, other: unknown) => self.code - (other as Char).code,
});

defineMethods('java.lang.Boolean', 'java.lang.Object', {
  'booleanValue/0': (self: boolean) => self,
  'and/1': (self: boolean, other: unknown) => self && other === true,
  'or/1': (self: boolean, other: unknown) => self || other === true,
  'xor/1': (self: boolean, other: unknown) => self !== (other === true),
  'implies/1': (self: boolean, other: unknown) => !self || other === true,
  'compareTo/1': (self: boolean, other: unknown) => Number(self) - Number(other),
});
