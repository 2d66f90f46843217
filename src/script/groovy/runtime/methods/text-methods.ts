import { toInt } from '../arithmetic.ts';
import { parseNumber, toArray } from '../casting.ts';
import { Closure, call1, call2 } from '../closure.ts';
import { call } from '../dispatch.ts';
import { outside } from '../dispatch-port.ts';
import { compareText } from '../equality.ts';
import './object-methods.ts';
import { bytesOf, decodeBase64, encodeBase64 } from '../bytes.ts';
import { parseDecimal } from '../decimal.ts';
import { formatText } from '../format.ts';
import { index } from '../index-access.ts';
import { arrayType, classNamed } from '../java-class.ts';
import { setOf } from '../java-set.ts';
import { defineMethods } from '../method-table.ts';
import { matchValue, type Pattern, patternOf, replaceMatches, splitText } from '../pattern.ts';
import { textOf, toText } from '../text.ts';
import { badArgument, exception, illegalArgument } from '../throwable.ts';
import { truth } from '../truth.ts';
import { Char, GString, isNumeric, type Numeric, StringBuilder } from '../values.ts';

const STRING_ARRAY = arrayType(classNamed('java.lang.String'));
const CHARS = arrayType(classNamed('char'));

/** A method of ours that wants the receiver as a string. */
function onText(run: (text: string, ...args: never[]) => unknown) {
  const code = run as (text: string, first: unknown, second: unknown) => unknown;
  return (self: unknown, first: never, second: never) =>
    code(typeof self === 'string' ? self : toText(self), first, second);
}

/** The same for methods with any number of arguments. */
function onTextAndMore(run: (text: string, ...args: unknown[]) => unknown) {
  return (self: unknown, ...args: never[]) => run(toText(self), ...args);
}

export function text(value: unknown): string {
  const found = textOf(value);
  if (found === undefined) throw badArgument();
  return found;
}

function int(value: unknown): number {
  if (value instanceof Char) return value.code;
  if (!isNumeric(value)) throw badArgument();
  return toInt(value as Numeric);
}

/** What to look for: a text, or a character by its code. */
function needle(value: unknown): string {
  return isNumeric(value) ? String.fromCharCode(toInt(value)) : text(value);
}

function substring(self: string, from: unknown, to?: unknown): string {
  const start = int(from);
  const end = to === undefined ? self.length : int(to);
  if (start < 0 || end > self.length || start > end) {
    throw exception(
      'java.lang.StringIndexOutOfBoundsException',
      `begin ${start}, end ${end}, length ${self.length}`,
    );
  }
  return self.slice(start, end);
}

function charAt(self: string, at: unknown): Char {
  const position = int(at);
  if (position < 0 || position >= self.length) {
    throw exception('java.lang.StringIndexOutOfBoundsException', `String index out of range: ${position}`);
  }
  return new Char(self[position]!);
}

/** Java's `trim` takes everything up to the blank. */
function trim(self: string): string {
  let [from, to] = [0, self.length];
  while (from < to && self.charCodeAt(from) <= 32) from++;
  while (to > from && self.charCodeAt(to - 1) <= 32) to--;
  return self.slice(from, to);
}

function lines(self: string): string[] {
  const parts = self.split(/\r\n|\r|\n/);
  if (parts.at(-1) === '') parts.pop();
  return parts;
}

function pad(self: string, size: unknown, filler: unknown, side: 'left' | 'right' | 'both'): string {
  const width = int(size);
  const fill = filler === undefined ? ' ' : text(filler);
  if (width <= self.length) return self;
  if (side === 'left') return self.padStart(width, fill);
  if (side === 'right') return self.padEnd(width, fill);
  const missing = width - self.length;
  const left = Math.floor(missing / 2);
  return ''.padEnd(left, fill) + self + ''.padEnd(missing - left, fill);
}

function stripIndent(self: string, given?: unknown): string {
  const all = self.split('\n');
  const widths = all
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length);
  const cut = given === undefined ? Math.min(...widths, Number.MAX_SAFE_INTEGER) : int(given);
  return all
    .map((line) => (line.trim() === '' && line.length < cut ? '' : line.slice(Math.min(cut, line.length))))
    .join('\n');
}

