import { int } from '../arguments.ts';
import { toInt } from '../arithmetic.ts';
import { Closure, call1 } from '../closure.ts';
import { call } from '../dispatch.ts';
import { itemsOf } from '../equality.ts';
import { rangeEnds } from '../index-access.ts';
import { JavaIterator } from '../iterate.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import {
  expandReplacement,
  FLAG,
  Matcher,
  matchValue,
  Pattern,
  patternOf,
  replaceMatches,
  splitText,
} from '../pattern.ts';
import { Range } from '../range.ts';
import { toText } from '../text.ts';
import { outOfBounds } from '../throwable.ts';
import { isNumeric, type StringBuilder } from '../values.ts';
import './collection-methods.ts';

/** `text =~ pattern`. */
export function find(text: unknown, pattern: unknown): Matcher {
  return new Matcher(patternOf(pattern), toText(text));
}

/** `text ==~ pattern`. */
export function matches(text: unknown, pattern: unknown): boolean {
  if (text === null || pattern === null) return false;
  return patternOf(pattern).execWhole(toText(text)) !== null;
}

function matchAt(self: Matcher, at: unknown): unknown {
  if (at instanceof Range || itemsOf(at) !== undefined) {
    const all = self.all().map(matchValue);
    if (!(at instanceof Range)) return itemsOf(at)!.map((each) => matchAt(self, each));
    const { from, to } = rangeEnds(at, all.length);
    return all.slice(from, to + 1);
  }
  const all = self.all();
  const position = int(at);
  const match = all.at(position);
  if (match === undefined || position < -all.length)
    throw outOfBounds(`index is out of range ${-all.length}..${all.length - 1} (index = ${position})`);
  self.current = match;
  return matchValue(match);
}

function groupNumber(group: unknown): unknown {
  return isNumeric(group) ? toInt(group) : group;
}

function startOf(self: Matcher, group: unknown = 0): number {
  const { match } = self;
  if (group === 0) return match.index;
  const text = match[int(group)];
  return text === undefined ? -1 : match.index + match[0].indexOf(text);
}

function append(self: Matcher, target: StringBuilder, replacement: unknown): Matcher {
  const { match } = self;
  const text = self.text.slice(self.appended, match.index) + expandReplacement(match, toText(replacement));
  target.text += text;
  self.appended = match.index + match[0].length;
  return self;
}

defineMethods('java.util.regex.Matcher', 'java.util.Collection', {
  'matches/0': (self: Matcher) => self.matches(),
  'find/0-1': (self: Matcher, from?: unknown) => {
    if (from instanceof Closure) return call(self.all().map(matchValue), 'find', [from]);
    return from === undefined ? self.find() : self.find(int(from));
  },
  'lookingAt/0': (self: Matcher) => {
    self.current = self.pattern.execAt(self.text, 0);
    if (self.current?.index !== 0) self.current = null;
    return self.current !== null;
  },
  'group/0-1': (self: Matcher, which?: unknown) => self.group(groupNumber(which ?? 0)),
  'groupCount/0': (self: Matcher) =>
    new RegExp(`${self.pattern.regex.source}|`, self.pattern.regex.flags).exec('')!.length - 1,
  'hasGroup/0': (self: Matcher) =>
    new RegExp(`${self.pattern.regex.source}|`, self.pattern.regex.flags).exec('')!.length > 1,
  'start/0-1': startOf,
  'end/0-1': (self: Matcher, group?: unknown) =>
    startOf(self, group ?? 0) + String(self.group(groupNumber(group ?? 0))).length,
  'reset/0-1': (self: Matcher, text?: unknown) => {
    if (text !== undefined) self.text = toText(text);
    self.reset();
    return self;
  },
  'replaceAll/1': (self: Matcher, by: unknown) => replaceMatches(self.text, self.pattern, by, false),
  'replaceFirst/1': (self: Matcher, by: unknown) => replaceMatches(self.text, self.pattern, by, true),
  'appendReplacement/2': append,
  'appendTail/1': (self: Matcher, target: StringBuilder) => {
    target.text += self.text.slice(self.appended);
    return target;
  },
  'pattern/0': (self: Matcher) => self.pattern,
  'size/0': (self: Matcher) => BigInt(self.all().length),
  'getCount/0': (self: Matcher) => self.all().length,
  'getAt/1': matchAt,
  'asBoolean/0': (self: Matcher) => self.find(),
  'iterator/0': (self: Matcher) => {
    const all = self.all();
    let at = 0;
    return new JavaIterator(() => (at < all.length ? matchValue(all[at++]!) : undefined));
  },
  'each/1': (self: Matcher, fn: unknown) => {
    for (const match of self.all()) {
      const value = matchValue(match);
      if (fn instanceof Closure && fn.most > 1 && Array.isArray(value)) fn.call(value);
      else call1(fn, value);
    }
    return self;
  },
});

defineMethods('java.util.regex.Pattern', 'java.lang.Object', {
  'matcher/1': (self: Pattern, text: unknown) => new Matcher(self, toText(text)),
  'pattern/0': (self: Pattern) => self.source,
  'flags/0': (self: Pattern) => self.flags,
  'split/1-2': (self: Pattern, text: unknown, limit?: unknown) =>
    splitText(toText(text), self, limit === undefined ? 0 : int(limit)),
  'isCase/1': (self: Pattern, text: unknown) => text !== null && self.execWhole(toText(text)) !== null,
});

defineStatics(
  'java.util.regex.Pattern',
  {
    'compile/1-2': (source: unknown, flags?: unknown) =>
      new Pattern(toText(source), flags === undefined ? 0 : int(flags)),
    'matches/2': (pattern: unknown, text: unknown) => patternOf(pattern).execWhole(toText(text)) !== null,
    'quote/1': (text: unknown) => `\\Q${toText(text)}\\E`,
  },
  FLAG,
);
defineStatics('java.util.regex.Matcher', {
  'quoteReplacement/1': (text: unknown) => toText(text).replace(/[\\$]/g, '\\$&'),
});
