import { compareNumbers } from './arithmetic.ts';
import { dispatcher } from './dispatch-port.ts';
import { hashKey, keyText } from './hash-key.ts';
import { JavaMap } from './java-map.ts';
import { JavaSet } from './java-set.ts';
import { isListView } from './list-view.ts';
import { Range } from './range.ts';
import { callScriptMethod, scriptClassOf } from './script-class.ts';
import { gstringText, toText } from './text.ts';
import { illegalArgument } from './throwable.ts';
import { classNameOf } from './type-of.ts';
import { Char, Entry, EnumConstant, GString, isNumeric, JavaObject } from './values.ts';

/** `==`: by value, across kinds of numbers and texts; objects with an order are equal when it says so. */
export function equal(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (left === null || right === null || left === undefined || right === undefined) return false;
  if (typeof left === 'string' && typeof right === 'string') return false;
  if (isNumeric(left))
    return isNumeric(right) ? compareNumbers(left, right) === 0 : equalToCharacter(right, left);
  if (typeof left === 'string') return equalText(left, right);
  if (typeof left === 'boolean') return false;
  return equalObjects(left, right);
}

function equalToCharacter(char: unknown, number: unknown): boolean {
  return char instanceof Char && isNumeric(number) && compareNumbers(char.code, number) === 0;
}

function equalText(text: string, other: unknown): boolean {
  if (other instanceof GString) return gstringText(other) === text;
  return other instanceof Char && other.value === text;
}

function equalObjects(left: object, right: unknown): boolean {
  const list = itemsOf(left);
  if (list !== undefined) {
    const others = itemsOf(right);
    return others !== undefined && equalLists(list, others);
  }
  if (left instanceof GString) {
    if (right instanceof GString) return gstringText(left) === gstringText(right);
    return typeof right === 'string' ? gstringText(left) === right : false;
  }
  if (left instanceof Char) {
    if (right instanceof Char) return left.value === right.value;
    return typeof right === 'string' ? left.value === right : equalToCharacter(left, right);
  }
  if (left instanceof JavaMap) return right instanceof JavaMap && equalMaps(left, right);
  if (left instanceof JavaSet) return right instanceof JavaSet && equalSets(left, right);
  if (left instanceof Entry)
    return right instanceof Entry && equal(left.key, right.key) && equal(left.value, right.value);
  const type = scriptClassOf(left);
  if (type !== undefined) {
    const comparing = isComparable(left) ? type.findMethods('compareTo') : [];
    if (comparing.length > 0 && scriptClassOf(right)?.isSubclassOf(type)) {
      return callScriptMethod(comparing, 'compareTo', left, [right], type.name) === 0;
    }
    const methods = type.findMethods('equals');
    if (methods.length > 0) return callScriptMethod(methods, 'equals', left, [right], type.name) === true;
  }
  if (left instanceof JavaObject) {
    const own = left.equalTo(right);
    if (own !== undefined) return own;
    if (!(right instanceof JavaObject)) return false;
    return keyText(left) === keyText(right);
  }
  return false;
}

function isComparable(value: object): boolean {
  return [...(scriptClassOf(value)?.ancestors ?? [])].some(({ name }) => name === 'java.lang.Comparable');
}

/** The items of what is a list: arrays, ranges, parts of lists. */
export function itemsOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object') return undefined;
  if (value instanceof Range) return value.items;
  return isListView(value) ? value.read() : undefined;
}

function equalLists(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((value, index) => equal(value, right[index]));
}

function equalMaps(left: JavaMap, right: JavaMap): boolean {
  if (left.size !== right.size) return false;
  for (const { key, value } of left.list()) {
    const other = right.find(key);
    if (other === undefined || !equal(value, other.value)) return false;
  }
  return true;
}

function equalSets(left: JavaSet, right: JavaSet): boolean {
  if (left.size !== right.size) return false;
  const others = right.list();
  return left.list().every((value) => right.has(value) || others.some((other) => equal(value, other)));
}

/** Java's `equals`: same class, same value. */
export function javaEquals(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (left === null || right === null) return false;
  if (typeof left !== 'object' && typeof right !== 'object') return false;
  const first = hashKey(left);
  const second = hashKey(right);
  return first === second && (typeof first !== 'object' || left !== null);
}

/** `<=>`: negative, 0 or positive. Null is less than everything else. */
export function compare(left: unknown, right: unknown): number {
  if (left === right) return 0;
  if (typeof left === 'number' && typeof right === 'number') return left < right ? -1 : 1;
  if (left === null || left === undefined) return right === null ? 0 : -1;
  if (right === null || right === undefined) return 1;
  if (isNumeric(left) && isNumeric(right)) return compareNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : 1;
  if (typeof left === 'boolean' && typeof right === 'boolean') return left ? 1 : -1;
  return compareObjects(left, right);
}

function compareObjects(left: unknown, right: unknown): number {
  const isLeftText = typeof left === 'string' || left instanceof GString || left instanceof Char;
  const isRightText = typeof right === 'string' || right instanceof GString || right instanceof Char;
  if (isLeftText && isRightText) return Math.sign(compareText(toText(left), toText(right)));
  // A text of one character is a number beside one.
  const [first, second] = [characterCode(left), characterCode(right)];
  if (first !== undefined && isNumeric(right)) return compareNumbers(first, right);
  if (second !== undefined && isNumeric(left)) return compareNumbers(left, second);
  if (left instanceof JavaObject) {
    const order = left.compareTo(right);
    if (order !== undefined) return Math.sign(order);
  }
  if (left instanceof EnumConstant && right instanceof EnumConstant && left.type === right.type) {
    return left.ordinal - right.ordinal;
  }
  const type = scriptClassOf(left);
  if (type !== undefined) {
    if (type.form === 'enum' && scriptClassOf(right) !== undefined) {
      return compare(dispatcher.invoke(left, 'ordinal', []), dispatcher.invoke(right, 'ordinal', []));
    }
    const methods = type.findMethods('compareTo');
    if (methods.length > 0) {
      return Math.sign(Number(callScriptMethod(methods, 'compareTo', left, [right], type.name)));
    }
  }
  if (equal(left, right)) return 0;
  throw illegalArgument(
    `Cannot compare ${classNameOf(left)} with value '${toText(left)}' and ${classNameOf(right)} with value '${toText(right)}'`,
  );
}

function characterCode(value: unknown): number | undefined {
  if (value instanceof Char) return value.code;
  const text = value instanceof GString ? gstringText(value) : value;
  return typeof text === 'string' && text.length === 1 ? text.charCodeAt(0) : undefined;
}

/** As Java compares strings: by the first different UTF-16 unit, else by length. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const difference = left.charCodeAt(index) - right.charCodeAt(index);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