function stripMargin(self: string, margin: unknown = '|'): string {
  const mark = text(margin);
  return self
    .split('\n')
    .map((line) => {
      const trimmed = line.trimStart();
      return trimmed.startsWith(mark) ? trimmed.slice(mark.length) : line;
    })
    .join('\n');
}

function minus(self: string, what: unknown): string {
  if (isPattern(what)) return replaceMatches(self, what, '', true);
  const part = toText(what);
  const at = self.indexOf(part);
  return at < 0 ? self : self.slice(0, at) + self.slice(at + part.length);
}

function isPattern(value: unknown): value is Pattern {
  return typeof value === 'object' && value !== null && 'regex' in value;
}

function tokenize(self: string, separators: unknown = ' \t\n\r\f'): string[] {
  const marks = new Set(text(separators));
  const tokens: string[] = [];
  let token = '';
  for (const char of self) {
    if (!marks.has(char)) token += char;
    else if (token !== '') {
      tokens.push(token);
      token = '';
    }
  }
  if (token !== '') tokens.push(token);
  return tokens;
}

function split(self: string, what: unknown, limit: unknown = 0): unknown {
  if (what instanceof Closure) {
    const chars = [...self];
    return [
      chars.filter((char) => truth(call1(what, char))),
      chars.filter((char) => !truth(call1(what, char))),
    ];
  }
  if (what === undefined) return toArray(tokenize(self), STRING_ARRAY);
  return toArray(splitText(self, patternOf(what), int(limit)), STRING_ARRAY);
}

function findAll(self: string, what: unknown, fn?: unknown): unknown {
  if (what === undefined) return [...self].filter((char) => char !== '');
  if (what instanceof Closure) return [...self].filter((char) => truth(call1(what, char)));
  return patternOf(what)
    .all(self)
    .map((match) => (fn === undefined ? match[0] : callMatch(fn, match)));
}

function find(self: string, what: unknown, fn?: unknown): unknown {
  if (what instanceof Closure) return [...self].find((char) => truth(call1(what, char))) ?? null;
  const match = patternOf(what).execAt(self, 0);
  if (match === null) return null;
  return fn === undefined ? match[0] : callMatch(fn, match);
}

function callMatch(fn: unknown, match: RegExpExecArray): unknown {
  if (!(fn instanceof Closure) || fn.most === 1) return call1(fn, matchValue(match));
  return fn.call([...match].map((group) => group ?? null));
}

function replace(self: string, from: unknown, to: unknown): string {
  if (isPattern(from)) return replaceMatches(self, from, to, false);
  return self.replaceAll(text(from), () => text(to));
}

function eachLine(self: string, first: unknown, second?: unknown): unknown {
  let result: unknown = null;
  const fn = second ?? first;
  let number = second === undefined ? 0 : int(first);
  for (const line of lines(self)) {
    result = fn instanceof Closure && fn.most === 2 ? call2(fn, line, number++) : call1(fn, line);
  }
  return result;
}

function step(self: string, by: number): string {
  if (self === '') return String.fromCharCode(by > 0 ? 0 : 0xffff);
  return self.slice(0, -1) + String.fromCharCode(self.charCodeAt(self.length - 1) + by);
}

function tr(self: string, from: unknown, to: unknown): string {
  const expand = (set: string) =>
    set.replace(/(.)-(.)/gs, (_all, first: string, last: string) => {
      let chars = '';
      for (let code = first.charCodeAt(0); code <= last.charCodeAt(0); code++)
        chars += String.fromCharCode(code);
      return chars;
    });
  const [source, target] = [expand(text(from)), expand(text(to))];
  return [...self]
    .map((char) => {
      const at = source.indexOf(char);
      return at < 0 ? char : (target[Math.min(at, target.length - 1)] ?? '');
    })
    .join('');
}

function converted(self: string, kind: string): unknown {
  return parseNumber(self.trim(), kind);
}

