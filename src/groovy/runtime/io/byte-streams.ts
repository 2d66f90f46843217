import { int } from '../arguments.ts';
import { byteArray, bytesOf, textOfBytes } from '../bytes.ts';
import { call1 } from '../closure.ts';
import { call } from '../dispatch.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { Reader } from '../statics/string-reader.ts';
import { StringWriter } from '../statics/string-writer.ts';
import { textOf, toText } from '../text.ts';
import { badArgument } from '../throwable.ts';
import { Byte, JavaObject } from '../values.ts';

/** Bytes as streams; they come from the script and stay in it. */

function codesOf(bytes: unknown): number[] {
  if (!Array.isArray(bytes)) throw badArgument();
  return bytes.map((byte) => int(byte) & 0xff);
}

class ByteInput extends JavaObject {
  readonly type: JavaClass = classNamed('java.io.ByteArrayInputStream');
  readonly codes: readonly number[];
  at = 0;
  marked = 0;

  constructor(codes: readonly number[]) {
    super();
    this.codes = codes;
  }

  rest(): number[] {
    const rest = this.codes.slice(this.at);
    this.at = this.codes.length;
    return rest;
  }

  text(charset: unknown): string {
    return textOfBytes(byteArray(this.rest()), charset === undefined ? 'UTF-8' : toText(charset));
  }
}

export class ByteOutput extends JavaObject {
  readonly type: JavaClass = classNamed('java.io.ByteArrayOutputStream');
  codes: number[] = [];

  override toText(): string {
    return textOfBytes(byteArray(this.codes));
  }

  write(text: string, charset?: string): void {
    for (const code of codesOf(bytesOf(text, charset))) this.codes.push(code);
  }
}

/** Into an array of bytes: how many there were, or -1 at the end. */
function readInto(self: ByteInput, bytes: unknown[], from = 0, length = bytes.length): number {
  const count = Math.min(length, self.codes.length - self.at);
  if (count <= 0) return length === 0 ? 0 : -1;
  for (let at = 0; at < count; at++) bytes[from + at] = new Byte(self.codes[self.at++]!);
  return count;
}

function read(self: ByteInput, ...args: unknown[]): number {
  const [bytes, from, length] = args;
  if (bytes === undefined) return self.codes[self.at] === undefined ? -1 : self.codes[self.at++]!;
  if (!Array.isArray(bytes)) throw badArgument();
  return from === undefined ? readInto(self, bytes) : readInto(self, bytes, int(from), int(length));
}

function readerOf(self: ByteInput, charset?: unknown): Reader {
  return new Reader(classNamed('java.io.InputStreamReader'), self.text(charset));
}

defineMethods('java.io.InputStream', 'java.lang.Object', {
  'read/0-3': read,
  'available/0': (self: ByteInput) => self.codes.length - self.at,
  'readAllBytes/0': (self: ByteInput) => byteArray(self.rest()),
  'getBytes/0': (self: ByteInput) => byteArray(self.rest()),
  'getText/0-1': (self: ByteInput, charset?: unknown) => self.text(charset),
  'readLines/0-1': (self: ByteInput, charset?: unknown) => readerOf(self, charset).lines(),
  'eachLine/1-3': (self: ByteInput, ...args: unknown[]) => call(readerOf(self), 'eachLine', args.slice(-2)),
  'eachByte/1': (self: ByteInput, closure: unknown) => {
    for (const byte of byteArray(self.rest())) call1(closure, byte);
    return null;
  },
  'newReader/0-1': readerOf,
  'withReader/1-2': (self: ByteInput, first: unknown, second?: unknown) =>
    call1(second ?? first, readerOf(self, second === undefined ? undefined : first)),
  'withStream/1': (self: ByteInput, closure: unknown) => call1(closure, self),
  'transferTo/1': (self: ByteInput, target: unknown) => {
    const rest = self.rest();
    call(target, 'write', [byteArray(rest)]);
    return BigInt(rest.length);
  },
  'skip/1': (self: ByteInput, count: unknown) => {
    const skipped = Math.max(0, Math.min(int(count), self.codes.length - self.at));
    self.at += skipped;
    return BigInt(skipped);
  },
  'mark/1': (self: ByteInput) => {
    self.marked = self.at;
    return null;
  },
  'reset/0': (self: ByteInput) => {
    self.at = self.marked;
    return null;
  },
  'markSupported/0': () => true,
  'close/0': () => null,
});
defineMethods('java.io.ByteArrayInputStream', 'java.io.InputStream', {});
defineStatics('java.io.ByteArrayInputStream', {
  'new/1-3': (bytes: unknown, from: unknown = 0, length?: unknown) => {
    const start = int(from);
    const end = length === undefined ? undefined : start + int(length);
    return new ByteInput(codesOf(bytes).slice(start, end));
  },
});

