import { toNumber } from './arithmetic.ts';
import { cast, convertNumber, isInstance } from './casting.ts';
import { Closure } from './closure.ts';
import { call, responds } from './dispatch.ts';
import { equal, itemsOf, javaEquals } from './equality.ts';
import { boxOf, JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { JavaSet } from './java-set.ts';
import { Range } from './range.ts';
import { textOf, toText } from './text.ts';
import { truth } from './truth.ts';
import { Char, isNumeric, type Numeric } from './values.ts';

/** `(Type) value`. */
export function castTo(value: unknown, type: JavaClass): unknown {
  if (isNumeric(value)) {
    const number = convertNumber(value, boxOf(type).simpleName);
    if (number !== undefined) return number;
  }
  if (value instanceof Char && type.form === 'primitive' && type.name !== 'char' && type.name !== 'boolean') {
    return convertNumber(value.code, boxOf(type).simpleName);
  }
  return cast(value, type);
}

/** Whether a `case` takes the value; `in` asks the same. */
export function isCase(test: unknown, value: unknown): boolean {
  if (test === null || test === undefined) return value === null;
  if (test instanceof JavaClass) return isInstance(value, test);
  if (test instanceof Closure) return truth(test.call([value]));
  if (test instanceof JavaSet) return test.has(value);
  if (test instanceof JavaMap) return truth(test.find(value)?.value ?? null);
  if (test instanceof Range && test.isInt) return isNumeric(value) && inIntRange(test, value);
  const items = itemsOf(test);
  if (items !== undefined) return items.some((item) => javaEquals(item, value));
  if (textOf(test) !== undefined) return value !== null && toText(value) === toText(test);
  if (responds(test, 'isCase', 1)) return truth(call(test, 'isCase', [value]));
  return equal(test, value);
}

function inIntRange(range: Range, value: Numeric): boolean {
  if (range.isEmpty) return false;
  const position = toNumber(value);
  return Number.isInteger(position) && range.spans(position);
}

export function isIn(value: unknown, holder: unknown): boolean {
  return holder !== null && isCase(holder, value);
}

export function isNotIn(value: unknown, holder: unknown): boolean {
  return !isIn(value, holder);
}