function isParsed(self: string, kind: string): boolean {
  try {
    return converted(self, kind) !== undefined && self.trim() !== '';
  } catch {
    return false;
  }
}

function count(self: string, what: unknown): number {
  if (what instanceof Closure) return [...self].filter((char) => truth(call1(what, char))).length;
  const part = text(what);
  return part === '' ? self.length + 1 : self.split(part).length - 1;
}

function digest(self: string, algorithm: string): unknown {
  return outside.host('groovy.digest', algorithm, encodeBase64(bytesOf(self)), 'hex');
}

function cutAt(self: string, mark: unknown, isBefore: boolean): string {
  const at = self.indexOf(text(mark));
  if (at < 0) return '';
  return isBefore ? self.slice(0, at) : self.slice(at + text(mark).length);
}

function ofChars(name: string) {
  return (self: unknown, ...args: unknown[]) => call([...toText(self)], name, args);
}

defineMethods('java.lang.CharSequence', 'java.lang.Object', {
  'length/0': onText((self) => self.length),
  'size/0': onText((self) => self.length),
  'isEmpty/0': onText((self) => self === ''),
  'isBlank/0': onText((self) => self.trim() === ''),
  'isAllWhitespace/0': onText((self) => self.trim() === ''),
  'charAt/1': onText(charAt),
  'codePointAt/1': onText((self, at) => self.codePointAt(int(at)) ?? 0),
  'getAt/1': (self: unknown, at: unknown) => index(toText(self), at),
  'substring/1-2': onText(substring),
  'subSequence/2': onText(substring),
  'indexOf/1-2': onText((self, what: unknown, from: unknown = 0) => self.indexOf(needle(what), int(from))),
  'lastIndexOf/1-2': onText((self, what: unknown, from?: unknown) =>
    self.lastIndexOf(needle(what), from === undefined ? undefined : int(from)),
  ),
  'contains/1': onText((self, part: unknown) => self.includes(text(part))),
  'containsIgnoreCase/1': onText((self, part: unknown) =>
    self.toLowerCase().includes(text(part).toLowerCase()),
  ),
  'isCase/1': onText((self, value: unknown) => value !== null && toText(value) === self),
  'startsWith/1-2': onText((self, part: unknown, from: unknown = 0) =>
    self.startsWith(text(part), int(from)),
  ),
  'endsWith/1': onText((self, part: unknown) => self.endsWith(text(part))),
  'startsWithAny/1+': onTextAndMore((self, ...parts: unknown[]) =>
    parts.some((part) => self.startsWith(text(part))),
  ),
  'endsWithAny/1+': onTextAndMore((self, ...parts: unknown[]) =>
    parts.some((part) => self.endsWith(text(part))),
  ),
  'startsWithIgnoreCase/1': onText((self, part: unknown) =>
    self.toLowerCase().startsWith(text(part).toLowerCase()),
  ),
  'endsWithIgnoreCase/1': onText((self, part: unknown) =>
    self.toLowerCase().endsWith(text(part).toLowerCase()),
  ),
  'equalsIgnoreCase/1': onText(
    (self, other: unknown) => textOf(other) !== undefined && self.toLowerCase() === text(other).toLowerCase(),
  ),
  'contentEquals/1': onText((self, other: unknown) => self === text(other)),
  'compareTo/1': onText((self, other: unknown) => compareText(self, text(other))),
  'compareToIgnoreCase/1': onText((self, other: unknown) =>
    compareText(self.toLowerCase(), text(other).toLowerCase()),
  ),
  'concat/1': onText((self, other: unknown) => self + text(other)),
  'plus/1': onText((self, other: unknown) => self + toText(other)),
  'minus/1': onText(minus),
  'multiply/1': onText((self, times: unknown) => {
    if (int(times) < 0)
      throw illegalArgument(`multiply() should be called with a number of 0 or greater not: ${int(times)}`);
    return self.repeat(int(times));
  }),
  'repeat/1': onText((self, times: unknown) => {
    if (int(times) < 0) throw illegalArgument(`count is negative: ${int(times)}`);
    return self.repeat(int(times));
  }),
  'leftShift/1': onText((self, other: unknown) => new StringBuilder(self + toText(other), true)),
  'replace/2': onText(replace),
  'replaceAll/2': onText((self, what: unknown, by: unknown) =>
    replaceMatches(self, patternOf(what), by, false),
  ),
  'replaceFirst/2': onText((self, what: unknown, by: unknown) =>
    replaceMatches(self, patternOf(what), by, true),
  ),
  'matches/1': onText((self, what: unknown) => patternOf(what).execWhole(self) !== null),
  'split/0-2': onText(split),
  'tokenize/0-1': onText(tokenize),
  'trim/0': onText(trim),
  'strip/0': onText((self) => self.trim()),
  'stripLeading/0': onText((self) => self.trimStart()),
  'stripTrailing/0': onText((self) => self.trimEnd()),
  'stripIndent/0-1': onText(stripIndent),
  'stripMargin/0-1': onText(stripMargin),
  'toUpperCase/0-1': onText((self) => self.toUpperCase()),
  'toLowerCase/0-1': onText((self) => self.toLowerCase()),
  'capitalize/0': onText((self) => self.charAt(0).toUpperCase() + self.slice(1)),
  'uncapitalize/0': onText((self) => self.charAt(0).toLowerCase() + self.slice(1)),
  'reverse/0': onText((self) => [...self].reverse().join('')),
  'padLeft/1-2': onText((self, size: unknown, filler?: unknown) => pad(self, size, filler, 'left')),
  'padRight/1-2': onText((self, size: unknown, filler?: unknown) => pad(self, size, filler, 'right')),
  'center/1-2': onText((self, size: unknown, filler?: unknown) => pad(self, size, filler, 'both')),
  'next/0': onText((self) => step(self, 1)),
  'previous/0': onText((self) => step(self, -1)),
  'toList/0': onText((self) => self.split('')),
  'toSet/0': onText((self) => setOf(self.split(''))),
  'getChars/0': onText((self) => toArray(self.split(''), CHARS)),
  'toCharArray/0': onText((self) => toArray(self.split(''), CHARS)),
  'toCharacter/0': onText((self) => new Char(self.charAt(0))),
  'getBytes/0-1': onText((self) => bytesOf(self)),
  'readLines/0': onText(lines),
  'lines/0': onText((self) => call(lines(self), 'stream', [])),
  'eachLine/1-2': onText(eachLine),
  'splitEachLine/2': onText((self, what: unknown, fn: unknown) => {
    let result: unknown = null;
    for (const line of lines(self)) result = call1(fn, splitText(line, patternOf(what)));
    return result;
  }),
  'find/1-2': onText(find),
  'findAll/0-2': onText(findAll),
  'eachMatch/2': onText((self, what: unknown, fn: unknown) => {
    for (const match of patternOf(what).all(self)) callMatch(fn, match);
    return self;
  }),
  'take/1': onText((self, size: unknown) => self.slice(0, Math.max(0, int(size)))),
  'takeRight/1': onText((self, size: unknown) => (int(size) <= 0 ? '' : self.slice(-int(size)))),
  'drop/1': onText((self, size: unknown) => self.slice(Math.max(0, int(size)))),
  'dropRight/1': onText((self, size: unknown) =>
    self.slice(0, Math.max(0, self.length - Math.max(0, int(size)))),
  ),
  'takeWhile/1': onText((self, fn: unknown) => {
    const end = [...self].findIndex((char) => !truth(call1(fn, char)));
    return end < 0 ? self : self.slice(0, end);
  }),
  'dropWhile/1': onText((self, fn: unknown) => {
    const start = [...self].findIndex((char) => !truth(call1(fn, char)));
    return start < 0 ? '' : self.slice(start);
  }),
  'takeBefore/1': onText((self, mark: unknown) => cutAt(self, mark, true)),
  'takeAfter/1': onText((self, mark: unknown) => cutAt(self, mark, false)),
  'takeBetween/1-2': onText((self, from: unknown, to?: unknown) =>
    cutAt(cutAt(self, from, false), to ?? from, true),
  ),
  'count/1': onText(count),
  'isNumber/0': onText((self) => parseDecimal(self.trim()) !== undefined),
  'isBigDecimal/0': onText((self) => parseDecimal(self.trim()) !== undefined),
  'isInteger/0': onText((self) => isParsed(self, 'Integer')),
  'isLong/0': onText((self) => isParsed(self, 'Long')),
  'isBigInteger/0': onText((self) => isParsed(self, 'BigInteger')),
  'isDouble/0': onText((self) => isParsed(self, 'Double')),
  'isFloat/0': onText((self) => isParsed(self, 'Float')),
  'toInteger/0': onText((self) => converted(self, 'Integer')),
  'toLong/0': onText((self) => converted(self, 'Long')),
  'toShort/0': onText((self) => converted(self, 'Short')),
  'toDouble/0': onText((self) => converted(self, 'Double')),
  'toFloat/0': onText((self) => converted(self, 'Float')),
  'toBigInteger/0': onText((self) => converted(self, 'BigInteger')),
  'toBigDecimal/0': onText((self) => converted(self, 'BigDecimal')),
  'toBoolean/0': onText((self) => ['y', '1', 'true'].includes(self.trim().toLowerCase())),
  'intern/0': onText((self) => self),
  'toString/0': onText((self) => self),
  'formatted/0+': onTextAndMore((self, ...args: unknown[]) => formatText(self, args)),
  'tr/2': onText(tr),
  'normalize/0': onText((self) => self.replace(/\r\n?/g, '\n')),
  'denormalize/0': onText((self) => self.replace(/\r\n?/g, '\n')),
  'expand/0-1': onText((self, size: unknown = 8) => expandTabs(self, int(size))),
  'bitwiseNegate/0': onText((self) => patternOf(self)),
  'decodeBase64/0': onText((self) => decodeBase64(self)),
  'encodeAsBase64/0': onText((self) => encodeBase64(bytesOf(self))),
  'md5/0': onText((self) => digest(self, 'MD5')),
  'sha256/0': onText((self) => digest(self, 'SHA-256')),
  'digest/1': onText((self, algorithm: unknown) => digest(self, text(algorithm))),
  'collectReplacements/1': onText((self, fn: unknown) =>
    [...self].map((char) => toText(call1(fn, new Char(char)) ?? char)).join(''),
  ),
  'execute/0-2': () => {
    throw exception('java.lang.SecurityException', 'Scripts cannot start programs');
  },
  'each/1': ofChars('each'),
  'eachWithIndex/1': (self: unknown, fn: unknown) => {
    call([...toText(self)], 'eachWithIndex', [fn]);
    return self;
  },
  'collect/0-2': ofChars('collect'),
  'any/0-1': ofChars('any'),
  'every/0-1': ofChars('every'),
  'inject/1-2': ofChars('inject'),
  'grep/0-1': ofChars('grep'),
  'findIndexOf/1-2': ofChars('findIndexOf'),
  'findResult/1-2': ofChars('findResult'),
  'iterator/0': ofChars('iterator'),
});

function expandTabs(self: string, size: number): string {
  return self
    .split('\n')
    .map((line) => {
      let result = '';
      for (const char of line) result += char === '\t' ? ' '.repeat(size - (result.length % size)) : char;
      return result;
    })
    .join('\n');
}

defineMethods('groovy.lang.GString', 'java.lang.CharSequence', {
  'plus/1': (self: GString, other: unknown) => joined(self, other),
  'getStrings/0': (self: GString) => [...self.strings],
  'getValues/0': (self: GString) => [...self.values],
  'getValueCount/0': (self: GString) => self.values.length,
  'toString/0': (self: GString) => toText(self),
});

/** A text with values stays one when something is added to it. */
function joined(self: GString, other: unknown): GString {
  const added = other instanceof GString ? other : new GString([toText(other)], []);
  const last = self.strings.at(-1)! + added.strings[0]!;
  return new GString(
    [...self.strings.slice(0, -1), last, ...added.strings.slice(1)],
    [...self.values, ...added.values],
  );
}
