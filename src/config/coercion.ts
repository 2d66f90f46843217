import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';

/** Undefined: it cannot be made into that. */
type Convert = (value: JsonValue) => JsonValue | undefined;

/**
 * What `{"$int": "&{port}"}` and its like make of a value: properties are texts, and these say which type is meant.
 * An object is one of them when it has no other member.
 */
const COERCIONS: Readonly<Record<string, readonly [what: string, Convert]>> = {
  $bool: ['true or false', (value) => ({ true: true, false: false })[plain(value).toLowerCase()]],
  $int: ['a whole number', (value) => whole(numberOf(value))],
  $number: ['a number', numberOf],
  $string: ['a text', (value) => (typeof value === 'string' ? value : JSON.stringify(value))],
  $array: ['an array, or the JSON of one', (value) => only(Array.isArray, parsed(value))],
  $object: ['an object, or the JSON of one', (value) => only(isObject, parsed(value))],
  $list: ['a list with commas', listOf],
  '$base64:decode': ['Base64', decoded],
  '$base64:encode': ['a text', (value) => Buffer.from(plain(value)).toString('base64')],
};

/** The name of the coercion that an object stands for. */
export function coercionIn(object: JsonObject): string | undefined {
  const [key, ...others] = Object.keys(object);
  return key !== undefined && others.length === 0 && Object.hasOwn(COERCIONS, key) ? key : undefined;
}

/** @param value with its references replaced. @returns what was expected instead, where it cannot be done */
export function coerce(
  coercion: string,
  value: JsonValue,
): { readonly value: JsonValue } | { readonly expected: string } {
  const [expected, convert] = COERCIONS[coercion]!;
  const converted = convert(value);
  return converted === undefined ? { expected } : { value: converted };
}

/** What is no text counts as its JSON. */
function plain(value: JsonValue): string {
  return typeof value === 'string' ? value.trim() : JSON.stringify(value);
}

function numberOf(value: JsonValue): number | undefined {
  const text = plain(value);
  const number = /^[+-]?(?:\d|\.\d)/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

function whole(number: number | undefined): number | undefined {
  return Number.isSafeInteger(number) ? number : undefined;
}

function parsed(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function only(is: (value: JsonValue) => boolean, value: JsonValue): JsonValue | undefined {
  return is(value) ? value : undefined;
}

function listOf(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value;
  if (isObject(value)) return undefined;
  const text = plain(value);
  return text === '' ? [] : text.split(',').map((element) => element.trim());
}

function decoded(value: JsonValue): string | undefined {
  const text = plain(value);
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) ? Buffer.from(text, 'base64').toString('utf8') : undefined;
}
