import { addKeyMaker, keyText, markedKey } from './hash-key.ts';
import type { JavaMap } from './java-map.ts';
import { concurrentModification, unsupported } from './throwable.ts';

/** A list that is a part of something else: what is done to it is done there. */
export interface ListView {
  read(): unknown[];
  /** Puts the items in the place of what was read. */
  write(items: unknown[]): void;
}

export class SubList implements ListView {
  readonly #list: unknown[];
  readonly #from: number;
  #size: number;
  #expected: number;

  constructor(list: unknown[], from: number, to: number) {
    this.#list = list;
    this.#from = from;
    this.#size = to - from;
    this.#expected = list.length;
  }

  read(): unknown[] {
    if (this.#list.length !== this.#expected) throw concurrentModification();
    return this.#list.slice(this.#from, this.#from + this.#size);
  }

  write(items: unknown[]): void {
    this.#list.splice(this.#from, this.#size, ...items);
    this.#size = items.length;
    this.#expected = this.#list.length;
  }
}

/** A list from behind. */
export class ReversedList implements ListView {
  readonly #list: unknown[];

  constructor(list: unknown[]) {
    this.#list = list;
  }

  read(): unknown[] {
    return [...this.#list].reverse();
  }

  write(items: unknown[]): void {
    this.#list.splice(0, this.#list.length, ...[...items].reverse());
  }
}

/** `map.values()`: values can go, but not come. */
export class ValuesView implements ListView {
  readonly #map: JavaMap;

  constructor(map: JavaMap) {
    this.#map = map;
  }

  read(): unknown[] {
    return this.#map.values();
  }

  write(items: unknown[]): void {
    let kept = 0;
    for (const { key, value } of this.#map.list()) {
      if (kept < items.length && items[kept] === value) kept++;
      else this.#map.remove(key);
    }
    if (kept < items.length) throw unsupported();
  }
}

export function isListView(value: unknown): value is ListView {
  return value instanceof SubList || value instanceof ValuesView || value instanceof ReversedList;
}

addKeyMaker(isListView, (value) => markedKey('[', `${value.read().map(keyText).join(',')}]`));
