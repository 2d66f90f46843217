import { dispatcher } from '../dispatch-port.ts';
import { defineMethods } from '../method-table.ts';
import { throwableMessage, throwableText } from '../text.ts';
import type { Throwable } from '../throwable.ts';
import './text-methods.ts';

defineMethods('java.lang.Throwable', 'java.lang.Object', {
  'getMessage/0': throwableMessage,
  'getLocalizedMessage/0': throwableMessage,
  'getCause/0': (self: Throwable) => self.causedBy,
  'initCause/1': (self: Throwable, cause: Throwable) => {
    self.causedBy = cause;
    return self;
  },
  'getStackTrace/0': () => [],
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
      fields.map((field) => [
        `get${field[0]!.toUpperCase()}${field.slice(1)}/0`,
        (self: Throwable) => self.fields[field],
      ]),
    ),
  });
}
