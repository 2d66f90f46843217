import { doubleText } from './double-text.ts';
import { exception, type Throwable } from './throwable.ts';
import { BigDecimal, type BigInteger } from './values.ts';

// By hand: bigdecimal.js made every sandbox a third larger, and gave wrong sums.

/** Rounding modes of java.math, by their ordinals. */
export const ROUNDING = [
  'UP',
  'DOWN',
  'CEILING',
  'FLOOR',
  'HALF_UP',
  'HALF_DOWN',
  'HALF_EVEN',
  'UNNECESSARY',
] as const;
export type Rounding = (typeof ROUNDING)[number];

/** What Java says of a text that is no number. */
export function notDecimal(text: string): Throwable {
  const wrong = /[^\d.eE+-]/.exec(text)?.[0];
  return exception(
    'java.lang.NumberFormatException',
    wrong === undefined
      ? null
      : `Character ${wrong} is neither a decimal digit number, decimal point, nor "e" notation exponential mark.`,
  );
}

export function parseDecimal(text: string): BigDecimal | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(`${whole}${fraction}`);
  return new BigDecimal(sign === '-' ? -digits : digits, fraction.length - Number(exponent));
}

export function decimal(text: string): BigDecimal {
  return parseDecimal(text)!;
}

/** What the double is written as, as `BigDecimal.valueOf` has it. */
export function decimalOfDouble(value: number): BigDecimal {
  if (!Number.isFinite(value)) {
    throw exception('java.lang.NumberFormatException', 'Infinite or NaN');
  }
  return decimal(doubleText(value));
}

