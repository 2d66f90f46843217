import { classNamed, type JavaClass } from './java-class.ts';
import { defineMethods } from './method-table.ts';
import './methods/object-methods.ts';
import { exception, noSuchElement } from './throwable.ts';
import { JavaObject, type List } from './values.ts';

/** Walks through a list both ways and changes it on the way. */
export class ListIterator extends JavaObject {
  readonly type: JavaClass = classNamed('java.util.ListIterator');
  readonly list: List;
  at: number;
  /** The place of what came last; -1 when there is none that could be changed. */
  last = -1;

  constructor(list: List, at: number) {
    super();
    this.list = list;
    this.at = at;
  }

  step(by: 1 | -1): unknown {
    const place = by === 1 ? this.at : this.at - 1;
    if (place < 0 || place >= this.list.length) throw noSuchElement();
    this.at += by;
    this.last = place;
    return this.list[place];
  }

  /** The place of what came last. */
  current(): number {
    if (this.last < 0) throw exception('java.lang.IllegalStateException', null);
    return this.last;
  }
}

defineMethods('java.util.ListIterator', 'java.lang.Object', {
  'hasNext/0': (self: ListIterator) => self.at < self.list.length,
  'hasPrevious/0': (self: ListIterator) => self.at > 0,
  'next/0': (self: ListIterator) => self.step(1),
  'previous/0': (self: ListIterator) => self.step(-1),
  'nextIndex/0': (self: ListIterator) => self.at,
  'previousIndex/0': (self: ListIterator) => self.at - 1,
  'set/1': (self: ListIterator, item: unknown) => {
    self.list[self.current()] = item;
    return null;
  },
  'add/1': (self: ListIterator, item: unknown) => {
    self.list.splice(self.at++, 0, item);
    self.last = -1;
    return null;
  },
  'remove/0': (self: ListIterator) => {
    const place = self.current();
    self.list.splice(place, 1);
    if (place < self.at) self.at--;
    self.last = -1;
    return null;
  },
});
