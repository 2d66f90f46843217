import { parseDecimal } from '../decimal.ts';
import { call } from '../dispatch.ts';
import { JavaIterator } from '../iterate.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { parseDouble } from '../parse-number.ts';
import '../methods/collection-methods.ts';
import { Pattern, patternOf } from '../pattern.ts';
import { textOf, toText } from '../text.ts';
import { exception, noSuchElement } from '../throwable.ts';
import { BigInteger, Double, JavaObject } from '../values.ts';

const WHITE_SPACE = new Pattern('\\p{javaWhitespace}+'.replace('\\p{javaWhitespace}', '\\s'));

/** Words, numbers and lines of a text, one behind the other. What has been read is never copied. */
class Scanner extends JavaObject {
  readonly type: JavaClass = classNamed('java.util.Scanner');
  readonly text: string;
  at = 0;
  delimiter: Pattern = WHITE_SPACE;
  isClosed = false;

  constructor(text: string) {
    super();
    this.text = text;
  }

  /** The next word and the place behind it. */
  peek(): { readonly word: string; readonly end: number } | undefined {
    if (this.isClosed) throw exception('java.lang.IllegalStateException', 'Scanner closed');
    let start = this.at;
    let match = this.delimiter.execAt(this.text, start);
    // Delimiters in front of a word belong to none; one that matches nothing separates characters.
    if (match !== null && match.index === start && match[0] !== '') {
      start += match[0].length;
      match = this.delimiter.execAt(this.text, start);
    } else if (match?.[0] === '' && match.index === start)
      match = this.delimiter.execAt(this.text, start + 1);
    if (start >= this.text.length) return undefined;
    const end = match === null ? this.text.length : match.index;
    return { word: this.text.slice(start, end), end };
  }

  next<T>(read: (word: string) => T | undefined): T {
    const found = this.peek();
    if (found === undefined) throw noSuchElement();
    const value = read(found.word);
    if (value === undefined)
      throw exception('java.util.InputMismatchException', `For input string: "${found.word}"`);
    this.at = found.end;
    return value;
  }

  hasNext(read: (word: string) => unknown): boolean {
    const found = this.peek();
    return found !== undefined && read(found.word) !== undefined;
  }

  line(): string | undefined {
    if (this.at >= this.text.length) return undefined;
    const end = LINE_END.execAt(this.text, this.at);
    const line = this.text.slice(this.at, end === null ? this.text.length : end.index);
    this.at = end === null ? this.text.length : end.index + end[0].length;
    return line;
  }
}

const LINE_END = new Pattern('\\r\\n|\\n|\\r|\u2028|\u2029|\u0085');

function whole(bits: number) {
  return (word: string): bigint | undefined => {
    if (!/^[+-]?\d{1,400}$/.test(word)) return undefined;
    const value = BigInt(word.replace('+', ''));
    return bits === 0 || BigInt.asIntN(bits, value) === value ? value : undefined;
  };
}

const READERS: Readonly<Record<string, (word: string) => unknown>> = {
  '': (word) => word,
  Int: (word) => {
    const value = whole(32)(word);
    return value === undefined ? undefined : Number(value);
  },
  Long: whole(64),
  Short: (word) => (whole(16)(word) === undefined ? undefined : Number(word)),
  BigInteger: (word) => {
    const value = whole(0)(word);
    return value === undefined ? undefined : new BigInteger(value);
  },
  BigDecimal: (word) => (DECIMAL.test(word) ? parseDecimal(word) : undefined),
  Double: (word) => (DECIMAL.test(word) ? new Double(parseDouble(word)) : undefined),
  Boolean: (word) => (/^(?:true|false)$/i.test(word) ? word.toLowerCase() === 'true' : undefined),
};
const DECIMAL = /^[+-]?(?:\d{1,400}\.?\d{0,400}|\.\d{1,400})(?:[eE][+-]?\d{1,9})?$/;

/** Lets only words through that the pattern matches as a whole. */
function matching(pattern: unknown): (word: string) => string | undefined {
  return (word) => (patternOf(pattern).execWhole(word) === null ? undefined : word);
}

function findInLine(self: Scanner, pattern: unknown): string | null {
  const end = LINE_END.execAt(self.text, self.at)?.index ?? self.text.length;
  const found = patternOf(pattern).execAt(self.text.slice(self.at, end), 0);
  if (found === null) return null;
  self.at += found.index + found[0].length;
  return found[0];
}

defineStatics('java.util.Scanner', {
  'new/1-2': (source: unknown) => new Scanner(textOf(source) ?? toText(call(source, 'getText', []))),
});
defineMethods('java.util.Scanner', 'java.util.Iterator', {
  ...Object.fromEntries(
    Object.entries(READERS).flatMap(([name, read]) => [
      [
        `next${name}/${name === '' ? '0-1' : '0'}`,
        (self: Scanner, pattern?: unknown) => self.next(pattern === undefined ? read : matching(pattern)),
      ],
      [
        `hasNext${name}/${name === '' ? '0-1' : '0'}`,
        (self: Scanner, pattern?: unknown) => self.hasNext(pattern === undefined ? read : matching(pattern)),
      ],
    ]),
  ),
  'nextLine/0': (self: Scanner) => {
    const line = self.line();
    if (line === undefined) throw noSuchElement('No line found');
    return line;
  },
  'hasNextLine/0': (self: Scanner) => self.at < self.text.length,
  'useDelimiter/1': (self: Scanner, pattern: unknown) => {
    self.delimiter = patternOf(pattern);
    return self;
  },
  'delimiter/0': (self: Scanner) => self.delimiter,
  'findInLine/1': findInLine,
  'iterator/0': (self: Scanner) =>
    new JavaIterator(() => (self.peek() === undefined ? undefined : self.next((word) => word))),
  'close/0': (self: Scanner) => {
    self.isClosed = true;
    return null;
  },
});
