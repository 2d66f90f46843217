import { int } from '../arguments.ts';
import { call1, call2, parameterCount } from '../closure.ts';
import { JavaIterator } from '../iterate.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { patternOf, splitText } from '../pattern.ts';
import { Stream } from '../stream.ts';
import { toText } from '../text.ts';
import { badArgument, exception } from '../throwable.ts';
import { JavaObject } from '../values.ts';

/** Reads a text from its beginning to its end. A BufferedReader is the same over another reader. */
export class Reader extends JavaObject {
  readonly type: JavaClass;
  #text: string | undefined;

  constructor(type: JavaClass, text: string) {
    super();
    this.type = type;
    this.#text = text;
  }

  get rest(): string {
    if (this.#text === undefined) throw exception('java.io.IOException', 'Stream closed');
    return this.#text;
  }

  read(): number {
    const { rest } = this;
    this.#text = rest.slice(1);
    return rest === '' ? -1 : rest.charCodeAt(0);
  }

  skip(count: number): bigint {
    const { rest } = this;
    this.#text = rest.slice(count);
    return BigInt(rest.length - this.#text.length);
  }

  readAll(): string {
    const { rest } = this;
    this.#text = '';
    return rest;
  }

  /** Null behind the last one. */
  readLine(): string | null {
    const { rest } = this;
    if (rest === '') return null;
    const end = /\r\n|\r|\n/.exec(rest);
    this.#text = end === null ? '' : rest.slice(end.index + end[0].length);
    return end === null ? rest : rest.slice(0, end.index);
  }

  lines(): string[] {
    const lines: string[] = [];
    for (let line = this.readLine(); line !== null; line = this.readLine()) lines.push(line);
    return lines;
  }

  close(): void {
    this.#text = undefined;
  }
}

/** As Groovy does with a reader that it has read to its end. */
function closing<T>(self: Reader, read: (lines: string[]) => T): T {
  try {
    return read(self.lines());
  } finally {
    self.close();
  }
}

function eachLine(self: Reader, first: unknown, second: unknown): unknown {
  const fn = second ?? first;
  let at = second === undefined ? 1 : int(first);
  return closing(self, (lines) => {
    let result: unknown = null;
    for (const line of lines) result = parameterCount(fn) === 2 ? call2(fn, line, at++) : call1(fn, line);
    return result;
  });
}

function splitEachLine(self: Reader, separator: unknown, fn: unknown): unknown {
  return closing(self, (lines) => {
    let result: unknown = null;
    for (const line of lines) result = call1(fn, splitText(line, patternOf(separator)));
    return result;
  });
}

function iteratorOf(self: Reader): JavaIterator {
  return new JavaIterator(() => self.readLine() ?? undefined);
}

defineMethods('java.io.Reader', 'java.lang.Object', {
  'read/0': (self: Reader) => self.read(),
  'skip/1': (self: Reader, count: unknown) => self.skip(int(count)),
  'ready/0': (self: Reader) => self.rest !== null,
  'readLine/0': (self: Reader) => self.readLine(),
  'readLines/0': (self: Reader) => closing(self, (lines) => lines),
  'getText/0': (self: Reader) => {
    const text = self.readAll();
    self.close();
    return text;
  },
  'lines/0': (self: Reader) => new Stream(self.lines()),
  'eachLine/1-2': eachLine,
  'splitEachLine/2': splitEachLine,
  'iterator/0': iteratorOf,
  'withReader/1': (self: Reader, fn: unknown) => {
    try {
      return call1(fn, self);
    } finally {
      self.close();
    }
  },
  'close/0': (self: Reader) => {
    self.close();
    return null;
  },
});
const STRING_READER_CLASS = classNamed('java.io.StringReader');
const BUFFERED_READER_CLASS = classNamed('java.io.BufferedReader');
defineMethods('java.io.StringReader', 'java.io.Reader', {});
defineMethods('java.io.BufferedReader', 'java.io.Reader', {});
defineStatics('java.io.StringReader', {
  'new/1': (text: unknown) => new Reader(STRING_READER_CLASS, toText(text)),
});
defineStatics('java.io.BufferedReader', {
  'new/1-2': (reader: unknown) => {
    if (!(reader instanceof Reader)) throw badArgument();
    return new Reader(BUFFERED_READER_CLASS, reader.readAll());
  },
});
