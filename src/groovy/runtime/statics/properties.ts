import { call } from '../dispatch.ts';
import { JavaMap } from '../java-map.ts';
import { setOf } from '../java-set.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/map-methods.ts';
import { textOf, toText } from '../text.ts';
import { badArgument, nullPointer } from '../throwable.ts';

/** Texts by names, with others behind them that count where it has none. */

const defaults = new WeakMap<JavaMap, JavaMap>();

function find(self: JavaMap, name: string): string | null {
  const value = self.find(name)?.value;
  if (typeof value === 'string') return value;
  const behind = defaults.get(self);
  return behind === undefined ? null : find(behind, name);
}

function names(self: JavaMap): Set<string> {
  const behind = defaults.get(self);
  const found = new Set(behind === undefined ? [] : names(behind));
  for (const { key, value } of self.list())
    if (typeof key === 'string' && typeof value === 'string') found.add(key);
  return found;
}

/** The text of a reader or stream, or a text. */
function sourceText(source: unknown): string {
  return textOf(source) ?? toText(call(source, 'getText', []));
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

function unescaped(text: string): string {
  return text.replace(/\\(?:u([\da-fA-F]{4})|([\s\S]))/g, (_all, code: string | undefined, char: string) =>
    code === undefined ? (ESCAPES[char] ?? char) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Lines that end in an odd number of backslashes go on in the next one. */
function logicalLines(text: string): string[] {
  const lines: string[] = [];
  let open: string | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const trimmed = line.replace(/^[ \t\f]+/, '');
    if (open === undefined && (trimmed === '' || /^[#!]/.test(trimmed))) continue;
    const whole: string = (open ?? '') + trimmed;
    const slashes = /\\*$/.exec(whole)![0].length;
    open = slashes % 2 === 1 ? whole.slice(0, -1) : undefined;
    if (open === undefined) lines.push(whole);
  }
  if (open !== undefined) lines.push(open);
  return lines;
}

export function loadProperties(self: JavaMap, text: string): void {
  for (const line of logicalLines(text)) {
    const key = /^(?:[^\\=:\s]|\\[\s\S])*/.exec(line)![0];
    const value = line.slice(key.length).replace(/^[ \t\f]*[=:]?[ \t\f]*/, '');
    self.put(unescaped(key), unescaped(value));
  }
}

function escaped(text: string, isKey: boolean): string {
  const marked = text
    .replace(/[\\=:#!]/g, '\\$&')
    .replace(/[\t\n\r\f]/g, (char) => `\\${{ '\t': 't', '\n': 'n', '\r': 'r' }[char] ?? 'f'}`);
  return isKey ? marked.replaceAll(' ', '\\ ') : marked.replace(/^ /, '\\ ');
}

function store(self: JavaMap, target: unknown, comment: unknown): null {
  const head = comment === null ? '' : `#${toText(comment)}\n`;
  const lines = self
    .list()
    .map(({ key, value }) => `${escaped(toText(key), true)}=${escaped(toText(value), false)}\n`);
  call(target, 'write', [`${head}#${new Date().toUTCString()}\n${lines.join('')}`]);
  return null;
}

defineStatics('java.util.Properties', {
  'new/0-1': (behind?: unknown) => {
    const made = new JavaMap('Properties');
    if (behind instanceof JavaMap) defaults.set(made, behind);
    return made;
  },
});
defineMethods('java.util.Properties', 'java.util.Map', {
  'getProperty/1-2': (self: JavaMap, name: unknown, otherwise: unknown = null) =>
    find(self, toText(name)) ?? otherwise,
  'setProperty/2': (self: JavaMap, name: unknown, value: unknown) => {
    if (name === null || value === null) throw nullPointer();
    if (textOf(name) === undefined || textOf(value) === undefined) throw badArgument();
    return self.put(toText(name), toText(value));
  },
  'stringPropertyNames/0': (self: JavaMap) => setOf(names(self)),
  'propertyNames/0': (self: JavaMap) => call([...names(self)], 'iterator', []),
  'load/1': (self: JavaMap, source: unknown) => {
    loadProperties(self, sourceText(source));
    return null;
  },
  'store/2': store,
  // As Java writes it; in a text of Groovy it looks like any map.
  'toString/0': (self: JavaMap) =>
    `{${self
      .list()
      .map(({ key, value }) => `${toText(key)}=${toText(value)}`)
      .join(', ')}}`,
});
