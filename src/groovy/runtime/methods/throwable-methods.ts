import { capitalize } from '../capitalize.ts';
import { arrays } from '../closure.ts';
import { dispatcher } from '../dispatch-port.ts';
import { arrayType, classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods } from '../method-table.ts';
import { throwableMessage, throwableText } from '../text.ts';
import type { Throwable } from '../throwable.ts';
import { JavaObject } from '../values.ts';
import './text-methods.ts';

/** Where an error comes from is told in the log; to the script it is one element that says so. */
function stackTrace(): unknown[] {
  const type = classNamed('java.lang.StackTraceElement');
  return arrays.make([new StackTraceElement(type)], arrayType(type));
}

class StackTraceElement extends JavaObject {
  readonly type: JavaClass;

  constructor(type: JavaClass) {
    super();
    this.type = type;
  }

  override toText(): string {
    return 'Script1.run(Script1.groovy)';
  }
}

defineMethods('java.lang.StackTraceElement', 'java.lang.Object', {
  'getClassName/0': () => 'Script1',
  'getMethodName/0': () => 'run',
  'getFileName/0': () => 'Script1.groovy',
  'getLineNumber/0': () => -1,
});

defineMethods('java.lang.Throwable', 'java.lang.Object', {
  'getMessage/0': throwableMessage,
  'getLocalizedMessage/0': throwableMessage,
  'getCause/0': (self: Throwable) => self.causedBy,
  'initCause/1': (self: Throwable, cause: Throwable) => {
    self.causedBy = cause;
    return self;
  },
  'getStackTrace/0': stackTrace,
  'printStackTrace/0-1': (self: Throwable, writer?: unknown) =>
    writer === undefined ? null : dispatcher.invoke(writer, 'println', [throwableText(self)]),
  'addSuppressed/1': (self: Throwable, other: unknown) => {
    self.suppressed.push(other);
    return null;
  },
  'getSuppressed/0': (self: Throwable) => self.suppressed,
  'fillInStackTrace/0': (self: Throwable) => self,
});

for (const [className, fields] of [
  ['groovy.lang.MissingPropertyException', ['property']],
  ['groovy.lang.MissingMethodException', ['method', 'arguments']],
] as const) {
  defineMethods(className, 'java.lang.Throwable', {
    ...Object.fromEntries(
      fields.map((field) => [`get${capitalize(field)}/0`, (self: Throwable) => self.fields[field]]),
    ),
  });
}
