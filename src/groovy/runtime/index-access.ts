import { int } from './arguments.ts';
import { toInt } from './arithmetic.ts';
import { cast } from './casting.ts';
import { call, responds } from './dispatch.ts';
import { itemsOf } from './equality.ts';
import { JavaClass } from './java-class.ts';
import { isJavaMap } from './java-map.ts';
import { type JsonMap, plainValue } from './json-map.ts';
import { isListView } from './list-view.ts';
import { property, setProperty } from './property.ts';
import { Range } from './range.ts';
import { textOf, toText } from './text.ts';
import { exception, nullPointer, type Throwable, unsupported } from './throwable.ts';
import { classNameOf } from './type-of.ts';
import { GString, isNumeric, type List, listKind, StringBuilder } from './values.ts';

/** `receiver[at]`. */
export function index(receiver: unknown, at: unknown): unknown {
  if (typeof at === 'string' && typeof receiver === 'object' && receiver !== null) {
    const map: Partial<JsonMap> = receiver;
    if (map.json !== undefined) {
      const value = plainValue(receiver, at);
      if (value !== undefined) return value;
    }
    // A text that begins with a control character has a key of its own.
    const { pairs } = map;
    if (pairs !== undefined && at >= '\u0002') {
      const entry = pairs.get(at);
      if (entry !== undefined) return entry.value;
      if (map.byDefault === undefined) return null;
    }
  }
  if (isJavaMap(receiver)) return receiver.get(keyOf(at));
  if (Array.isArray(receiver) && typeof at === 'number' && at >= 0) {
    if (at < receiver.length) return receiver[at];
    if (listKind(receiver)?.element !== undefined) throw arrayBounds(at, receiver.length);
    return null;
  }
  if (receiver === null || receiver === undefined) {
    throw nullPointer('Cannot invoke method getAt() on null object');
  }
  const items = itemsOf(receiver);
  if (items !== undefined) return itemAt(receiver, items, at);
  const text = receiver instanceof StringBuilder ? receiver.text : textOf(receiver);
  if (text !== undefined) return textAt(text, at);
  if (responds(receiver, 'getAt', 1)) return call(receiver, 'getAt', [at]);
  const name = textOf(at);
  if (name !== undefined) return property(receiver, name);
  return call(receiver, 'getAt', [at]);
}

/** A text with values finds the String key. */
function keyOf(at: unknown): unknown {
  return typeof at === 'object' && at instanceof GString ? toText(at) : at;
}

export function indexSafe(receiver: unknown, at: unknown): unknown {
  return receiver === null || receiver === undefined ? null : index(receiver, at);
}

function itemAt(receiver: object, items: readonly unknown[], at: unknown): unknown {
  if (isNumeric(at)) {
    const position = toInt(at);
    if (position >= items.length) {
      if (Array.isArray(receiver) && listKind(receiver)?.element !== undefined)
        throw arrayBounds(position, items.length);
      return null;
    }
    return items[fromEnd(position, items.length)];
  }
  if (at instanceof Range) return rangeOf(items, at);
  const positions = itemsOf(at);
  if (positions !== undefined) {
    return positions.flatMap((each) => {
      const part = itemAt(receiver, items, each);
      return each instanceof Range ? part : [part];
    });
  }
  const name = textOf(at);
  if (name !== undefined) return property(receiver, name);
  throw exception(
    'groovy.lang.MissingMethodException',
    `No signature of method: ${classNameOf(receiver)}.getAt()`,
  );
}

/** A position counted from the end when it is negative. */
export function fromEnd(position: number, length: number): number {
  if (position >= 0) return position;
  const actual = length + position;
  if (actual < 0) {
    throw exception(
      'java.lang.ArrayIndexOutOfBoundsException',
      `Negative array index [${position}] too large for array size ${length}`,
    );
  }
  return actual;
}

/** The first and last position of a range in something of a length, in that order. */
export function rangeEnds(range: Range, length: number): { from: number; to: number; isReverse: boolean } {
  if (range.isEmpty) {
    const from = int(range.from);
    return { from, to: from - 1, isReverse: false };
  }
  let from = int(range.from);
  let to = int(range.to);
  if (from < 0) from += length;
  if (to < 0) to += length;
  const isReverse = from > to || (from === to && range.isReverse);
  return isReverse ? { from: to, to: from, isReverse } : { from, to, isReverse };
}

