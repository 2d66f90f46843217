import { asInterface } from '../casting.ts';
import { call1 } from '../closure.ts';
import { type Order, orderBy } from '../collecting.ts';
import { call } from '../dispatch.ts';
import { compare } from '../equality.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { toText } from '../text.ts';
import { exception } from '../throwable.ts';
import { classNameOf } from '../type-of.ts';
import { Entry, JavaObject } from '../values.ts';

const COMPARATOR_CLASS = classNamed('java.util.Comparator');

defineStatics('java.util.Map$Entry', {
  'comparingByKey/0': () => new Comparator((left, right) => compare(entryOf(left).key, entryOf(right).key)),
  'comparingByValue/0': () =>
    new Comparator((left, right) => compare(entryOf(left).value, entryOf(right).value)),
});

function entryOf(value: unknown): Entry {
  if (value instanceof Entry) return value;
  throw exception(
    'java.lang.ClassCastException',
    `${classNameOf(value)} cannot be cast to java.util.Map$Entry`,
  );
}

/** An order as an object. */
export class Comparator extends JavaObject {
  readonly type: JavaClass = COMPARATOR_CLASS;
  readonly order: Order;

  constructor(order: Order) {
    super();
    this.order = order;
  }
}

asInterface.make = (closure, type) =>
  type.name === 'java.util.Comparator' ? new Comparator(orderBy(closure)) : closure;

function comparing(fn: unknown, order: unknown): Comparator {
  const by = orderBy(order);
  return new Comparator((left, right) => by(call1(fn, left), call1(fn, right)));
}

defineStatics('java.util.Comparator', {
  'comparing/1-2': comparing,
  'comparingInt/1': comparing,
  'comparingLong/1': comparing,
  'comparingDouble/1': comparing,
  'naturalOrder/0': () => new Comparator(compare),
  'reverseOrder/0': () => new Comparator((left, right) => compare(right, left)),
});

defineStatics(
  'java.lang.String',
  {},
  {
    CASE_INSENSITIVE_ORDER: new Comparator((left, right) =>
      compare(toText(left).toLowerCase(), toText(right).toLowerCase()),
    ),
  },
);
defineStatics('java.lang.Enum', {
  'valueOf/2': (type: unknown, name: unknown) => call(type, 'valueOf', [name]),
});

defineMethods('java.util.Comparator', 'java.lang.Object', {
  'compare/2': (self: Comparator, left: unknown, right: unknown) => self.order(left, right),
  'reversed/0': (self: Comparator) => new Comparator((left, right) => self.order(right, left)),
  'thenComparing/1-2': (self: Comparator, fn: unknown) => {
    const next = fn instanceof Comparator ? fn.order : orderBy(fn);
    return new Comparator((left, right) => self.order(left, right) || next(left, right));
  },
});
