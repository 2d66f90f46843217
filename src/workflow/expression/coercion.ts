import { equalJson } from '#json/index.ts';
import { dateOf, isoText } from './date-value.ts';
import { HostObject, type Value } from './value.ts';

/** A coercion that cannot be; the evaluator adds the place. */
export class CoercionError extends Error {}

/** JUEL's conversion to a text: null is the empty one. */
export function toText(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (value instanceof HostObject) return value.label;
  const ms = dateOf(value);
  if (ms !== undefined) return isoText(ms);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** JUEL's conversion to a number: null and the empty text are 0. */
export function toNumber(value: Value): number {
  if (typeof value === 'number') return value;
  if (value === null || value === '') return 0;
  const number = dateOf(value) ?? parseNumber(value);
  if (number === undefined) throw new CoercionError(`takes ${describe(value)} for a number`);
  return number;
}

/** JUEL's conversion to a truth value: null and text other than `true` are false. */
export function toBoolean(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (value === null) return false;
  if (typeof value === 'string') return value.toLowerCase() === 'true';
  throw new CoercionError(`takes ${describe(value)} for a truth value`);
}

export function isEmpty(value: Value): boolean {
  if (value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && !(value instanceof HostObject) && Object.keys(value).length === 0;
}

/** Equality with one side converted to the kind of the other: number before truth value before text. */
export function isEqual(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (left === null || right === null) return false;
  if (left instanceof HostObject || right instanceof HostObject) return false;
  const [leftMs, rightMs] = [dateOf(left), dateOf(right)];
  if (leftMs !== undefined || rightMs !== undefined) return isEqual(leftMs ?? left, rightMs ?? right);
  if (typeof left === 'number' || typeof right === 'number') {
    const a = parseNumber(left);
    return a !== undefined && a === parseNumber(right);
  }
  if (typeof left === 'boolean' || typeof right === 'boolean') return toText(left) === toText(right);
  if (typeof left === 'object' && typeof right === 'object') return equalJson(left, right);
  return toText(left) === toText(right);
}

/** Negative, zero or positive; numbers when one side is one, texts otherwise. */
export function compare(left: Value, right: Value): number {
  const [leftMs, rightMs] = [dateOf(left), dateOf(right)];
  if (leftMs !== undefined || rightMs !== undefined) return compare(leftMs ?? left, rightMs ?? right);
  if (typeof left === 'number' || typeof right === 'number') return toNumber(left) - toNumber(right);
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  throw new CoercionError(`compares ${describe(left)} with ${describe(right)}`);
}

export function describe(value: Value): string {
  if (value === null) return 'null';
  if (value instanceof HostObject) return `'${value.label}'`;
  if (Array.isArray(value)) return 'a list';
  if (dateOf(value) !== undefined) return `the date ${toText(value)}`;
  return typeof value === 'object' ? 'an object' : `the ${typeof value} '${toText(value).slice(0, 60)}'`;
}

function parseNumber(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^\s*[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?\s*$/i.test(value))
    return undefined;
  return Number(value);
}
