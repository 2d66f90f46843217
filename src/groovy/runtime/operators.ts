import {
  addNumbers,
  combineBits,
  divideNumbers,
  LONG_MAX,
  multiplyNumbers,
  negate,
  raiseNumber,
  remainderOf,
  shift,
  subtractNumbers,
  toInt,
} from './arithmetic.ts';
import { call } from './dispatch.ts';
import { compare, equal, itemsOf } from './equality.ts';
import { intRange, type Range, steppedRange } from './range.ts';
import { toText } from './text.ts';
import { nullPointer } from './throwable.ts';
import { BigInteger, Char, GString, isNumeric, listKind, type Numeric } from './values.ts';

/*
 * Operators of numbers are calculated here, everything else is a method call: `a + b` is `a.plus(b)`.
 */

export function plus(left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return (left + right) | 0;
  if (typeof left === 'string') return left + toText(right);
  if (isNumeric(left) && isNumeric(right)) return addNumbers(left, right);
  return call(left, 'plus', [right]);
}

export function minus(left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return (left - right) | 0;
  return isNumeric(left) && isNumeric(right) ? subtractNumbers(left, right) : call(left, 'minus', [right]);
}

export function multiply(left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return Math.imul(left, right);
  return isNumeric(left) && isNumeric(right) ? multiplyNumbers(left, right) : call(left, 'multiply', [right]);
}

export function divide(left: unknown, right: unknown): unknown {
  return isNumeric(left) && isNumeric(right) ? divideNumbers(left, right) : call(left, 'div', [right]);
}

export function remainder(left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number' && right !== 0) return (left % right) | 0;
  return isNumeric(left) && isNumeric(right) ? remainderOf(left, right) : call(left, 'mod', [right]);
}

export function power(left: unknown, right: unknown): unknown {
  return isNumeric(left) && isNumeric(right) ? raiseNumber(left, right) : call(left, 'power', [right]);
}

export function leftShift(left: unknown, right: unknown): unknown {
  if (Array.isArray(left) && listKind(left) === undefined) {
    left.push(right);
    return left;
  }
  if (isNumeric(left) && isNumeric(right)) return shift(left, toInt(right), '<<');
  return call(left, 'leftShift', [right]);
}

export function rightShift(left: unknown, right: unknown): unknown {
  if (isNumeric(left) && isNumeric(right)) return shift(left, toInt(right), '>>');
  return call(left, 'rightShift', [right]);
}

export function rightShiftUnsigned(left: unknown, right: unknown): unknown {
  if (isNumeric(left) && isNumeric(right)) return shift(left, toInt(right), '>>>');
  return call(left, 'rightShiftUnsigned', [right]);
}

export function and(left: unknown, right: unknown): unknown {
  if (typeof left === 'boolean' && typeof right === 'boolean') return left && right;
  return isNumeric(left) && isNumeric(right)
    ? combineBits(left, right, (a, b) => a & b)
    : call(left, 'and', [right]);
}

export function or(left: unknown, right: unknown): unknown {
  if (typeof left === 'boolean' && typeof right === 'boolean') return left || right;
  return isNumeric(left) && isNumeric(right)
    ? combineBits(left, right, (a, b) => a | b)
    : call(left, 'or', [right]);
}

export function xor(left: unknown, right: unknown): unknown {
  if (typeof left === 'boolean' && typeof right === 'boolean') return left !== right;
  return isNumeric(left) && isNumeric(right)
    ? combineBits(left, right, (a, b) => a ^ b)
    : call(left, 'xor', [right]);
}

export function negative(value: unknown): unknown {
  if (isNumeric(value)) return negate(value);
  const items = itemsOf(value);
  return items === undefined ? call(value, 'negative', []) : items.map(negative);
}

export function positive(value: unknown): unknown {
  return isNumeric(value) ? value : call(value, 'positive', []);
}

export function bitwiseNegate(value: unknown): unknown {
  if (typeof value === 'number') return ~value;
  if (typeof value === 'bigint') return ~value;
  if (value instanceof BigInteger) return new BigInteger(~value.value);
  return call(value, 'bitwiseNegate', []);
}

/** What `++` makes of a value. */
export function next(value: unknown): unknown {
  if (typeof value === 'number') return (value + 1) | 0;
  if (value === null) throw nullPointer('Cannot invoke method next() on null object');
  return isNumeric(value) ? addOne(value, 1) : call(value, 'next', []);
}

export function previous(value: unknown): unknown {
  if (typeof value === 'number') return (value - 1) | 0;
  if (value === null) throw nullPointer('Cannot invoke method previous() on null object');
  return isNumeric(value) ? addOne(value, -1) : call(value, 'previous', []);
}

function addOne(value: Numeric, step: number): Numeric {
  if (typeof value === 'bigint' && value === LONG_MAX && step === 1) return BigInt.asIntN(64, value + 1n);
  return addNumbers(value, step);
}

export function unequal(left: unknown, right: unknown): boolean {
  return !equal(left, right);
}

export function same(left: unknown, right: unknown): boolean {
  return left === right;
}

export function notSame(left: unknown, right: unknown): boolean {
  return left !== right;
}

export function less(left: unknown, right: unknown): boolean {
  return compare(left, right) < 0;
}

export function lessOrEqual(left: unknown, right: unknown): boolean {
  return compare(left, right) <= 0;
}

export function greater(left: unknown, right: unknown): boolean {
  return compare(left, right) > 0;
}

export function greaterOrEqual(left: unknown, right: unknown): boolean {
  return compare(left, right) >= 0;
}

export function range(from: unknown, to: unknown, opensLeft: boolean, opensRight: boolean): Range {
  if (typeof from === 'number' && typeof to === 'number') return intRange(from, to, opensLeft, opensRight);
  if (from === null || to === null) throw nullPointer('A range needs two ends');
  if (isNumeric(from) && typeof to === 'number' && typeof from === 'bigint') {
    return steppedRange(from, BigInt(to), { left: opensLeft, right: opensRight }, compare);
  }
  const [first, last] = [characterOf(from), characterOf(to)];
  return steppedRange(first, last, { left: opensLeft, right: opensRight }, compareEnds(first, last));
}

function characterOf(value: unknown): unknown {
  return value instanceof GString ? toText(value) : value instanceof Char ? value.value : value;
}

/** Texts of different lengths are counted by length. */
function compareEnds(from: unknown, to: unknown): (left: unknown, right: unknown) => number {
  if (typeof from !== 'string' || typeof to !== 'string' || from.length === to.length) return compare;
  return (left, right) =>
    typeof left !== 'string' || typeof right !== 'string' || left.length === right.length
      ? compare(left, right)
      : left.length - right.length;
}
