import { capitalize } from './capitalize.ts';
import { outside } from './dispatch-port.ts';
import { classNamed, JavaClass } from './java-class.ts';
import { defineMethods, defineStatics } from './method-table.ts';
import './methods/object-methods.ts';
import { javaText, toText } from './text.ts';
import { Throwable } from './throwable.ts';
import { JavaObject } from './values.ts';

const LOGGER_CLASS = classNamed('org.slf4j.Logger');

/** A logger as scripts of the field make themselves one; what it says goes to the script log. */
class Logger extends JavaObject {
  readonly type: JavaClass = LOGGER_CLASS;
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }
}

function fill(pattern: string, args: readonly unknown[]): string {
  let next = 0;
  const text = pattern.replaceAll('{}', (place) => (next < args.length ? javaText(args[next++]) : place));
  const last = args[next];
  return last instanceof Throwable ? `${text} ${toText(last)}` : text;
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'];

defineMethods('org.slf4j.Logger', 'java.lang.Object', {
  'getName/0': (self: Logger) => self.name,
  ...Object.fromEntries(
    LEVELS.flatMap((level) => [
      [
        `${level}/1+`,
        (_self: Logger, pattern: unknown, ...args: unknown[]) => {
          outside.host(
            `logger.${level}`,
            fill(toText(pattern), args.length === 1 && Array.isArray(args[0]) ? args[0] : args),
          );
          return null;
        },
      ],
      [`is${capitalize(level)}Enabled/0`, () => true],
    ]),
  ),
});
defineStatics('org.slf4j.LoggerFactory', {
  'getLogger/1': (name: unknown) => new Logger(name instanceof JavaClass ? name.name : toText(name)),
});