function rangeOf(items: readonly unknown[], range: Range): unknown[] {
  const { from, to, isReverse } = rangeEnds(range, items.length);
  if (to < from) return [];
  if (from < 0 || to >= items.length) {
    throw exception('java.lang.IndexOutOfBoundsException', `toIndex = ${to + 1}`);
  }
  const part = items.slice(from, to + 1);
  return isReverse ? part.reverse() : part;
}

function textAt(text: string, at: unknown): unknown {
  if (isNumeric(at)) {
    const position = fromTextEnd(toInt(at), text.length);
    return text[position];
  }
  if (at instanceof Range) {
    const { from, to, isReverse } = rangeEnds(at, text.length);
    if (to < from) return '';
    if (from < 0 || to >= text.length) {
      throw exception(
        'java.lang.StringIndexOutOfBoundsException',
        `begin ${from}, end ${to + 1}, length ${text.length}`,
      );
    }
    const part = text.slice(from, to + 1);
    return isReverse ? [...part].reverse().join('') : part;
  }
  const positions = itemsOf(at);
  if (positions !== undefined) return positions.map((each) => textAt(text, each)).join('');
  const name = textOf(at);
  if (name !== undefined) return property(text, name);
  throw exception('groovy.lang.MissingMethodException', 'No signature of method: java.lang.String.getAt()');
}

function fromTextEnd(position: number, length: number): number {
  const actual = position < 0 ? length + position : position;
  if (actual < 0 || actual >= length) {
    throw exception(
      'java.lang.StringIndexOutOfBoundsException',
      `begin ${position}, end ${position + 1}, length ${length}`,
    );
  }
  return actual;
}

function arrayBounds(position: number, length: number): Throwable {
  return exception(
    'java.lang.ArrayIndexOutOfBoundsException',
    `Index ${position} out of bounds for length ${length}`,
  );
}

/** `receiver[at] = value`. */
export function setIndex(receiver: unknown, at: unknown, value: unknown): unknown {
  if (isJavaMap(receiver)) receiver.put(typeof at === 'string' ? at : keyOf(at), value);
  else if (Array.isArray(receiver)) setItem(receiver, at, value);
  else if (receiver === null || receiver === undefined) {
    throw nullPointer('Cannot invoke method putAt() on null object');
  } else if (isListView(receiver)) {
    const items = receiver.read();
    setItem(items, at, value);
    receiver.write(items);
  } else if (receiver instanceof StringBuilder) call(receiver, 'putAt', [at, value]);
  else if (responds(receiver, 'putAt', 2)) call(receiver, 'putAt', [at, value]);
  else {
    const name = textOf(at);
    if (name === undefined || receiver instanceof JavaClass) call(receiver, 'putAt', [at, value]);
    else setProperty(receiver, name, value);
  }
  return value;
}

function setItem(list: List, at: unknown, value: unknown): void {
  const kind = listKind(list);
  if (kind?.isReadOnly) throw unsupported();
  if (at instanceof Range) {
    const { from, to } = rangeEnds(at, list.length);
    const items = itemsOf(value);
    list.splice(from, Math.max(0, to - from + 1), ...(items ?? [value]));
    return;
  }
  if (!isNumeric(at)) {
    const positions = itemsOf(at);
    if (positions === undefined) {
      setProperty(list, toText(at), value);
      return;
    }
    const items = itemsOf(value);
    for (const [order, each] of positions.entries()) {
      setItem(list, each, items === undefined ? value : items[order]);
    }
    return;
  }
  const position = fromEnd(toInt(at), list.length);
  if (kind?.isFixed) {
    if (position >= list.length) throw arrayBounds(position, list.length);
    list[position] = kind.element === undefined ? value : cast(value, kind.element);
    return;
  }
  while (list.length < position) list.push(null);
  list[position] = value;
}

export function updateIndex(receiver: unknown, at: unknown, compute: (old: unknown) => unknown): unknown {
  return setIndex(receiver, at, compute(index(receiver, at)));
}

/** For `def (a, b) = value`: null beyond the end. */
export function itemOf(value: unknown, position: number): unknown {
  const items = itemsOf(value);
  if (items !== undefined) return position < items.length ? items[position] : null;
  if (value === null) throw nullPointer('Cannot invoke method getAt() on null object');
  const text = textOf(value);
  if (text !== undefined) return textAt(text, position);
  return responds(value, 'iterator', 0)
    ? ((call(value, 'toList', []) as unknown[])[position] ?? null)
    : index(value, position);
}
