import {
  addDecimals,
  compareDecimals,
  decimalOfDouble,
  decimalOfInteger,
  decimalToInteger,
  decimalToNumber,
  divideDecimals,
  multiplyDecimals,
  remainderOfDecimals,
} from './decimal.ts';
import { exception, type Throwable } from './throwable.ts';
import { BigDecimal, BigInteger, Byte, Double, Float, type Numeric, Short } from './values.ts';

/** How wide a number is; of two the wider one decides what they are calculated as. */
export const WIDTH = { INT: 0, LONG: 1, BIG_INTEGER: 2, BIG_DECIMAL: 3, DOUBLE: 4 } as const;

export function widthOf(value: Numeric): number {
  if (typeof value === 'number') return WIDTH.INT;
  if (typeof value === 'bigint') return WIDTH.LONG;
  if (value instanceof BigDecimal) return WIDTH.BIG_DECIMAL;
  if (value instanceof Double || value instanceof Float) return WIDTH.DOUBLE;
  return value instanceof BigInteger ? WIDTH.BIG_INTEGER : WIDTH.INT;
}

export function toNumber(value: Numeric): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof BigDecimal) return decimalToNumber(value);
  return Number(value.value);
}

/** The number without its fraction; a Double as Java's `longValue` has it. */
export function toBigInt(value: Numeric): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return BigInt(value);
  if (value instanceof BigInteger) return value.value;
  if (value instanceof BigDecimal) return decimalToInteger(value);
  const number = value.value;
  if (Number.isNaN(number)) return 0n;
  if (Number.isFinite(number)) return BigInt(Math.trunc(number));
  return number > 0 ? LONG_MAX : -LONG_MAX - 1n;
}

export const LONG_MAX = 9_223_372_036_854_775_807n;

export function toInt(value: Numeric): number {
  if (typeof value === 'number') return value;
  if (value instanceof Double || value instanceof Float) {
    const { value: number } = value;
    if (Number.isNaN(number)) return 0;
    return Math.trunc(Math.min(2_147_483_647, Math.max(-2_147_483_648, number)));
  }
  return Number(BigInt.asIntN(32, toBigInt(value)));
}

export function toLong(value: Numeric): bigint {
  if (value instanceof Double || value instanceof Float) {
    const number = toBigInt(value);
    return number > LONG_MAX ? LONG_MAX : number < -LONG_MAX - 1n ? -LONG_MAX - 1n : number;
  }
  return BigInt.asIntN(64, toBigInt(value));
}

export function toDecimal(value: Numeric): BigDecimal {
  if (value instanceof BigDecimal) return value;
  if (value instanceof Double) return decimalOfDouble(value.value);
  if (value instanceof Float) return decimalOfDouble(Number(value.value.toPrecision(8)));
  return decimalOfInteger(toBigInt(value));
}

export function addNumbers(left: Numeric, right: Numeric): Numeric {
  switch (Math.max(widthOf(left), widthOf(right))) {
    case WIDTH.INT:
      return (toNumber(left) + toNumber(right)) | 0;
    case WIDTH.LONG:
      return BigInt.asIntN(64, toBigInt(left) + toBigInt(right));
    case WIDTH.BIG_INTEGER:
      return new BigInteger(toBigInt(left) + toBigInt(right));
    case WIDTH.BIG_DECIMAL:
      return addDecimals(toDecimal(left), toDecimal(right));
    default:
      return new Double(toNumber(left) + toNumber(right));
  }
}

export function subtractNumbers(left: Numeric, right: Numeric): Numeric {
  switch (Math.max(widthOf(left), widthOf(right))) {
    case WIDTH.INT:
      return (toNumber(left) - toNumber(right)) | 0;
    case WIDTH.LONG:
      return BigInt.asIntN(64, toBigInt(left) - toBigInt(right));
    case WIDTH.BIG_INTEGER:
      return new BigInteger(toBigInt(left) - toBigInt(right));
    case WIDTH.BIG_DECIMAL: {
      const { unscaled, scale } = toDecimal(right);
      return addDecimals(toDecimal(left), new BigDecimal(-unscaled, scale));
    }
    default:
      return new Double(toNumber(left) - toNumber(right));
  }
}

export function multiplyNumbers(left: Numeric, right: Numeric): Numeric {
  switch (Math.max(widthOf(left), widthOf(right))) {
    case WIDTH.INT:
      return Math.imul(toNumber(left), toNumber(right));
    case WIDTH.LONG:
      return BigInt.asIntN(64, toBigInt(left) * toBigInt(right));
    case WIDTH.BIG_INTEGER:
      return new BigInteger(toBigInt(left) * toBigInt(right));
    case WIDTH.BIG_DECIMAL:
      return multiplyDecimals(toDecimal(left), toDecimal(right));
    default:
      return new Double(toNumber(left) * toNumber(right));
  }
}

export function divideNumbers(left: Numeric, right: Numeric): Numeric {
  if (Math.max(widthOf(left), widthOf(right)) === WIDTH.DOUBLE) {
    return new Double(toNumber(left) / toNumber(right));
  }
  return divideDecimals(toDecimal(left), toDecimal(right));
}

/** Never negative, as Groovy has it for BigIntegers. */
export function modulo(value: bigint, modulus: bigint): bigint {
  if (modulus <= 0n) throw exception('java.lang.ArithmeticException', 'BigInteger: modulus not positive');
  return ((value % modulus) + modulus) % modulus;
}

