import {
  addNumbers,
  compareNumbers,
  divideNumbers,
  divideWhole,
  modulo,
  multiplyNumbers,
  negate,
  raiseNumber,
  subtractNumbers,
  toBigInt,
  toDecimal,
  toInt,
} from '../arithmetic.ts';
import {
  divideExactly,
  divideRounded,
  divideToPrecision,
  engineeringText,
  exactInteger,
  greatestDivisor,
  movePoint,
  plainText,
  precisionOf,
  type Rounding,
  rescale,
  stripZeros,
  tenTo,
  toPrecision,
} from '../decimal.ts';
import { MathContext, roundingOf } from '../math-context.ts';
import { defineMethods } from '../method-table.ts';
import { exception } from '../throwable.ts';
import { BigDecimal, BigInteger, type Numeric } from '../values.ts';
import { calculation, numeric } from './number-methods.ts';
import './object-methods.ts';

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
  'multiply/1-2': (self: BigDecimal, other: unknown, context?: MathContext) => {
    const product = multiplyNumbers(self, numeric(other));
    return context === undefined
      ? product
      : toPrecision(toDecimal(product), context.precision, context.rounding);
  },
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
  'toEngineeringString/0': engineeringText,
  'max/1': (self: Numeric, other: unknown) => (compareNumbers(self, numeric(other)) >= 0 ? self : other),
  'min/1': (self: Numeric, other: unknown) => (compareNumbers(self, numeric(other)) <= 0 ? self : other),
  'movePointLeft/1': (self: BigDecimal, by: unknown) => movePoint(self, -toInt(numeric(by))),
  'movePointRight/1': (self: BigDecimal, by: unknown) => movePoint(self, toInt(numeric(by))),
  'intValueExact/0': (self: BigDecimal) => Number(exactInteger(self, 32)),
  'longValueExact/0': (self: BigDecimal) => exactInteger(self, 64),
});

function bitsOf(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

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
  'mod/1': (self: BigInteger, other: unknown) => new BigInteger(modulo(self.value, whole(other))),
  'remainder/1': (self: BigInteger, other: unknown) => {
    const divisor = whole(other);
    if (divisor === 0n) throw exception('java.lang.ArithmeticException', 'BigInteger divide by zero');
    return new BigInteger(self.value % divisor);
  },
  'signum/0': signum,
  'bitLength/0': ({ value }: BigInteger) => bitsOf(value < 0n ? -value - 1n : value),
  'testBit/1': (self: BigInteger, bit: unknown) => ((self.value >> whole(bit)) & 1n) === 1n,
  'max/1': (self: Numeric, other: unknown) => (compareNumbers(self, numeric(other)) >= 0 ? self : other),
  'min/1': (self: Numeric, other: unknown) => (compareNumbers(self, numeric(other)) <= 0 ? self : other),
  'toString/0-1': (self: BigInteger, radix?: unknown) =>
    self.value.toString(radix === undefined ? 10 : toInt(numeric(radix))),
});