export function tenTo(power: number): bigint {
  return 10n ** BigInt(power);
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** How many digits the unscaled value has. */
export function precisionOf(value: BigDecimal): number {
  return value.unscaled === 0n ? 1 : absolute(value.unscaled).toString().length;
}

export function decimalText(value: BigDecimal): string {
  const { unscaled, scale } = value;
  const digits = absolute(unscaled).toString();
  const sign = unscaled < 0n ? '-' : '';
  if (scale === 0) return sign + digits;
  const exponent = digits.length - 1 - scale;
  if (scale > 0 && exponent >= -6) return sign + withPoint(digits, scale);
  const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
  if (exponent === 0) return sign + mantissa;
  return `${sign}${mantissa}E${exponent > 0 ? '+' : ''}${exponent}`;
}

/** The number as a text with an exponent that is a multiple of three. */
export function engineeringText(value: BigDecimal): string {
  const { unscaled, scale } = value;
  const digits = absolute(unscaled).toString();
  const exponent = digits.length - 1 - scale;
  if (scale === 0 || (scale > 0 && exponent >= -6)) return decimalText(value);
  const excess = ((exponent % 3) + 3) % 3;
  const isZero = unscaled === 0n;
  const power = exponent - excess + (isZero && excess > 0 ? 3 : 0);
  const mantissa = isZero ? ['0', '0.00', '0.0'][excess]! : engineeringMantissa(digits, excess + 1);
  const sign = unscaled < 0n ? '-' : '';
  return `${sign}${mantissa}${power === 0 ? '' : `E${power > 0 ? '+' : ''}${power}`}`;
}

function engineeringMantissa(digits: string, before: number): string {
  return before >= digits.length
    ? digits.padEnd(before, '0')
    : `${digits.slice(0, before)}.${digits.slice(before)}`;
}

export function plainText({ unscaled, scale }: BigDecimal): string {
  const digits = absolute(unscaled).toString();
  const sign = unscaled < 0n ? '-' : '';
  if (scale <= 0) return unscaled === 0n ? '0' : sign + digits + '0'.repeat(-scale);
  return sign + withPoint(digits, scale);
}

function withPoint(digits: string, scale: number): string {
  const padded = digits.padStart(scale + 1, '0');
  return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

export function decimalToNumber(value: BigDecimal): number {
  return Number(`${value.unscaled}e${-value.scale}`);
}

/** The number without the digits behind the point. */
export function decimalToInteger({ unscaled, scale }: BigDecimal): bigint {
  return scale <= 0 ? unscaled * tenTo(-scale) : unscaled / tenTo(scale);
}

export function rescale(value: BigDecimal, scale: number, rounding: Rounding): BigDecimal {
  if (scale >= value.scale) return new BigDecimal(value.unscaled * tenTo(scale - value.scale), scale);
  return new BigDecimal(divideRounded(value.unscaled, tenTo(value.scale - scale), rounding), scale);
}

export function divideRounded(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  const quotient = dividend / divisor;
  const rest = dividend % divisor;
  if (rest === 0n) return quotient;
  const isNegative = dividend < 0n !== divisor < 0n;
  const away = isNegative ? quotient - 1n : quotient + 1n;
  const half = absolute(rest) * 2n;
  const size = absolute(divisor);
  switch (rounding) {
    case 'UP':
      return away;
    case 'DOWN':
      return quotient;
    case 'CEILING':
      return isNegative ? quotient : away;
    case 'FLOOR':
      return isNegative ? away : quotient;
    case 'HALF_UP':
      return half >= size ? away : quotient;
    case 'HALF_DOWN':
      return half > size ? away : quotient;
    case 'HALF_EVEN':
      return half > size || (half === size && quotient % 2n !== 0n) ? away : quotient;
    case 'UNNECESSARY':
      throw exception('java.lang.ArithmeticException', 'Rounding necessary');
  }
}

/** The number with the point so many places further right. */
export function movePoint(value: BigDecimal, places: number): BigDecimal {
  if (places === 0) return value;
  const moved = new BigDecimal(value.unscaled, value.scale - places);
  return moved.scale < 0 ? rescale(moved, 0, 'UNNECESSARY') : moved;
}

/** @throws ArithmeticException for a number that is none or has more bits */
export function exactInteger(value: BigDecimal, bits: number): bigint {
  const overflow = () => exception('java.lang.ArithmeticException', 'Overflow');
  // Without writing out what has a thousand million digits.
  if (precisionOf(value) - value.scale > 19) throw overflow();
  const whole = rescale(value, 0, 'UNNECESSARY').unscaled;
  if (BigInt.asIntN(bits, whole) !== whole) throw overflow();
  return whole;
}

/** Rounds to so many digits, 0 for all. */
export function toPrecision(value: BigDecimal, precision: number, rounding: Rounding): BigDecimal {
  const excess = precisionOf(value) - precision;
  if (precision === 0 || excess <= 0) return value;
  const rounded = rescale(value, value.scale - excess, rounding);
  return precisionOf(rounded) > precision ? rescale(rounded, rounded.scale - 1, rounding) : rounded;
}

export function stripZeros(value: BigDecimal): BigDecimal {
  if (value.unscaled === 0n) return new BigDecimal(0n, 0);
  let { unscaled, scale } = value;
  while (unscaled % 10n === 0n) {
    unscaled /= 10n;
    scale--;
  }
  return new BigDecimal(unscaled, scale);
}

export function addDecimals(left: BigDecimal, right: BigDecimal): BigDecimal {
  const scale = Math.max(left.scale, right.scale);
  return new BigDecimal(
    left.unscaled * tenTo(scale - left.scale) + right.unscaled * tenTo(scale - right.scale),
    scale,
  );
}

export function multiplyDecimals(left: BigDecimal, right: BigDecimal): BigDecimal {
  return new BigDecimal(left.unscaled * right.unscaled, left.scale + right.scale);
}

export function compareDecimals(left: BigDecimal, right: BigDecimal): number {
  const scale = Math.max(left.scale, right.scale);
  const first = left.unscaled * tenTo(scale - left.scale);
  const second = right.unscaled * tenTo(scale - right.scale);
  return first < second ? -1 : first > second ? 1 : 0;
}

/**
 * Groovy's division: exact when it ends, with the scale that Java prefers; else so many digits more than the
 * operands have, cut to a scale of 10 or the larger one of the operands.
 */
export function divideDecimals(left: BigDecimal, right: BigDecimal): BigDecimal {
  if (right.unscaled === 0n) throw exception('java.lang.ArithmeticException', 'Division by zero');
  const exact = divideExactly(left, right);
  if (exact !== undefined) return exact;
  const precision = Math.max(precisionOf(left), precisionOf(right)) + 10;
  const quotient = divideToPrecision(left, right, precision, 'HALF_UP');
  const scale = Math.max(left.scale, right.scale, 10);
  return quotient.scale > scale ? rescale(quotient, scale, 'HALF_UP') : quotient;
}

export function divideToPrecision(
  left: BigDecimal,
  right: BigDecimal,
  precision: number,
  rounding: Rounding,
): BigDecimal {
  const preferred = left.scale - right.scale;
  if (left.unscaled === 0n) return new BigDecimal(0n, preferred);
  const shift = precision + 3 + precisionOf(right) - precisionOf(left);
  const dividend = shift >= 0 ? left.unscaled * tenTo(shift) : left.unscaled;
  const divisor = shift >= 0 ? right.unscaled : right.unscaled * tenTo(-shift);
  // One digit that is not zero behind the others keeps halves apart from what is a little more.
  const sticky = dividend % divisor === 0n ? 0n : dividend < 0n !== divisor < 0n ? -1n : 1n;
  const long = new BigDecimal((dividend / divisor) * 10n + sticky, preferred + shift + 1);
  const result = toPrecision(long, precision, rounding);
  // Zeros behind a quotient that was rounded say how exact it is.
  const isExact = compareDecimals(multiplyDecimals(result, right), left) === 0;
  return isExact ? withoutZeros(result, preferred) : result;
}

/** The same number with as few digits behind the point as it has, but so many at least. */
function withoutZeros({ unscaled, scale }: BigDecimal, least: number): BigDecimal {
  let shorter = unscaled;
  let places = scale;
  while (places > least && shorter % 10n === 0n) {
    shorter /= 10n;
    places--;
  }
  return new BigDecimal(shorter, places);
}

/** The whole part of a quotient, with the scale that Java gives it. */
function divideToInteger(left: BigDecimal, right: BigDecimal): BigDecimal {
  const preferred = left.scale - right.scale;
  const scale = Math.max(left.scale, right.scale);
  const whole = (left.unscaled * tenTo(scale - left.scale)) / (right.unscaled * tenTo(scale - right.scale));
  if (whole === 0n) return new BigDecimal(0n, preferred);
  const quotient = withoutZeros(new BigDecimal(whole, 0), preferred);
  return quotient.scale < preferred ? rescale(quotient, preferred, 'UNNECESSARY') : quotient;
}

/** @throws ArithmeticException */
export function remainderOfDecimals(left: BigDecimal, right: BigDecimal): BigDecimal {
  if (right.unscaled === 0n) throw exception('java.lang.ArithmeticException', 'Division by zero');
  const { unscaled, scale } = multiplyDecimals(divideToInteger(left, right), right);
  return addDecimals(left, new BigDecimal(-unscaled, scale));
}

/** Nothing when the quotient has no end. */
export function divideExactly(left: BigDecimal, right: BigDecimal): BigDecimal | undefined {
  const preferred = left.scale - right.scale;
  if (left.unscaled === 0n) return new BigDecimal(0n, preferred);
  let divisor = absolute(right.unscaled / greatestDivisor(left.unscaled, right.unscaled));
  let digits = 0;
  for (const prime of [2n, 5n]) {
    let count = 0;
    while (divisor % prime === 0n) {
      divisor /= prime;
      count++;
    }
    digits = Math.max(digits, count);
  }
  if (divisor !== 1n) return undefined;
  const unscaled = (left.unscaled * tenTo(digits)) / right.unscaled;
  return withoutZeros(new BigDecimal(unscaled, preferred + digits), preferred);
}

export function greatestDivisor(left: bigint, right: bigint): bigint {
  let first = absolute(left);
  let second = absolute(right);
  while (second !== 0n) [first, second] = [second, first % second];
  return first;
}

export function decimalOfInteger(value: BigInteger | bigint | number): BigDecimal {
  return new BigDecimal(typeof value === 'object' ? value.value : BigInt(value), 0);
}
