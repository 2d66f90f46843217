import { formatText } from '../format.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { toText } from '../text.ts';
import { JavaObject } from '../values.ts';

const STRING_WRITER_CLASS = classNamed('java.io.StringWriter');
const PRINT_WRITER_CLASS = classNamed('java.io.PrintWriter');

/** A text that grows by what is written. */
export class StringWriter extends JavaObject {
  readonly type: JavaClass = STRING_WRITER_CLASS;
  text = '';

  override toText(): string {
    return this.text;
  }

  write(text: string): void {
    this.text += text;
  }
}

/** Writes to another writer. */
class PrintWriter extends JavaObject {
  readonly type: JavaClass = PRINT_WRITER_CLASS;
  readonly #target: Writer;

  constructor(target: Writer) {
    super();
    this.#target = target;
  }

  write(text: string): void {
    this.#target.write(text);
  }
}

type Writer = StringWriter | PrintWriter;

defineMethods('java.io.Writer', 'java.lang.Object', {
  'write/1': (self: Writer, value: unknown) => {
    self.write(typeof value === 'number' ? String.fromCharCode(value) : toText(value));
    return null;
  },
  'append/1': (self: Writer, value: unknown) => {
    self.write(toText(value));
    return self;
  },
  'leftShift/1': (self: Writer, value: unknown) => {
    self.write(toText(value));
    return self;
  },
  'print/1': (self: Writer, value: unknown) => {
    self.write(toText(value));
    return null;
  },
  'println/0-1': (self: Writer, value: unknown = '') => {
    self.write(`${toText(value)}\n`);
    return null;
  },
  'printf/1+': (self: Writer, pattern: unknown, ...args: unknown[]) => {
    self.write(formatText(toText(pattern), args));
    return null;
  },
  'flush/0': () => null,
  'close/0': () => null,
});
defineMethods('java.io.StringWriter', 'java.io.Writer', {
  'toString/0': (self: StringWriter) => self.text,
});
defineMethods('java.io.PrintWriter', 'java.io.Writer', {});
defineStatics('java.io.StringWriter', { 'new/0-1': () => new StringWriter() });
defineStatics('java.io.PrintWriter', { 'new/1-2': (target: Writer) => new PrintWriter(target) });