function writeTo(self: ByteOutput, ...args: unknown[]): null {
  const [value, from, length] = args;
  const text = textOf(value);
  if (text !== undefined) self.write(text);
  else if (Array.isArray(value)) {
    const start = from === undefined ? 0 : int(from);
    const end = length === undefined ? undefined : start + int(length);
    for (const code of codesOf(value).slice(start, end)) self.codes.push(code);
  } else self.codes.push(int(value) & 0xff);
  return null;
}

/** What a closure writes to a writer, as bytes. */
function withWriter(self: ByteOutput, closure: unknown): unknown {
  const writer = new StringWriter();
  const result = call1(closure, writer);
  self.write(writer.text);
  return result;
}

defineMethods('java.io.OutputStream', 'java.lang.Object', {
  'write/1-3': writeTo,
  'writeBytes/1': writeTo,
  'leftShift/1': (self: ByteOutput, value: unknown) => {
    if (value instanceof ByteInput) for (const code of value.rest()) self.codes.push(code);
    else if (Array.isArray(value)) writeTo(self, value);
    else {
      self.write(toText(value));
      return new StreamWriter(WRITER, self);
    }
    return self;
  },
  'withWriter/1-2': (self: ByteOutput, first: unknown, second?: unknown) => withWriter(self, second ?? first),
  'withPrintWriter/1': withWriter,
  'withStream/1': (self: ByteOutput, closure: unknown) => call1(closure, self),
  'flush/0': () => null,
  'close/0': () => null,
});
defineMethods('java.io.ByteArrayOutputStream', 'java.io.OutputStream', {
  'toByteArray/0': (self: ByteOutput) => byteArray(self.codes),
  'size/0': (self: ByteOutput) => self.codes.length,
  'reset/0': (self: ByteOutput) => {
    self.codes = [];
    return null;
  },
  'writeTo/1': (self: ByteOutput, target: unknown) => call(target, 'write', [byteArray(self.codes)]),
  'toString/0-1': (self: ByteOutput, charset?: unknown) =>
    textOfBytes(byteArray(self.codes), charset === undefined ? 'UTF-8' : toText(charset)),
});
defineStatics('java.io.ByteArrayOutputStream', { 'new/0-1': () => new ByteOutput() });

defineMethods('java.io.InputStreamReader', 'java.io.Reader', {});
defineStatics('java.io.InputStreamReader', {
  'new/1-2': (stream: unknown, charset?: unknown) => {
    if (!(stream instanceof ByteInput)) throw badArgument();
    return readerOf(stream, charset);
  },
});
/** Nobody can tell when what is written comes into the stream. */
for (const [name, className] of [
  ['OutputStreamWriter', 'OutputStreamWriter'],
  ['PrintStream', 'PrintStream$OfBytes'],
] as const) {
  defineMethods(`java.io.${className}`, 'java.io.Writer', {});
  defineStatics(`java.io.${name}`, {
    'new/1-3': (stream: unknown) => {
      if (!(stream instanceof ByteOutput)) throw badArgument();
      return new StreamWriter(classNamed(`java.io.${className}`), stream);
    },
  });
}

const WRITER = classNamed('java.io.OutputStreamWriter');

class StreamWriter extends JavaObject {
  readonly type: JavaClass;
  readonly #target: ByteOutput;

  constructor(type: JavaClass, target: ByteOutput) {
    super();
    this.type = type;
    this.#target = target;
  }

  write(text: string): void {
    this.#target.write(text);
  }
}
