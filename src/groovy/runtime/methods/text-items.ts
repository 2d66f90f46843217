import { Closure, call1, call2 } from '../closure.ts';
import { call } from '../dispatch.ts';
import { setOf } from '../java-set.ts';
import { defineMethods } from '../method-table.ts';
import { patternOf, splitText } from '../pattern.ts';
import { toText } from '../text.ts';
import { exception } from '../throwable.ts';
import { int, ofChars, onText } from './text-methods.ts';
import './object-methods.ts';

function lines(self: string): string[] {
  const parts = self.split(/\r\n|\r|\n/);
  if (parts.at(-1) === '') parts.pop();
  return parts;
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

defineMethods('java.lang.CharSequence', 'java.lang.Object', {
  'toSet/0': onText((self) => setOf(self.split(''))),
  'readLines/0': onText(lines),
  'lines/0': onText((self) => call(lines(self), 'stream', [])),
  'eachLine/1-2': onText(eachLine),
  'splitEachLine/2': onText((self, what: unknown, fn: unknown) => {
    let result: unknown = null;
    for (const line of lines(self)) result = call1(fn, splitText(line, patternOf(what)));
    return result;
  }),
  'execute/0-2': () => {
    throw exception('java.lang.SecurityException', 'Scripts cannot start programs');
  },
  'each/1': (self: unknown, fn: unknown) => {
    call([...toText(self)], 'each', [fn]);
    return self;
  },
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
});
