import { toArray } from '../casting.ts';
import { Closure, call1 } from '../closure.ts';
import { formatText, unpacked } from '../format.ts';
import { arrayType, classNamed } from '../java-class.ts';
import { defineMethods } from '../method-table.ts';
import { patternOf, replaceMatches, splitText } from '../pattern.ts';
import { toText } from '../text.ts';
import { illegalArgument } from '../throwable.ts';
import { truth } from '../truth.ts';
import { Char } from '../values.ts';
import { int, isPattern, onText, onTextAndMore, substring, text } from './text-methods.ts';
import './object-methods.ts';

const STRING_ARRAY = arrayType(classNamed('java.lang.String'));

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

function replace(self: string, from: unknown, to: unknown): string {
  if (isPattern(from)) return replaceMatches(self, from, to, false);
  return self.replaceAll(text(from), () => text(to));
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

function cutAt(self: string, mark: unknown, isBefore: boolean): string {
  const at = self.indexOf(text(mark));
  if (at < 0) return '';
  return isBefore ? self.slice(0, at) : self.slice(at + text(mark).length);
}

defineMethods('java.lang.CharSequence', 'java.lang.Object', {
  'subSequence/2': onText(substring),
  'concat/1': onText((self, other: unknown) => self + text(other)),
  'repeat/1': onText((self, times: unknown) => {
    if (int(times) < 0) throw illegalArgument(`count is negative: ${int(times)}`);
    return self.repeat(int(times));
  }),
  'replace/2': onText(replace),
  'replaceAll/2': onText((self, what: unknown, by: unknown) =>
    replaceMatches(self, patternOf(what), by, false),
  ),
  'replaceFirst/2': onText((self, what: unknown, by: unknown) =>
    replaceMatches(self, patternOf(what), by, true),
  ),
  'split/0-2': onText(split),
  'tokenize/0-1': onText(tokenize),
  'strip/0': onText((self) => self.trim()),
  'stripLeading/0': onText((self) => self.trimStart()),
  'stripTrailing/0': onText((self) => self.trimEnd()),
  'stripIndent/0-1': onText(stripIndent),
  'stripMargin/0-1': onText(stripMargin),
  'capitalize/0': onText((self) => self.charAt(0).toUpperCase() + self.slice(1)),
  'uncapitalize/0': onText((self) => self.charAt(0).toLowerCase() + self.slice(1)),
  'reverse/0': onText((self) => [...self].reverse().join('')),
  'padLeft/1-2': onText((self, size: unknown, filler?: unknown) => pad(self, size, filler, 'left')),
  'padRight/1-2': onText((self, size: unknown, filler?: unknown) => pad(self, size, filler, 'right')),
  'center/1-2': onText((self, size: unknown, filler?: unknown) => pad(self, size, filler, 'both')),
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
  'formatted/0+': onTextAndMore((self, ...args: unknown[]) => formatText(self, unpacked(args))),
  'tr/2': onText(tr),
  'normalize/0': onText((self) => self.replace(/\r\n?/g, '\n')),
  'denormalize/0': onText((self) => self.replace(/\r\n?/g, '\n')),
  'expand/0-1': onText((self, size: unknown = 8) => expandTabs(self, int(size))),
  'collectReplacements/1': onText((self, fn: unknown) =>
    [...self].map((char) => toText(call1(fn, new Char(char)) ?? char)).join(''),
  ),
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
