import { Closure } from '../closure.ts';
import { type Order, orderBy } from '../collecting.ts';
import { JavaIterator, listOf } from '../iterate.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/collection-methods.ts';
import { javaEquals } from '../equality.ts';
import { toText } from '../text.ts';
import { noSuchElement, nullPointer } from '../throwable.ts';
import { JavaObject } from '../values.ts';
import { Comparator } from './comparator.ts';

/** A heap in an array, in the order in which Java keeps it. */
class PriorityQueue extends JavaObject {
  readonly type: JavaClass = classNamed('java.util.PriorityQueue');
  readonly items: unknown[] = [];
  readonly #order: Order;

  constructor(order: Order) {
    super();
    this.#order = order;
  }

  override toText(): string {
    return `[${this.items.map(toText).join(', ')}]`;
  }

  add(item: unknown): true {
    if (item === null) throw nullPointer();
    this.#siftUp(this.items.length, item);
    return true;
  }

  poll(): unknown {
    if (this.items.length === 0) return null;
    const [first] = this.items;
    const last = this.items.pop();
    if (this.items.length > 0) this.#siftDown(0, last);
    return first;
  }

  removeAt(place: number): void {
    const last = this.items.pop();
    if (place === this.items.length) return;
    this.#siftDown(place, last);
    if (this.items[place] === last) this.#siftUp(place, last);
  }

  #siftUp(from: number, item: unknown): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >>> 1;
      if (this.#order(item, this.items[above]) >= 0) break;
      this.items[place] = this.items[above];
      place = above;
    }
    this.items[place] = item;
  }

  #siftDown(from: number, item: unknown): void {
    const { items } = this;
    let place = from;
    while (place * 2 + 1 < items.length) {
      let below = place * 2 + 1;
      if (below + 1 < items.length && this.#order(items[below], items[below + 1]) > 0) below++;
      if (this.#order(item, items[below]) <= 0) break;
      items[place] = items[below];
      place = below;
    }
    items[place] = item;
  }
}

function made(first?: unknown, second?: unknown): PriorityQueue {
  const order = [first, second].find((each) => each instanceof Closure || each instanceof Comparator);
  const queue = new PriorityQueue(orderBy(order));
  if (order === undefined && first !== undefined && typeof first !== 'number')
    for (const item of listOf(first)) queue.add(item);
  return queue;
}

function firstOf(self: PriorityQueue): unknown {
  if (self.items.length === 0) throw noSuchElement();
  return self.items[0];
}

const add = (self: PriorityQueue, item: unknown) => self.add(item);

defineStatics('java.util.PriorityQueue', { 'new/0-2': made });
defineMethods('java.util.PriorityQueue', 'java.util.Collection', {
  'add/1': add,
  'offer/1': add,
  'leftShift/1': (self: PriorityQueue, item: unknown) => {
    self.add(item);
    return self;
  },
  'addAll/1': (self: PriorityQueue, items: unknown) => {
    for (const item of listOf(items)) self.add(item);
    return true;
  },
  'poll/0': (self: PriorityQueue) => self.poll(),
  'peek/0': (self: PriorityQueue) => self.items[0] ?? null,
  'element/0': firstOf,
  'remove/0-1': (self: PriorityQueue, ...what: unknown[]) => {
    if (what.length === 0) {
      firstOf(self);
      return self.poll();
    }
    const place = self.items.findIndex((item) => javaEquals(item, what[0]));
    if (place >= 0) self.removeAt(place);
    return place >= 0;
  },
  'clear/0': (self: PriorityQueue) => {
    self.items.length = 0;
    return null;
  },
  'size/0': (self: PriorityQueue) => self.items.length,
  'isEmpty/0': (self: PriorityQueue) => self.items.length === 0,
  'asBoolean/0': (self: PriorityQueue) => self.items.length > 0,
  'toString/0': (self: PriorityQueue) => self.toText(),
  'iterator/0': (self: PriorityQueue) => {
    let at = 0;
    return new JavaIterator(() => self.items[at++]);
  },
});
