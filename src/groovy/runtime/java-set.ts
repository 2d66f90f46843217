import { addKeyMaker, hashKey, keyText, markedKey } from './hash-key.ts';
import { inHashOrder, LEAST_PLACES, placesFor } from './hash-order.ts';
import type { Compare, JavaMap } from './java-map.ts';
import { concurrentModification, unsupported } from './throwable.ts';

export type SetKind = 'LinkedHashSet' | 'HashSet' | 'TreeSet' | 'RegularEnumSet' | 'UnmodifiableSet';

/** A set in the order of insertion; a TreeSet and a HashSet put themselves in order when they are looked at. */
export class JavaSet {
  readonly kind: SetKind;
  items = new Map<unknown, unknown>();
  readonly compare: Compare | undefined;
  /** The map whose keys or entries these are: what goes here goes there. */
  readonly source: JavaMap | undefined;
  changes = 0;
  /** How many places the table of a HashSet has: at first the least, then what it has grown to. */
  places = LEAST_PLACES;
  #isSorted = true;

  constructor(kind: SetKind = 'LinkedHashSet', compare?: Compare, source?: JavaMap) {
    this.kind = kind;
    this.compare = compare;
    this.source = source;
  }

  get size(): number {
    return this.items.size;
  }

  has(value: unknown): boolean {
    return this.items.has(hashKey(value));
  }

  add(value: unknown): boolean {
    if (this.kind === 'UnmodifiableSet' || this.source !== undefined) throw unsupported();
    return this.hold(value);
  }

  /** Adds whatever the kind. */
  hold(value: unknown): boolean {
    const key = hashKey(value);
    if (this.items.has(key)) return false;
    this.items.set(key, value);
    this.changes++;
    this.#isSorted = false;
    return true;
  }

  delete(value: unknown): boolean {
    if (this.kind === 'UnmodifiableSet') throw unsupported();
    const key = hashKey(value);
    if (!this.items.has(key)) return false;
    if (this.kind === 'HashSet') this.places = placesFor(this.size, this.places);
    const item = this.items.get(key);
    this.items.delete(key);
    this.changes++;
    if (this.source !== undefined) this.source.remove(this.#sourceKey(item));
    return true;
  }

  #sourceKey(item: unknown): unknown {
    const isEntry = typeof item === 'object' && item !== null && 'key' in item && 'value' in item;
    return isEntry ? item.key : item;
  }

  list(): unknown[] {
    const { compare, kind } = this;
    if (!this.#isSorted && (compare !== undefined || kind === 'HashSet')) {
      this.places = placesFor(this.size, this.places);
      this.items = new Map(
        compare === undefined
          ? inHashOrder(this.items, ([, item]) => item, this.places)
          : [...this.items].sort(([, left], [, right]) => compare(left, right)),
      );
      this.#isSorted = true;
    }
    return [...this.items.values()];
  }

  *[Symbol.iterator](): Generator<unknown> {
    const before = this.changes;
    for (const item of this.list()) {
      if (this.changes !== before) throw concurrentModification();
      yield item;
    }
  }

  emptyCopy(): JavaSet {
    return new JavaSet(this.kind === 'UnmodifiableSet' ? 'LinkedHashSet' : this.kind, this.compare);
  }

  /** What Groovy makes of a set for part of its items: only the order of a TreeSet is kept. */
  get similarKind(): SetKind {
    return this.kind === 'TreeSet' ? 'TreeSet' : 'LinkedHashSet';
  }
}

/** A HashSet that is made for a collection has a table for it from the start. */
export function hashSetOf(items: readonly unknown[], places: number): JavaSet {
  const set = new JavaSet('HashSet');
  set.places = placesFor(0, places);
  for (const item of items) set.hold(item);
  return set;
}

export function setOf(items: Iterable<unknown>, kind: SetKind = 'LinkedHashSet', compare?: Compare): JavaSet {
  const set = new JavaSet(kind, compare);
  for (const item of items) set.hold(item);
  return set;
}

addKeyMaker(
  (value) => value instanceof JavaSet,
  (value) => markedKey('<', [...value.items.values()].map(keyText).sort().join(',')),
);
