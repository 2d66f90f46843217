import { Closure, call1 } from './closure.ts';
import { classNamed, type JavaClass } from './java-class.ts';
import { FLAG, flagsWithin, translatePattern, wholeOf } from './java-regex.ts';
import { toText } from './text.ts';
import { exception, illegalArgument, outOfBounds } from './throwable.ts';
import { JavaObject } from './values.ts';

export { FLAG };

const PATTERN_CLASS = classNamed('java.util.regex.Pattern');
const MATCHER_CLASS = classNamed('java.util.regex.Matcher');

/** The expressions of a pattern that the compiler has translated: for matches anywhere, and of the whole text. */
interface Prepared {
  readonly anywhere: () => RegExp;
  readonly whole: () => RegExp;
}

export class Pattern extends JavaObject {
  readonly type: JavaClass = PATTERN_CLASS;
  readonly source: string;
  readonly flags: number;
  readonly #prepared: Prepared | undefined;
  #regex: RegExp | undefined;
  #whole: RegExp | undefined;

  constructor(source: string, flags = 0, prepared?: Prepared) {
    super();
    this.source = source;
    this.flags = flags | flagsWithin(source);
    this.#prepared = prepared;
    // What is wrong with it is said at once.
    if (prepared === undefined) this.#regex = translatePattern(source, flags);
  }

  /** Global; `lastIndex` is set before each use. */
  get regex(): RegExp {
    this.#regex ??= this.#prepared!.anywhere();
    return this.#regex;
  }

  override toText(): string {
    return this.source;
  }

  /** The match at or behind the position. */
  execAt(text: string, from: number): RegExpExecArray | null {
    this.regex.lastIndex = from;
    return this.regex.exec(text);
  }

  /** All matches, found without `matchAll`, which compiles the expression again. */
  all(text: string): RegExpExecArray[] {
    const { regex } = this;
    const found: RegExpExecArray[] = [];
    regex.lastIndex = 0;
    for (let match = regex.exec(text); match !== null; match = regex.exec(text)) {
      found.push(match);
      if (match[0] === '') regex.lastIndex++;
    }
    return found;
  }

  /** The match of the whole text. */
  execWhole(text: string): RegExpExecArray | null {
    this.#whole ??= this.#prepared?.whole() ?? wholeOf(this.regex);
    return this.#whole.exec(text);
  }
}

const MOST_KNOWN = 200;
const known = new Map<string, Pattern>();
const prepared = new Map<string, Prepared>();

/** Tells of an expression that the script holds in the form of JavaScript. */
export function preparePattern(source: string, anywhere: () => RegExp, whole: () => RegExp): void {
  prepared.set(source, { anywhere, whole });
}

export function patternOf(value: unknown): Pattern {
  if (typeof value === 'object' && value instanceof Pattern) return value;
  const source = typeof value === 'string' ? value : toText(value);
  let pattern = known.get(source);
  if (pattern === undefined) {
    pattern = new Pattern(source, 0, prepared.get(source));
    if (known.size < MOST_KNOWN) known.set(source, pattern);
  }
  return pattern;
}

/** A match as scripts get it: its text, or with groups the list of all of them. */
export function matchValue(match: RegExpExecArray): unknown {
  if (match.length === 1) return match[0];
  return [...match].map((group) => group ?? null);
}

export class Matcher extends JavaObject {
  readonly type: JavaClass = MATCHER_CLASS;
  readonly pattern: Pattern;
  text: string;
  current: RegExpExecArray | null = null;
  appended = 0;
  #from = 0;

  constructor(pattern: Pattern, text: string) {
    super();
    this.pattern = pattern;
    this.text = text;
  }

  find(from = this.#from): boolean {
    this.current = from > this.text.length ? null : this.pattern.execAt(this.text, from);
    if (this.current === null) return false;
    const end = this.current.index + this.current[0].length;
    this.#from = this.current[0] === '' ? end + 1 : end;
    return true;
  }

  matches(): boolean {
    this.current = this.pattern.execWhole(this.text);
    return this.current !== null;
  }

  reset(): void {
    this.current = null;
    this.#from = 0;
    this.appended = 0;
  }

  all(): RegExpExecArray[] {
    return this.pattern.all(this.text);
  }

  get match(): RegExpExecArray {
    if (this.current === null) throw exception('java.lang.IllegalStateException', 'No match found');
    return this.current;
  }

  group(which: unknown = 0): unknown {
    const { match } = this;
    if (typeof which === 'number') {
      if (which < 0 || which >= match.length) throw outOfBounds(`No group ${which}`);
      return match[which] ?? null;
    }
    const name = toText(which);
    if (match.groups === undefined || !(name in match.groups))
      throw illegalArgument(`No group with name <${name}>`);
    return match.groups[name] ?? null;
  }
}

/** Replaces matches by what a text with `$1` and `${name}` or a closure says. */
export function replaceMatches(
  text: string,
  pattern: Pattern,
  replacement: unknown,
  isFirstOnly: boolean,
): string {
  const isPlain =
    typeof replacement === 'string' && !replacement.includes('$') && !replacement.includes('\\');
  if (isPlain && !isFirstOnly) {
    const { regex } = pattern;
    regex.lastIndex = 0;
    return text.replace(regex, replacement);
  }
  let result = '';
  let end = 0;
  const matches = isFirstOnly ? [pattern.execAt(text, 0)] : pattern.all(text);
  for (const match of matches) {
    if (match === null) break;
    result += text.slice(end, match.index) + replacementText(match, replacement);
    end = match.index + match[0].length;
  }
  return result + text.slice(end);
}

function replacementText(match: RegExpExecArray, replacement: unknown): string {
  if (replacement instanceof Closure) {
    const groups = [...match].map((group) => group ?? null);
    return toText(
      replacement.most === 1
        ? call1(replacement, groups.length === 1 ? groups[0] : groups)
        : replacement.call(groups),
    );
  }
  return expandReplacement(match, toText(replacement));
}

export function expandReplacement(match: RegExpExecArray, text: string): string {
  let result = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '\\') {
      if (at + 1 === text.length) throw illegalArgument('character to be escaped is missing');
      result += text[++at];
    } else if (char === '$') {
      const [reference, name, digits] = /^\$(?:\{([a-zA-Z]\w*)\}|(\d))/.exec(text.slice(at)) ?? [];
      if (reference === undefined) throw illegalArgument('Illegal group reference');
      const number = Number(digits);
      if (digits !== undefined && number >= match.length) throw outOfBounds(`No group ${number}`);
      if (name !== undefined && match.groups?.[name] === undefined && !(name in (match.groups ?? {}))) {
        throw illegalArgument(`No group with name {${name}}`);
      }
      result += (name === undefined ? match[number] : match.groups![name]) ?? '';
      at += reference.length - 1;
    } else result += char;
  }
  return result;
}

/** Java's `split`: empty parts at the end are dropped unless there is a limit. */
export function splitText(text: string, pattern: Pattern, limit = 0): string[] {
  if (text === '') return [''];
  const parts: string[] = [];
  let from = 0;
  for (const match of pattern.all(text)) {
    if (limit > 0 && parts.length === limit - 1) break;
    const end = match.index + match[0].length;
    if (end === 0 || (match[0] === '' && match.index >= text.length)) continue;
    parts.push(text.slice(from, match.index));
    from = end;
  }
  parts.push(text.slice(from));
  if (limit === 0) while (parts.length > 1 && parts.at(-1) === '') parts.pop();
  return limit === 0 && parts.length === 1 && parts[0] === '' ? [] : parts;
}
