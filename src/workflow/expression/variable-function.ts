import { hasText, type JsonValue } from '#json/index.ts';
import { compare, isEmpty, isEqual, toText } from './coercion.ts';
import { toJson, type Value } from './value.ts';

type VariableFunction = (value: JsonValue | undefined, args: readonly Value[]) => Value;

const orNull = (value: JsonValue | undefined): JsonValue => value ?? null;
const present = (value: JsonValue | undefined): value is JsonValue => value !== undefined && value !== null;

function contains(value: JsonValue | undefined, item: Value): boolean {
  if (!present(value)) return false;
  if (typeof value === 'string') return hasText(value, toText(item));
  return Array.isArray(value) && value.some((element) => isEqual(element, item));
}

const order =
  (test: (difference: number) => boolean): VariableFunction =>
  (value, [other]) =>
    present(value) && other !== undefined && other !== null && test(compare(value, other));

/** Functions over a variable that need not exist; the keys are the names the engine uses inside. */
const FUNCTIONS: ReadonlyMap<string, VariableFunction> = new Map<string, VariableFunction>([
  ['get', orNull],
  ['getOrDefault', (value, [fallback]) => value ?? fallback ?? null],
  ['exists', (value) => present(value)],
  ['isEmpty', (value) => isEmpty(orNull(value))],
  ['isNotEmpty', (value) => !isEmpty(orNull(value))],
  ['equals', (value, [other]) => isEqual(orNull(value), other ?? null)],
  ['notEquals', (value, [other]) => !isEqual(orNull(value), other ?? null)],
  ['contains', (value, args) => args.every((item) => contains(value, item))],
  ['containsAny', (value, args) => args.some((item) => contains(value, item))],
  ['lowerThan', order((difference) => difference < 0)],
  ['lowerThanOrEquals', order((difference) => difference <= 0)],
  ['greaterThan', order((difference) => difference > 0)],
  ['greaterThanOrEquals', order((difference) => difference >= 0)],
  ['base64', (value) => (present(value) ? Buffer.from(toText(value)).toString('base64') : null)],
]);

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['empty', 'isEmpty'],
  ['notEmpty', 'isNotEmpty'],
  ['eq', 'equals'],
  ['ne', 'notEquals'],
  ['lt', 'lowerThan'],
  ['lessThan', 'lowerThan'],
  ['lte', 'lowerThanOrEquals'],
  ['lessThanOrEquals', 'lowerThanOrEquals'],
  ['gt', 'greaterThan'],
  ['gte', 'greaterThanOrEquals'],
]);

const PREFIXES: ReadonlySet<string> = new Set(['vars', 'var', 'variables']);

export function isFunctionPrefix(name: string): boolean {
  return PREFIXES.has(name);
}

/** The function of that name or alias. */
export function resolveFunction(name: string): string | undefined {
  const resolved = ALIASES.get(name) ?? name;
  return FUNCTIONS.has(resolved) ? resolved : undefined;
}

export function functionNames(): string[] {
  return [...FUNCTIONS.keys(), ...ALIASES.keys()];
}

export function callFunction(name: string, value: Value | undefined, args: readonly Value[]): Value {
  return FUNCTIONS.get(name)!(value === undefined ? undefined : toJson(value), args);
}
