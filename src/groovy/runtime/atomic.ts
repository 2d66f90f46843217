import { int, numeric } from './arguments.ts';
import { addNumbers, toLong } from './arithmetic.ts';
import { call1 } from './closure.ts';
import { javaEquals } from './equality.ts';
import { classNamed, type JavaClass } from './java-class.ts';
import { defineMethods, defineStatics } from './method-table.ts';
import './methods/number-methods.ts';
import { toText } from './text.ts';
import { JavaObject } from './values.ts';

/** A value in a box, as closures of the field use it; there is one thread, so nothing more is needed. */
class Atomic extends JavaObject {
  readonly type: JavaClass;
  value: unknown;

  constructor(name: string, value: unknown) {
    super();
    this.type = classNamed(`java.util.concurrent.atomic.${name}`);
    this.value = value;
  }

  override toText(): string {
    return toText(this.value);
  }

  /** The new value; numbers keep their width. */
  change(value: unknown): unknown {
    this.value = this.type.name.endsWith('Integer')
      ? int(value)
      : this.type.name.endsWith('Long')
        ? toLong(numeric(value))
        : value;
    return this.value;
  }
}

const EMPTY: Readonly<Record<string, unknown>> = {
  AtomicInteger: 0,
  AtomicLong: 0n,
  AtomicBoolean: false,
  AtomicReference: null,
};

function add(by: number, givesNew: boolean) {
  return (self: Atomic) => {
    const before = self.value;
    const after = self.change(addNumbers(numeric(before), by));
    return givesNew ? after : before;
  };
}

for (const name in EMPTY) {
  const full = `java.util.concurrent.atomic.${name}`;
  defineStatics(full, {
    'new/0-1': (value: unknown = EMPTY[name]) => {
      const atomic = new Atomic(name, null);
      atomic.change(value);
      return atomic;
    },
  });
  defineMethods(full, 'java.lang.Object', {
    'get/0': (self: Atomic) => self.value,
    'set/1': (self: Atomic, value: unknown) => {
      self.change(value);
      return null;
    },
    'getAndSet/1': (self: Atomic, value: unknown) => {
      const before = self.value;
      self.change(value);
      return before;
    },
    'compareAndSet/2': (self: Atomic, expected: unknown, value: unknown) => {
      const isSame = javaEquals(self.value, expected);
      if (isSame) self.change(value);
      return isSame;
    },
    'updateAndGet/1': (self: Atomic, fn: unknown) => self.change(call1(fn, self.value)),
    'getAndUpdate/1': (self: Atomic, fn: unknown) => {
      const before = self.value;
      self.change(call1(fn, before));
      return before;
    },
    ...(name === 'AtomicInteger' || name === 'AtomicLong' ? counting() : {}),
  });
}

function counting() {
  return {
    'incrementAndGet/0': add(1, true),
    'decrementAndGet/0': add(-1, true),
    'getAndIncrement/0': add(1, false),
    'getAndDecrement/0': add(-1, false),
    'next/0': add(1, true),
    'addAndGet/1': (self: Atomic, by: unknown) => self.change(addNumbers(numeric(self.value), numeric(by))),
    'getAndAdd/1': (self: Atomic, by: unknown) => {
      const before = self.value;
      self.change(addNumbers(numeric(before), numeric(by)));
      return before;
    },
    'intValue/0': (self: Atomic) => int(self.value),
    'longValue/0': (self: Atomic) => toLong(numeric(self.value)),
  };
}
