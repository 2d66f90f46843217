import { toNumber } from '../arithmetic.ts';
import { outside } from '../dispatch-port.ts';
import { formatText, unpacked } from '../format.ts';
import { hashCode } from '../hash-code.ts';
import { identityOf } from '../hash-key.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { JavaMap } from '../java-map.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { numeric } from '../methods/number-methods.ts';
import { toText } from '../text.ts';
import { exception } from '../throwable.ts';
import { JavaObject } from '../values.ts';

const PRINT_STREAM_CLASS = classNamed('java.io.PrintStream');
const OBJECT_CLASS = classNamed('java.lang.Object');

class Printer extends JavaObject {
  readonly type: JavaClass = PRINT_STREAM_CLASS;
}

function print(self: Printer, pattern: unknown, ...args: unknown[]): Printer {
  outside.print(formatText(toText(pattern), unpacked(args)));
  return self;
}

/** `System.out`: what is printed goes where `println` prints. */
defineMethods('java.io.PrintStream', 'java.lang.Object', {
  'flush/0': () => null,
  'format/1+': print,
  'printf/1+': print,
});

defineStatics(
  'java.lang.System',
  {
    'currentTimeMillis/0': () => BigInt(Date.now()),
    'nanoTime/0': () => BigInt(Date.now()) * 1_000_000n,
    'lineSeparator/0': () => '\n',
    'identityHashCode/1': (value: unknown) =>
      typeof value === 'object' && value !== null ? identityOf(value) : hashCode(value),
    'getProperty/1-2': (name: unknown, byDefault: unknown = null) =>
      toText(name) === 'line.separator' ? '\n' : byDefault,
    'getenv/0-1': (name?: unknown) => (name === undefined ? new JavaMap() : null),
    'arraycopy/5': (source: unknown[], from: number, target: unknown[], to: number, length: number) => {
      const part = source.slice(from, from + length);
      if (part.length < length || to + length > target.length)
        throw exception('java.lang.ArrayIndexOutOfBoundsException', 'arraycopy');
      for (const [at, item] of part.entries()) target[to + at] = item;
      return null;
    },
  },
  { out: new Printer(), err: new Printer() },
);

defineStatics('java.lang.Thread', {
  'sleep/1': (ms: unknown) => {
    outside.host('groovy.sleep', toNumber(numeric(ms)));
    return null;
  },
});

defineStatics('java.lang.Object', { 'new/0': () => new PlainObject() });

class PlainObject extends JavaObject {
  readonly type: JavaClass = OBJECT_CLASS;
}
