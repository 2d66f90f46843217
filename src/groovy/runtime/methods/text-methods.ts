import { toInt } from '../arithmetic.ts';
import { bytesOf, decodeBase64, encodeBase64 } from '../bytes.ts';
import { Closure, call1 } from '../closure.ts';
import { digest } from '../digest.ts';
import { call } from '../dispatch.ts';
import { compareText } from '../equality.ts';
import { index } from '../index-access.ts';
import { defineMethods, type Implementation } from '../method-table.ts';
import { type Pattern, patternOf, replaceMatches } from '../pattern.ts';
import { javaText, textOf, toText } from '../text.ts';
import { badArgument, exception, illegalArgument } from '../throwable.ts';
import { truth } from '../truth.ts';
import { Char, GString, isNumeric, StringBuilder } from '../values.ts';
import './object-methods.ts';

type TextMethod = { run(text: string, ...args: unknown[]): unknown }['run'];

/** A method of ours that wants the receiver as a string. */
export function onText(run: TextMethod): Implementation {
  return (self, first, second) => run(typeof self === 'string' ? self : toText(self), first, second);
}

/** The same for methods with any number of arguments. */
export function onTextAndMore(run: (text: string, ...args: unknown[]) => unknown) {
  return (self: unknown, ...args: never[]) => run(toText(self), ...args);
}

export function text(value: unknown): string {
  const found = textOf(value);
  if (found === undefined) throw badArgument();
  return found;
}

export function int(value: unknown): number {
  if (value instanceof Char) return value.code;
  if (!isNumeric(value)) throw badArgument();
  return toInt(value);
}

/** What to look for: a text, or a character by its code. */
export function needle(value: unknown): string {
  return isNumeric(value) ? String.fromCharCode(toInt(value)) : text(value);
}

export function substring(self: string, from: unknown, to?: unknown): string {
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
  let from = 0;
  let to = self.length;
  if (self.charCodeAt(0) > 32 && self.charCodeAt(to - 1) > 32) return self;
  while (from < to && self.charCodeAt(from) <= 32) from++;
  while (to > from && self.charCodeAt(to - 1) <= 32) to--;
  return self.slice(from, to);
}

function minus(self: string, what: unknown): string {
  if (isPattern(what)) return replaceMatches(self, what, '', true);
  const part = toText(what);
  const at = self.indexOf(part);
  return at < 0 ? self : self.slice(0, at) + self.slice(at + part.length);
}

export function isPattern(value: unknown): value is Pattern {
  return typeof value === 'object' && value !== null && 'regex' in value;
}

function step(self: string, by: number): string {
  if (self === '') return String.fromCharCode(by > 0 ? 0 : 0xffff);
  return self.slice(0, -1) + String.fromCharCode(self.charCodeAt(self.length - 1) + by);
}

export function count(self: string, what: unknown): number {
  if (what instanceof Closure) return [...self].filter((char) => truth(call1(what, char))).length;
  const part = text(what);
  return part === '' ? self.length + 1 : self.split(part).length - 1;
}

export function ofChars(name: string) {
  return (self: unknown, ...args: unknown[]) => call([...toText(self)], name, args);
}

defineMethods('java.lang.CharSequence', 'java.lang.Object', {
  'length/0': onText((self) => self.length),
  'size/0': onText((self) => self.length),
  'isEmpty/0': onText((self) => self === ''),
  'charAt/1': onText(charAt),
  'getAt/1': (self: unknown, at: unknown) => index(toText(self), at),
  'substring/1-2': onText(substring),
  'contains/1': onText((self, part: unknown) => self.includes(text(part))),
  'isCase/1': onText((self, value: unknown) => value !== null && toText(value) === self),
  'startsWith/1-2': onText((self, part: unknown, from: unknown = 0) =>
    self.startsWith(text(part), int(from)),
  ),
  'endsWith/1': onText((self, part: unknown) => self.endsWith(text(part))),
  'compareTo/1': onText((self, other: unknown) => compareText(self, text(other))),
  'plus/1': onText((self, other: unknown) => self + toText(other)),
  'minus/1': onText(minus),
  'multiply/1': onText((self, times: unknown) => {
    if (int(times) < 0)
      throw illegalArgument(`multiply() should be called with a number of 0 or greater not: ${int(times)}`);
    return self.repeat(int(times));
  }),
  'leftShift/1': onText((self, other: unknown) => new StringBuilder(self + javaText(other), true)),
  'trim/0': onText(trim),
  'toUpperCase/0-1': onText((self) => self.toUpperCase()),
  'toLowerCase/0-1': onText((self) => self.toLowerCase()),
  'next/0': onText((self) => step(self, 1)),
  'previous/0': onText((self) => step(self, -1)),
  'toList/0': onText((self) => self.split('')),
  'toString/0': onText((self) => self),
  'bitwiseNegate/0': onText((self) => patternOf(self)),
  'decodeBase64/0': onText((self) => decodeBase64(self)),
  'encodeAsBase64/0': onText((self) => encodeBase64(bytesOf(self))),
  'md5/0': onText((self) => digest('MD5', bytesOf(self), 'hex')),
  'sha256/0': onText((self) => digest('SHA-256', bytesOf(self), 'hex')),
  'iterator/0': ofChars('iterator'),
});

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
