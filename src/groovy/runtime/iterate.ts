import { call, responds } from './dispatch.ts';
import { itemsOf } from './equality.ts';
import { classNamed, JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { JavaSet } from './java-set.ts';
import { instanceMethods } from './method-table.ts';
import { ScriptClass } from './script-class.ts';
import { textOf } from './text.ts';
import { concurrentModification, nullPointer } from './throwable.ts';
import { requireType } from './type-of.ts';
import { JavaObject, type List, listKind } from './values.ts';

const ITERATOR_CLASS = classNamed('java.util.Iterator');

/** An iterator over items that are known, or that a function gives one by one until it says undefined. */
export class JavaIterator extends JavaObject {
  readonly type: JavaClass = ITERATOR_CLASS;
  readonly #next: () => unknown;
  readonly #remove: ((position: number) => void) | undefined;
  #ahead: unknown;
  #isAhead = false;
  #position = -1;

  constructor(next: () => unknown, remove?: (position: number) => void) {
    super();
    this.#next = next;
    this.#remove = remove;
  }

  hasNext(): boolean {
    if (!this.#isAhead) {
      this.#ahead = this.#next();
      this.#isAhead = true;
    }
    return this.#ahead !== undefined;
  }

  next(): unknown {
    if (!this.hasNext()) return undefined;
    this.#isAhead = false;
    this.#position++;
    return this.#ahead;
  }

  /** Takes the item that came last out of where it comes from. */
  remove(): boolean {
    if (this.#remove === undefined) return false;
    this.#remove(this.#position);
    this.#position--;
    return true;
  }

  rest(): unknown[] {
    const items: unknown[] = [];
    for (let item = this.next(); item !== undefined; item = this.next()) items.push(item);
    return items;
  }
}

/** The items of anything that has some; everything else is its own only item. */
export function listOf(value: unknown): readonly unknown[] {
  const items = itemsOf(value);
  if (items !== undefined) return isSnapshot(value) ? items.slice() : items;
  if (value instanceof JavaMap || value instanceof JavaSet) return value.list();
  if (value instanceof JavaIterator) return value.rest();
  if (value instanceof JavaClass && value.form === 'enum') return listOf(call(value, 'values', []));
  if (value === null || value === undefined) return [];
  const text = textOf(value);
  if (text !== undefined) return [...text];
  const type = requireType(value);
  if (isA(type, 'java.util.Iterator')) return itemsOfIterator(value);
  const isIterable =
    isA(type, 'java.lang.Iterable') || value instanceof JavaObject || type instanceof ScriptClass;
  if (isIterable && responds(value, 'iterator', 0) && ownIterator(type))
    return itemsOfIterator(call(value, 'iterator', []));
  return [value];
}

function isSnapshot(value: unknown): boolean {
  return typeof value === 'object' && value !== null && listKind(value)?.isSnapshot === true;
}

function isA(type: JavaClass, name: string): boolean {
  return type.isSubclassOf(classNamed(name));
}

/** Whether a class has an `iterator` other than that of all collections, which would ask for the items again. */
function ownIterator(type: JavaClass): boolean {
  if (type instanceof ScriptClass) return type.findMethods('iterator').length > 0;
  return type.methods['iterator'] !== instanceMethods('java.util.Collection')?.['iterator'];
}

function itemsOfIterator(iterator: unknown): unknown[] {
  if (iterator instanceof JavaIterator) return iterator.rest();
  const items: unknown[] = [];
  while (call(iterator, 'hasNext', []) === true) items.push(call(iterator, 'next', []));
  return items;
}

/** A list for `*list`. */
export function spread(value: unknown): readonly unknown[] {
  if (value === null) throw nullPointer('Cannot spread the type null');
  return listOf(value);
}

export function spreadEntries(value: unknown): (readonly [unknown, unknown])[] {
  if (value === null) return [];
  return (value as JavaMap).list().map(({ key, value: item }) => [key, item] as const);
}

/** For `for (x in value)`; a list that changes on the way fails as it does in Java. */
export function iterate(value: unknown): Iterable<unknown> {
  if (Array.isArray(value)) return new ListWalk(isSnapshot(value) ? value.slice() : value);
  if (value instanceof JavaMap || value instanceof JavaSet) return value;
  return listOf(value);
}

/** Its own result object: a loop makes no garbage. */
class ListWalk implements Iterable<unknown> {
  readonly #list: List;
  readonly #length: number;
  #at = 0;
  value: unknown;
  done = false;

  constructor(list: List) {
    this.#list = list;
    this.#length = list.length;
  }

  [Symbol.iterator](): Iterator<unknown> {
    return this as unknown as Iterator<unknown>;
  }

  next(): this {
    const length = this.#list.length;
    if (this.#at === length) {
      this.done = true;
      return this;
    }
    if (length !== this.#length) throw concurrentModification();
    this.value = this.#list[this.#at++];
    return this;
  }
}
