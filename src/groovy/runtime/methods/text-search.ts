import { Closure, call1 } from '../closure.ts';
import { compareText } from '../equality.ts';
import { defineMethods } from '../method-table.ts';
import { matchValue, patternOf } from '../pattern.ts';
import { textOf } from '../text.ts';
import { truth } from '../truth.ts';
import { count, int, needle, onText, onTextAndMore, text } from './text-methods.ts';
import './object-methods.ts';

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

defineMethods('java.lang.CharSequence', 'java.lang.Object', {
  'isBlank/0': onText((self) => self.trim() === ''),
  'isAllWhitespace/0': onText((self) => self.trim() === ''),
  'codePointAt/1': onText((self, at) => self.codePointAt(int(at)) ?? 0),
  'indexOf/1-2': onText((self, what: unknown, from: unknown = 0) => self.indexOf(needle(what), int(from))),
  'lastIndexOf/1-2': onText((self, what: unknown, from?: unknown) =>
    self.lastIndexOf(needle(what), from === undefined ? undefined : int(from)),
  ),
  'containsIgnoreCase/1': onText((self, part: unknown) =>
    self.toLowerCase().includes(text(part).toLowerCase()),
  ),
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
  'compareToIgnoreCase/1': onText((self, other: unknown) =>
    compareText(self.toLowerCase(), text(other).toLowerCase()),
  ),
  'matches/1': onText((self, what: unknown) => patternOf(what).execWhole(self) !== null),
  'find/1-2': onText(find),
  'findAll/0-2': onText(findAll),
  'eachMatch/2': onText((self, what: unknown, fn: unknown) => {
    for (const match of patternOf(what).all(self)) callMatch(fn, match);
    return self;
  }),
  'count/1': onText(count),
});
