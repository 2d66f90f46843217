import { dispatcher } from './dispatch-port.ts';
import {
  BigDecimal,
  BigInteger,
  Char,
  Double,
  Entry,
  EnumConstant,
  Float,
  GString,
  isNumeric,
  JavaObject,
  type Numeric,
  Short,
} from './values.ts';

/** How values of other files tell what they are equal to; each adds itself while it loads. */
type KeyMaker = (value: object) => unknown;
const makers: KeyMaker[] = [];

export function addKeyMaker<T extends object>(
  test: (value: object) => value is T,
  make: (value: T) => unknown,
): void {
  makers.push((value) => (test(value) ? make(value) : undefined));
}

/** Text that strings of scripts cannot begin with, because they get another mark of their own. */
const MARK = '\u0000';
const BEHIND_MARK = '\u0001';

/**
 * What stands for a value as a key: two values that are equal to Java's `equals` have the same. Strings, booleans,
 * Integers and Longs stand for themselves.
 */
export function hashKey(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return value < BEHIND_MARK && value !== '' ? `${MARK}s${value}` : value;
    case 'object':
      return value === null ? null : objectKey(value);
    default:
      return value;
  }
}

function objectKey(value: object): unknown {
  if (Array.isArray(value)) return `${MARK}[${value.map(keyText).join(',')}]`;
  if (isNumeric(value)) return numberKey(value);
  if (value instanceof Char) return `${MARK}c${value.value}`;
  if (value instanceof GString) return `${MARK}g${gstringText(value)}`;
  if (value instanceof EnumConstant) return value;
  if (value instanceof JavaObject) return javaObjectKey(value);
  if (value instanceof Entry) return `${MARK}e${keyText(value.key)}=${keyText(value.value)}`;
  for (const make of makers) {
    const key = make(value);
    if (key !== undefined) return key;
  }
  return value;
}

function javaObjectKey(value: JavaObject): unknown {
  const key = value.key();
  return typeof key === 'object' ? key : `${MARK}j${value.type.name} ${String(key)}`;
}

function numberKey(value: Exclude<Numeric, number | bigint>): string {
  if (value instanceof BigDecimal) return `${MARK}D${value.unscaled}e${value.scale}`;
  if (value instanceof BigInteger) return `${MARK}B${value.value}`;
  if (value instanceof Double) return `${MARK}d${Object.is(value.value, -0) ? '-0' : value.value}`;
  if (value instanceof Float) return `${MARK}f${value.value}`;
  return `${MARK}${value instanceof Short ? 'h' : 'b'}${value.value}`;
}

function gstringText(value: GString): string {
  return String(dispatcher.invoke(value, 'toString', []));
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** A number that only this object has. */
export function identityOf(value: object): number {
  let identity = identities.get(value);
  if (identity === undefined) {
    identity = ++lastIdentity;
    identities.set(value, identity);
  }
  return identity;
}

/** A key as text, so that keys of lists can be put together. */
export function keyText(value: unknown): string {
  const key = hashKey(value);
  switch (typeof key) {
    case 'string':
      return JSON.stringify(key);
    case 'bigint':
      return `${key}n`;
    case 'object':
    case 'function':
      return key === null ? 'null' : `#${identityOf(key)}`;
    default:
      return String(key);
  }
}

/** Two keys that only a comparison of the objects can tell apart never have the same text. */
export function markedKey(kind: string, text: string): string {
  return `${MARK}${kind}${text}`;
}
