import { Closure, call0 } from './closure.ts';
import { outside } from './dispatch-port.ts';
import { itemsOf } from './equality.ts';
import { classNamed, type JavaClass } from './java-class.ts';
import { defineMethods, defineStatics } from './method-table.ts';
import './methods/object-methods.ts';
import { javaText, toText } from './text.ts';
import { illegalArgument, Throwable } from './throwable.ts';
import { JavaObject } from './values.ts';

const LOGGER_CLASS = classNamed('java.util.logging.Logger');
const LEVEL_CLASS = classNamed('java.util.logging.Level');

/** Java's levels with their numbers, and the levels of the script log that they are. */
const LEVELS: Readonly<Record<string, readonly [value: number, level: string | undefined]>> = {
  OFF: [2_147_483_647, undefined],
  SEVERE: [1000, 'error'],
  WARNING: [900, 'warn'],
  INFO: [800, 'info'],
  CONFIG: [700, 'info'],
  FINE: [500, 'debug'],
  FINER: [400, 'trace'],
  FINEST: [300, 'trace'],
  ALL: [-2_147_483_648, 'trace'],
};

class Level extends JavaObject {
  readonly type: JavaClass = LEVEL_CLASS;
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }

  override toText(): string {
    return this.name;
  }
}

const levels = Object.fromEntries(Object.keys(LEVELS).map((name) => [name, new Level(name)]));

/** What `java.util.logging` is told goes to the script log. */
class JavaLogger extends JavaObject {
  readonly type: JavaClass = LOGGER_CLASS;
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }
}

function write(level: Level, message: unknown, args: readonly unknown[]): null {
  const to = LEVELS[level.name]![1];
  if (to === undefined) return null;
  const [only] = args;
  const values = (args.length === 1 && only !== null ? itemsOf(only) : undefined) ?? args;
  const text = toText(message instanceof Closure ? call0(message) : message);
  const filled = text.replace(/\{(\d+)\}/g, (place, at) =>
    Number(at) < values.length ? javaText(values[at]) : place,
  );
  outside.host(`logger.${to}`, only instanceof Throwable ? `${filled} ${toText(only)}` : filled);
  return null;
}

defineStatics(
  'java.util.logging.Level',
  {
    'parse/1': (name: unknown) => {
      const level = levels[toText(name)];
      if (level === undefined) throw illegalArgument(`Bad level "${toText(name)}"`);
      return level;
    },
  },
  levels,
);
defineMethods('java.util.logging.Level', 'java.lang.Object', {
  'getName/0': (self: Level) => self.name,
  'intValue/0': (self: Level) => LEVELS[self.name]![0],
});
defineStatics('java.util.logging.Logger', {
  'getLogger/1': (name: unknown) => new JavaLogger(toText(name)),
  'getAnonymousLogger/0': () => new JavaLogger(''),
  'getGlobal/0': () => new JavaLogger('global'),
});
defineMethods('java.util.logging.Logger', 'java.lang.Object', {
  'getName/0': (self: JavaLogger) => self.name,
  'getLevel/0': () => levels['ALL'],
  'setLevel/1': () => null,
  'isLoggable/1': () => true,
  'log/2+': (_self: JavaLogger, level: Level, message: unknown, ...args: unknown[]) =>
    write(level, message, args),
  ...Object.fromEntries(
    Object.keys(LEVELS)
      .filter((name) => name !== 'OFF' && name !== 'ALL')
      .map((name) => [
        `${name.toLowerCase()}/1`,
        (_self: JavaLogger, message: unknown) => write(levels[name]!, message, []),
      ]),
  ),
});
