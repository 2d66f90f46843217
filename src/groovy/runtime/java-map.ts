import { call1 } from './closure.ts';
import { addKeyMaker, hashKey, keyText, markedKey } from './hash-key.ts';
import { inHashOrder, LEAST_PLACES, placesFor } from './hash-order.ts';
import { concurrentModification, nullPointer, unsupported } from './throwable.ts';
import { Entry } from './values.ts';

export type MapKind =
  | 'LinkedHashMap'
  | 'HashMap'
  | 'TreeMap'
  | 'Hashtable'
  | 'ConcurrentHashMap'
  | 'Properties'
  | 'EnumMap'
  | 'IdentityHashMap'
  | 'ConfigObject'
  | 'UnmodifiableMap';
export type Compare = (left: unknown, right: unknown) => number;

/** Kinds whose order is that of the hashes of their keys. */
const HASHED: ReadonlySet<MapKind> = new Set(['HashMap', 'ConcurrentHashMap', 'Properties']);

const WITHOUT_NULLS: ReadonlySet<MapKind> = new Set(['ConcurrentHashMap', 'Hashtable', 'Properties']);

/**
 * A map in the order of insertion; a TreeMap puts itself in order when it is looked at, and so do those whose order
 * in Java is that of the places in a table.
 */
export class JavaMap {
  readonly kind: MapKind;
  /** The entries by their hash keys. No other object of ours has a member of this name: that is how a map is recognised. */
  pairs: Map<unknown, Entry>;
  /** The order of the keys of a TreeMap. */
  readonly compare: Compare | undefined;
  /** What `withDefault` gave: makes the value of a missing key. */
  byDefault: unknown;
  /** Grows when a key comes or goes. */
  changes: number;
  isSorted: boolean;
  /** How many places the table of a map in the order of hashes has: at first the least, then what it has grown to. */
  places: number;

  constructor(kind: MapKind = 'LinkedHashMap', compare?: Compare) {
    this.kind = kind;
    this.pairs = new Map();
    this.compare = compare;
    this.byDefault = undefined;
    this.changes = 0;
    this.isSorted = true;
    this.places = LEAST_PLACES;
  }

  get size(): number {
    return this.pairs.size;
  }

  find(key: unknown): Entry | undefined {
    return this.pairs.get(hashKey(key));
  }

  has(key: unknown): boolean {
    return this.pairs.has(hashKey(key));
  }

  /** The value of a key, or the one that `withDefault` promises. */
  get(key: unknown): unknown {
    const entry = this.pairs.get(hashKey(key));
    if (entry !== undefined) return entry.value;
    if (this.byDefault === undefined) return null;
    const value = call1(this.byDefault, key);
    this.put(key, value);
    return value;
  }

  /** The value before, or null. */
  put(key: unknown, value: unknown): unknown {
    if (this.kind === 'UnmodifiableMap') this.checkWritable();
    if ((key === null || value === null) && WITHOUT_NULLS.has(this.kind)) throw nullPointer();
    const hashed =
      typeof key === 'number' || (typeof key === 'string' && key >= '\u0002') ? key : hashKey(key);
    const entry = this.pairs.get(hashed);
    if (entry === undefined) {
      this.pairs.set(hashed, new Entry(key, value));
      this.changes++;
      this.isSorted = false;
      return null;
    }
    const before = entry.value;
    entry.value = value;
    return before;
  }

  remove(key: unknown): unknown {
    this.checkWritable();
    const hashed = hashKey(key);
    const entry = this.pairs.get(hashed);
    if (entry === undefined) return null;
    if (HASHED.has(this.kind)) this.places = placesFor(this.size, this.places);
    this.pairs.delete(hashed);
    this.changes++;
    return entry.value;
  }

  clear(): void {
    this.checkWritable();
    this.pairs.clear();
    this.changes++;
  }

  checkWritable(): void {
    if (this.kind === 'UnmodifiableMap') throw unsupported();
  }

  list(): Entry[] {
    this.putInOrder();
    return [...this.pairs.values()];
  }

  keys(): unknown[] {
    return this.list().map(({ key }) => key);
  }

  values(): unknown[] {
    return this.list().map(({ value }) => value);
  }

  /** Fails as Java does when the keys change on the way. */
  *[Symbol.iterator](): Generator<Entry> {
    const before = this.changes;
    for (const entry of this.list()) {
      if (this.changes !== before) throw concurrentModification();
      yield entry;
    }
  }

  putInOrder(): void {
    const { compare, kind } = this;
    if (this.isSorted || (compare === undefined && !HASHED.has(kind))) return;
    this.places = placesFor(this.size, this.places);
    this.pairs = new Map(
      compare === undefined
        ? inHashOrder(this.pairs, ([, { key }]) => key, this.places)
        : [...this.pairs].sort(([, left], [, right]) => compare(left.key, right.key)),
    );
    this.isSorted = true;
  }

  /** The same kind with nothing in it. */
  emptyCopy(): JavaMap {
    return new JavaMap(this.kind === 'UnmodifiableMap' ? 'LinkedHashMap' : this.kind, this.compare);
  }
}

/** What is in a value when it is a map; quicker than `instanceof`, and asked at every property. */
export function pairsOf(value: unknown): Map<unknown, Entry> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const map: Partial<JavaMap> = value;
  return map.pairs;
}

/** The same question where the map itself is wanted. */
export function isJavaMap(value: unknown): value is JavaMap {
  return pairsOf(value) !== undefined;
}

export function mapOf(pairs: Iterable<readonly [unknown, unknown]>): JavaMap {
  const map = new JavaMap();
  for (const [key, value] of pairs) map.put(key, value);
  return map;
}

addKeyMaker(
  (value) => value instanceof JavaMap,
  (value) =>
    markedKey(
      '{',
      [...value.pairs.values()]
        .map((entry) => `${keyText(entry.key)}:${keyText(entry.value)}`)
        .sort()
        .join(','),
    ),
);
