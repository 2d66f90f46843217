import { findText, getMember, hasText, type JsonObject, splitText } from '#json/index.ts';
import { CoercionError, compare, isEqual, toNumber, toText } from './coercion.ts';
import { dateOf } from './date-value.ts';
import { isObject, toJson, type Value } from './value.ts';

const MAX_TEXT = 10_000_000;

type Method<T> = (target: T, args: readonly Value[]) => Value;

const text = (args: readonly Value[], index = 0): string => toText(args[index] ?? null);
const integer = (args: readonly Value[], index = 0): number => Math.trunc(toNumber(args[index] ?? null));

const TEXT_METHODS: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
  ['equals', (target, [other]) => target === other],
  ['equalsIgnoreCase', (target, args) => target.toLowerCase() === text(args).toLowerCase()],
  ['contains', (target, args) => hasText(target, text(args))],
  ['startsWith', (target, args) => target.startsWith(text(args))],
  ['endsWith', (target, args) => target.endsWith(text(args))],
  ['concat', (target, args) => limited(target, text(args).length, () => target + text(args))],
  ['length', (target) => target.length],
  ['isEmpty', (target) => target === ''],
  ['toLowerCase', (target) => target.toLowerCase()],
  ['toUpperCase', (target) => target.toUpperCase()],
  ['trim', (target) => target.trim()],
  [
    'substring',
    (target, args) => substring(target, integer(args), args[1] === undefined ? undefined : integer(args, 1)),
  ],
  ['indexOf', (target, args) => findText(target, text(args))],
  ['lastIndexOf', (target, args) => lastIndexOf(target, text(args))],
  // Literal, not a pattern as in Java: a pattern from a variable could take for ever.
  ['split', (target, args) => split(target, text(args))],
  [
    'replace',
    (target, args) => {
      const pieces = split(target, text(args));
      const added = pieces.length * text(args, 1).length;
      return limited(target, added, () =>
        text(args) === '' ? target.replaceAll('', () => text(args, 1)) : pieces.join(text(args, 1)),
      );
    },
  ],
  ['toString', (target) => target],
]);

const LIST_METHODS: ReadonlyMap<string, Method<Value[]>> = new Map<string, Method<Value[]>>([
  ['size', (target) => target.length],
  ['isEmpty', (target) => target.length === 0],
  ['contains', (target, [item]) => target.some((element) => isEqual(element, item ?? null))],
  ['indexOf', (target, [item]) => target.findIndex((element) => isEqual(element, item ?? null))],
  ['get', (target, args) => elementAt(target, integer(args))],
  ['equals', (target, [other]) => isEqual(target.map(toJson), other ?? null)],
  ['toString', (target) => JSON.stringify(target)],
]);

const OBJECT_METHODS: ReadonlyMap<string, Method<JsonObject>> = new Map<string, Method<JsonObject>>([
  ['get', (target, args) => getMember(target, text(args)) ?? null],
  ['getOrDefault', (target, args) => getMember(target, text(args)) ?? args[1] ?? null],
  ['containsKey', (target, args) => Object.hasOwn(target, text(args))],
  ['containsValue', (target, [item]) => Object.values(target).some((value) => isEqual(value, item ?? null))],
  ['keySet', (target) => Object.keys(target)],
  ['values', (target) => Object.values(target)],
  ['size', (target) => Object.keys(target).length],
  ['isEmpty', (target) => Object.keys(target).length === 0],
  ['equals', (target, [other]) => isEqual(target, other ?? null)],
  ['toString', (target) => JSON.stringify(target)],
]);

const DATE_METHODS: ReadonlyMap<string, Method<number>> = new Map<string, Method<number>>([
  ['getTime', (target) => target],
  ['before', (target, [other]) => compare(target, other ?? null) < 0],
  ['after', (target, [other]) => compare(target, other ?? null) > 0],
  ['compareTo', (target, [other]) => Math.sign(compare(target, other ?? null))],
  ['equals', (target, [other]) => dateOf(other) === target],
]);

/**
 * Calls a method of a JSON value: those of Java's strings, lists, maps and dates that process files use, and bean
 * getters (`getName()` reads `name`). Returns undefined when the value has no such method.
 */
export function callMethod(target: Value, name: string, args: readonly Value[]): Value | undefined {
  if (typeof target === 'string') return TEXT_METHODS.get(name)?.(target, args);
  if (Array.isArray(target)) return LIST_METHODS.get(name)?.(target, args);
  const ms = dateOf(target);
  if (ms !== undefined) return name === 'toString' ? toText(target) : DATE_METHODS.get(name)?.(ms, args);
  if (isObject(target)) {
    const method = OBJECT_METHODS.get(name);
    return method === undefined ? getter(target, name, args) : method(target, args);
  }
  if (name === 'toString') return toText(target);
  if (name === 'equals') return isEqual(target, args[0] ?? null);
  if (typeof target === 'number' && (name === 'intValue' || name === 'longValue')) return Math.trunc(target);
  return undefined;
}

export function methodNames(target: Value): Iterable<string> {
  if (typeof target === 'string') return TEXT_METHODS.keys();
  if (Array.isArray(target)) return LIST_METHODS.keys();
  if (dateOf(target) !== undefined) return [...DATE_METHODS.keys(), 'toString'];
  return isObject(target) ? OBJECT_METHODS.keys() : ['toString', 'equals'];
}

/** Short expressions must not make texts that fill the memory. */
function limited(target: string, added: number, make: () => string): string {
  if (target.length + added > MAX_TEXT)
    throw new CoercionError(`makes a text of more than ${MAX_TEXT} characters`);
  return make();
}

function getter(target: JsonObject, name: string, args: readonly Value[]): Value | undefined {
  const match = /^(?:get|is)(\p{Lu})(.*)$/u.exec(name);
  if (match === null || args.length > 0) return undefined;
  return getMember(target, match[1]!.toLowerCase() + match[2]!);
}

function elementAt(target: Value[], index: number): Value {
  const element = target[index];
  if (element === undefined) throw new CoercionError(`asks for element ${index} of ${target.length}`);
  return element;
}

function split(target: string, separator: string): string[] {
  return separator === '' ? target.split('') : splitText(target, separator);
}

function lastIndexOf(target: string, part: string): number {
  const backwards = (text: string) => text.split('').reverse().join('');
  const at = findText(backwards(target), backwards(part));
  return at === -1 ? -1 : target.length - at - part.length;
}

function substring(target: string, start: number, end = target.length): string {
  if (start < 0 || end > target.length || start > end) {
    throw new CoercionError(`asks for characters ${start} to ${end} of ${target.length}`);
  }
  return target.substring(start, end);
}