export function remainderOf(left: Numeric, right: Numeric): Numeric {
  switch (Math.max(widthOf(left), widthOf(right))) {
    case WIDTH.INT:
      if (toNumber(right) === 0) throw divisionByZero();
      return (toNumber(left) % toNumber(right)) | 0;
    case WIDTH.LONG:
      if (toBigInt(right) === 0n) throw divisionByZero();
      return toBigInt(left) % toBigInt(right);
    case WIDTH.BIG_INTEGER:
      return new BigInteger(modulo(toBigInt(left), toBigInt(right)));
    case WIDTH.BIG_DECIMAL:
      return remainderOfDecimals(toDecimal(left), toDecimal(right));
    default:
      return new Double(toNumber(left) % toNumber(right));
  }
}

/** `intdiv`, of whole numbers only. */
export function divideWhole(left: Numeric, right: Numeric): Numeric {
  const width = Math.max(widthOf(left), widthOf(right));
  if (width > WIDTH.BIG_INTEGER) {
    throw exception('java.lang.UnsupportedOperationException', 'Cannot use intdiv() on this number type');
  }
  if (toBigInt(right) === 0n) throw divisionByZero();
  const quotient = toBigInt(left) / toBigInt(right);
  if (width === WIDTH.INT) return Number(BigInt.asIntN(32, quotient));
  return width === WIDTH.LONG ? BigInt.asIntN(64, quotient) : new BigInteger(quotient);
}

function divisionByZero(): Throwable {
  return exception('java.lang.ArithmeticException', '/ by zero');
}

export function raiseNumber(base: Numeric, exponent: Numeric): Numeric {
  const power = toNumber(exponent);
  const width = widthOf(base);
  const isWhole = Number.isInteger(power) && widthOf(exponent) <= WIDTH.BIG_INTEGER;
  if (isWhole && power >= 0 && width <= WIDTH.BIG_INTEGER) {
    const value = toBigInt(base) ** BigInt(power);
    if (width === WIDTH.INT && BigInt.asIntN(32, value) === value) return Number(value);
    if (width === WIDTH.LONG && BigInt.asIntN(64, value) === value) return value;
    return new BigInteger(value);
  }
  if (isWhole && power >= 0 && base instanceof BigDecimal) {
    return new BigDecimal(base.unscaled ** BigInt(power), base.scale * power);
  }
  return integralPower(toNumber(base) ** power);
}

/** A power that was calculated as a double becomes an Integer or a Long again when it is one. */
function integralPower(value: number): Numeric {
  if (Number.isInteger(value) && Math.abs(value) < 2_147_483_648) return value | 0;
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value);
  return new Double(value);
}

/** -1, 0 or 1 by value, across all kinds; NaN is greater than everything. */
export function compareNumbers(left: Numeric, right: Numeric): number {
  if (typeof left === 'number' && typeof right === 'number') return left < right ? -1 : left > right ? 1 : 0;
  switch (Math.max(widthOf(left), widthOf(right))) {
    case WIDTH.INT:
    case WIDTH.LONG:
    case WIDTH.BIG_INTEGER: {
      const [first, second] = [toBigInt(left), toBigInt(right)];
      return first < second ? -1 : first > second ? 1 : 0;
    }
    case WIDTH.BIG_DECIMAL:
      return compareDecimals(toDecimal(left), toDecimal(right));
    default: {
      const [first, second] = [toNumber(left), toNumber(right)];
      if (Number.isNaN(first)) return Number.isNaN(second) ? 0 : 1;
      if (Number.isNaN(second)) return -1;
      return first < second ? -1 : first > second ? 1 : 0;
    }
  }
}

export function negate(value: Numeric): Numeric {
  if (typeof value === 'number') return -value | 0;
  if (typeof value === 'bigint') return BigInt.asIntN(64, -value);
  if (value instanceof BigDecimal) return new BigDecimal(-value.unscaled, value.scale);
  if (value instanceof BigInteger) return new BigInteger(-value.value);
  if (value instanceof Double) return new Double(-value.value);
  if (value instanceof Float) return new Float(-value.value);
  return value instanceof Short ? new Short(-value.value) : new Byte(-value.value);
}

/** The bits of whole numbers combined. */
export function combineBits(
  left: Numeric,
  right: Numeric,
  combine: (left: bigint, right: bigint) => bigint,
): Numeric {
  const width = Math.max(widthOf(left), widthOf(right));
  const bits = combine(toBigInt(left), toBigInt(right));
  if (width === WIDTH.INT) return Number(BigInt.asIntN(32, bits));
  return width === WIDTH.LONG ? BigInt.asIntN(64, bits) : new BigInteger(bits);
}

/** The lowest bits as a number without sign; `BigInt.asUintN` of QuickJS leaves negative numbers as they are. */
export function unsigned(value: bigint, bits: bigint): bigint {
  return value & ((1n << bits) - 1n);
}

export function shift(value: Numeric, distance: number, direction: '<<' | '>>' | '>>>'): Numeric {
  if (typeof value === 'bigint') {
    const by = BigInt(distance & 63);
    if (direction === '<<') return BigInt.asIntN(64, value << by);
    return direction === '>>' ? value >> by : BigInt.asIntN(64, unsigned(value, 64n) >> by);
  }
  if (value instanceof BigInteger) {
    if (direction === '>>>') {
      throw exception(
        'java.lang.UnsupportedOperationException',
        `Cannot use rightShiftUnsigned() on this number type: java.math.BigInteger with value: ${value.value}`,
      );
    }
    return new BigInteger(
      direction === '<<' ? value.value << BigInt(distance) : value.value >> BigInt(distance),
    );
  }
  const bits = toInt(value);
  if (direction === '<<') return bits << distance;
  return direction === '>>' ? bits >> distance : (bits >>> distance) | 0;
}
