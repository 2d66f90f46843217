import { exception, type Throwable } from './throwable.ts';

/** Flags of java.util.regex.Pattern. */
export const FLAG = {
  UNIX_LINES: 1,
  CASE_INSENSITIVE: 2,
  COMMENTS: 4,
  MULTILINE: 8,
  LITERAL: 16,
  DOTALL: 32,
  UNICODE_CASE: 64,
} as const;

const INLINE: Readonly<Record<string, number>> = {
  i: FLAG.CASE_INSENSITIVE,
  d: FLAG.UNIX_LINES,
  m: FLAG.MULTILINE,
  s: FLAG.DOTALL,
  u: FLAG.UNICODE_CASE,
  x: FLAG.COMMENTS,
};

const POSIX: Readonly<Record<string, string>> = {
  Lower: 'a-z',
  Upper: 'A-Z',
  ASCII: '\\x00-\\x7f',
  Alpha: 'a-zA-Z',
  Digit: '0-9',
  Alnum: 'a-zA-Z0-9',
  Punct: '!-\\/:-@\\[-`{-~',
  Graph: '!-~',
  Print: ' -~',
  Blank: ' \\t',
  Cntrl: '\\x00-\\x1f\\x7f',
  XDigit: '0-9a-fA-F',
  Space: ' \\t\\n\\x0b\\f\\r',
  javaLowerCase: '\\p{Ll}',
  javaUpperCase: '\\p{Lu}',
  IsAlphabetic: '\\p{Alphabetic}',
  IsDigit: '\\p{Nd}',
  IsLetter: '\\p{L}',
  InCombiningDiacriticalMarks: '\\u0300-\\u036f',
};

/** A Java pattern as one of JavaScript, or a PatternSyntaxException with what cannot be said. */
export function translatePattern(source: string, flags: number): RegExp {
  if ((flags & FLAG.LITERAL) !== 0)
    return make(source, source.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), flags);
  const { text, inline } = new Translator(source, flags).run();
  return make(source, text, flags | inline);
}

/** The flags that a pattern begins with itself. */
export function flagsWithin(source: string): number {
  return inlineFlags(/^\(\?([idmsux]+)\)/.exec(source)?.[1] ?? '');
}

/** The same expression for a whole text. */
export function wholeOf({ source, flags }: RegExp): RegExp {
  return new RegExp(`^(?:${source})$(?![^])`, flags.replace(/[gm]/g, ''));
}

function make(source: string, text: string, flags: number): RegExp {
  const has = (flag: number) => (flags & flag) !== 0;
  const letters = `g${has(FLAG.CASE_INSENSITIVE) ? 'i' : ''}${has(FLAG.MULTILINE) ? 'm' : ''}${has(FLAG.DOTALL) ? 's' : ''}u`;
  try {
    return new RegExp(text, letters);
  } catch (error) {
    throw patternError(error instanceof Error ? error.message : 'bad pattern', source);
  }
}

function patternError(problem: string, source: string): Throwable {
  return exception(
    'java.util.regex.PatternSyntaxException',
    `${problem} near index ${Math.max(0, source.length - 1)}\n${source}`,
  );
}

/** Escapes that stand for many characters. */
const SETS = /[wdshWDSpP]/;

/** `IsL` is a category, `IsAlphabetic` a property, any other `Is…` a script such as Latin. */
function propertyNamed(name: string): string {
  if (!name.startsWith('Is')) return name;
  const plain = name.slice(2);
  try {
    return new RegExp(`\\p{${plain}}`, 'u').unicode ? plain : name;
  } catch {
    return `Script=${plain}`;
  }
}

function inlineFlags(letters: string): number {
  let flags = 0;
  for (const letter of letters) flags |= INLINE[letter] ?? 0;
  return flags;
}

class Translator {
  readonly #source: string;
  readonly #flags: number;
  #at = 0;
  #inline = 0;
  #text = '';
  /** For each group around: how many groups of ours it has to end, and the flags that hold again behind it. */
  #groups: { ends: number; readonly before: number }[] = [];
  readonly #outside = { ends: 0, before: 0 };

  constructor(source: string, flags: number) {
    this.#source = source;
    this.#flags = flags;
  }

  run(): { text: string; inline: number } {
    this.#readLeadingFlags();
    const inline = this.#inline;
    while (this.#at < this.#source.length) this.#readPart();
    return { text: this.#text + ')'.repeat(this.#outside.ends), inline };
  }

  #readLeadingFlags(): void {
    const match = /^\(\?([idmsux]+)\)/.exec(this.#source);
    if (match === null) return;
    const [all, letters = ''] = match;
    this.#inline = inlineFlags(letters);
    this.#at = all.length;
  }

  get #hasComments(): boolean {
    return ((this.#flags | this.#inline) & FLAG.COMMENTS) !== 0;
  }

  #readPart(): void {
    const char = this.#source.charAt(this.#at);
    if (char === '\\') this.#text += this.#readEscape(false);
    else if (char === '[') this.#text += this.#readClass();
    else if (char === '(') this.#readGroup();
    else if (char === ')') this.#endGroup();
    else if (this.#hasComments && /\s/.test(char)) this.#at++;
    else if (this.#hasComments && char === '#') {
      const end = this.#source.indexOf('\n', this.#at);
      this.#at = end < 0 ? this.#source.length : end + 1;
    } else if (char === '*' || char === '+' || char === '?' || char === '{') this.#readQuantifier(char);
    else if (char === '$') this.#readDollar();
    else {
      this.#text += char === '}' || char === ']' || char === '/' ? `\\${char}` : char;
      this.#at++;
    }
  }

  /** `$` also stands before the last line end. */
  #readDollar(): void {
    const isMultiline = ((this.#flags | this.#inline) & FLAG.MULTILINE) !== 0;
    this.#text += isMultiline ? '(?=\\r?\\n|(?![^]))' : '(?=(?:\\r?\\n)?(?![^]))';
    this.#at++;
  }

  #readQuantifier(char: string): void {
    const [quantifier] =
      char === '{' ? (/^\{\d+(?:,\d*)?\}/.exec(this.#source.slice(this.#at)) ?? []) : [char];
    if (quantifier === undefined) throw patternError('Illegal repetition', this.#source);
    this.#text += quantifier;
    this.#at += quantifier.length;
    if (this.#source[this.#at] === '?') {
      this.#text += '?';
      this.#at++;
    } else if (this.#source[this.#at] === '+') {
      throw patternError('Possessive quantifiers are not supported here', this.#source);
    }
  }

  #readGroup(): void {
    const rest = this.#source.slice(this.#at);
    if (rest.startsWith('(?>')) throw patternError('Atomic groups are not supported here', this.#source);
    const [known = '('] = /^\((?:\?(?:[:=!]|<[=!]|<[a-zA-Z]\w*>))?/.exec(rest) ?? [];
    if (known === '(' && rest[1] === '?') {
      this.#readFlags(rest);
      return;
    }
    this.#groups.push({ ends: 0, before: this.#inline });
    this.#text += known;
    this.#at += known.length;
  }

  /** `(?i)` holds to the end of the group it stands in, `(?i:…)` for its own. */
  #readFlags(rest: string): void {
    const [all, on = '', off = '', end] = /^\(\?([idmsu]*)(?:-([idmsu]+))?([:)])/.exec(rest) ?? [];
    if (all === undefined) throw patternError('Unknown inline modifier', this.#source);
    const before = this.#inline;
    this.#inline = (before | inlineFlags(on)) & ~inlineFlags(off);
    if (end === ':') this.#groups.push({ ends: 0, before });
    else (this.#groups.at(-1) ?? this.#outside).ends++;
    const [set, cleared] = [on, off].map((letters) => letters.replace(/[du]/g, ''));
    this.#text += `(?${set}${cleared === '' ? '' : `-${cleared}`}:`;
    this.#at += all.length;
  }

  #endGroup(): void {
    const group = this.#groups.pop() ?? { ends: 0, before: this.#inline };
    this.#text += ')'.repeat(group.ends + 1);
    this.#inline = group.before;
    this.#at++;
  }

  #readEscape(isInClass: boolean): string {
    const next = this.#source[this.#at + 1];
    if (next === undefined) throw patternError('Unexpected internal error', this.#source);
    this.#at += 2;
    switch (next) {
      case 'A':
        return '(?<![^])';
      case 'z':
        return '(?![^])';
      case 'Z':
        return '(?=(?:\\r?\\n)?(?![^]))';
      case 'R':
        return '(?:\\r\\n|[\\n\\x0b\\f\\r\\x85\\u2028\\u2029])';
      case 'h':
        return isInClass ? ' \\t\\xa0\\u2000-\\u200a\\u3000' : '[ \\t\\xa0\\u2000-\\u200a\\u3000]';
      case 'e':
        return '\\x1b';
      case 'a':
        return '\\x07';
      case 's':
        return isInClass ? ' \\t\\n\\x0b\\f\\r' : '[ \\t\\n\\x0b\\f\\r]';
      case 'S':
        return isInClass ? '\\S' : '[^ \\t\\n\\x0b\\f\\r]';
      case 'Q':
        return this.#readQuoted();
      case 'p':
      case 'P':
        return this.#readProperty(next, isInClass);
      case 'G':
        throw patternError('\\G is not supported here', this.#source);
    }
    if (next === 'k' || /[dDwWbBtnrfvcxu1-9]/.test(next)) return this.#plainEscape(next);
    if (/[a-zA-Z]/.test(next)) throw patternError('Illegal/unsupported escape sequence', this.#source);
    return /[\^$\\.*+?()[\]{}|/-]/.test(next) ? (next === '-' && !isInClass ? '-' : `\\${next}`) : next;
  }

  #plainEscape(next: string): string {
    const rest = this.#source.slice(this.#at - 1);
    const [whole = next] = /^(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c.|k<[a-zA-Z]\w*>|.)/.exec(rest) ?? [];
    this.#at += whole.length - 1;
    return next === 'x' && whole.length === 1 ? 'x' : `\\${whole}`;
  }

  #readQuoted(): string {
    const end = this.#source.indexOf('\\E', this.#at);
    const text = this.#source.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#source.length : end + 2;
    return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  }

  #readProperty(kind: string, isInClass: boolean): string {
    const match = /^(?:\{\^?(\w+)\}|([A-Z]))/.exec(this.#source.slice(this.#at));
    if (match === null) throw patternError('Unknown character property', this.#source);
    const [all, inBraces, letter = ''] = match;
    this.#at += all.length;
    const name = inBraces ?? letter;
    const posix = POSIX[name];
    if (posix === undefined) return `\\${kind}{${propertyNamed(name)}}`;
    if (kind === 'P' && isInClass)
      throw patternError('A negated property inside a class is not supported here', this.#source);
    return isInClass ? posix : `[${kind === 'P' ? '^' : ''}${posix}]`;
  }

  #readClass(): string {
    const start = this.#at;
    let text = '[';
    this.#at++;
    if (this.#source[this.#at] === '^') {
      text += '^';
      this.#at++;
    }
    for (let isFirst = true, isBehindSet = false; ; isFirst = false) {
      const char = this.#source[this.#at];
      const isDash = char === '-' && isBehindSet;
      isBehindSet = char === '[' || (char === '\\' && SETS.test(this.#source[this.#at + 1] ?? ''));
      if (char === undefined) throw patternError('Unclosed character class', this.#source.slice(start));
      if (char === ']' && !isFirst) break;
      if (char === '\\') text += this.#readEscape(true);
      else if (char === '[') {
        // A class inside a class is their union.
        const inner = this.#readClass();
        if (inner.startsWith('[^'))
          throw patternError('A negated class inside a class is not supported here', this.#source);
        text += inner.slice(1, -1);
      } else if (char === '&' && this.#source.startsWith('&&', this.#at)) {
        throw patternError('Intersections of classes are not supported here', this.#source);
      } else {
        // Behind `\w` and the like a dash is one, and begins no range.
        text += isDash || /[(){}|/$^.*+?\]]/.test(char) ? `\\${char}` : char;
        this.#at++;
      }
    }
    this.#at++;
    return `${text}]`;
  }
}
