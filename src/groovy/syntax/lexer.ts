import type { SourceText } from './source-text.ts';
import { KEYWORDS, OPERATORS, type Token, type TokenKind } from './token.ts';

type Quote = "'" | '"' | "'''" | '"""' | '/' | '$/';

/** A `(`, `[` or `{` that waits for its end; a `{` with a quote belongs to a value inside a text. */
interface Open {
  readonly bracket: string;
  readonly token: number;
  readonly quote?: Quote;
  readonly quoteAt?: number;
}

const CLOSES: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const PLAIN_NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER =
  /0[xX][\da-fA-F](?:_*[\da-fA-F])*[gGlLiI]?|0[bB][01](?:_*[01])*[gGlLiI]?|\d(?:_*\d)*(?:\.\d(?:_*\d)*)?(?:[eE][+-]?\d+)?[gGlLiIdDfF]?/y;
const SPACE = /[ \t\f\r]+|\\\r?\n/y;
const ENDS_VALUE = new Set([')', ']', '}', '++', '--']);
const VALUE_KEYWORDS = new Set(['this', 'super', 'null', 'true', 'false']);
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  s: ' ',
  t: '\t',
  '\\': '\\',
  "'": "'",
  '"': '"',
  $: '$',
};
const DEEPEST_BRACKETS = 300;

/** Cuts a source into tokens, in time linear in its length. @throws GroovySyntaxError */
export function tokenize(source: SourceText): Token[] {
  return new Lexer(source).run();
}

class Lexer {
  readonly #source: SourceText;
  readonly #text: string;
  readonly #tokens: Token[] = [];
  readonly #open: Open[] = [];
  #at = 0;
  #startsLine = true;

  constructor(source: SourceText) {
    this.#source = source;
    this.#text = source.text;
  }

  run(): Token[] {
    if (this.#text.startsWith('#!')) this.#at = this.#endOfLine();
    if (this.#text.startsWith('\ufeff')) this.#at = 1;
    while (this.#skipSpace()) this.#readToken();
    const unclosed = this.#open.at(-1);
    if (unclosed !== undefined) {
      const at = unclosed.quoteAt ?? this.#tokens[unclosed.token]!.at;
      throw this.#source.errorAt(at, `'${unclosed.bracket}' is never closed`);
    }
    this.#push('end', '', this.#at);
    return this.#tokens;
  }

  #skipSpace(): boolean {
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) return false;
      if (char === '\n') {
        this.#startsLine = true;
        this.#at++;
      } else if (this.#text.startsWith('//', this.#at)) {
        this.#at = this.#endOfLine();
      } else if (this.#text.startsWith('/*', this.#at)) {
        const end = this.#text.indexOf('*/', this.#at + 2);
        if (end < 0) throw this.#source.errorAt(this.#at, 'The comment is never closed');
        if (this.#text.slice(this.#at, end).includes('\n')) this.#startsLine = true;
        this.#at = end + 2;
      } else if (this.#match(SPACE) === undefined) return true;
    }
  }

  #endOfLine(): number {
    const end = this.#text.indexOf('\n', this.#at);
    return end < 0 ? this.#text.length : end;
  }

  #readToken(): void {
    const at = this.#at;
    const char = this.#text.charAt(at);
    if (char === '}' && this.#open.at(-1)?.quote !== undefined) {
      const { quote, quoteAt } = this.#open.pop()!;
      this.#at++;
      this.#readText(quote!, quoteAt!, false);
      return;
    }
    const quote = this.#quoteAt(char);
    if (quote !== undefined) {
      this.#at += quote.length;
      this.#readText(quote, at, true);
      return;
    }
    const number = char >= '0' && char <= '9' ? this.#match(NUMBER) : undefined;
    if (number !== undefined) {
      this.#push('number', number, at);
      return;
    }
    const name = this.#match(NAME);
    if (name !== undefined) this.#push(KEYWORDS.has(name) ? 'keyword' : 'name', name, at);
    else this.#readOperator();
  }

  #quoteAt(char: string): Quote | undefined {
    if (char === "'" || char === '"') {
      const triple = char === "'" ? "'''" : '"""';
      return this.#text.startsWith(triple, this.#at) ? triple : char;
    }
    if (char === '/' && !this.#followsValue()) return '/';
    return char === '$' && this.#text.startsWith('$/', this.#at) && !this.#followsValue() ? '$/' : undefined;
  }

  #followsValue(): boolean {
    const last = this.#tokens.at(-1);
    if (last === undefined) return false;
    switch (last.kind) {
      case 'operator':
        return ENDS_VALUE.has(last.text);
      case 'keyword':
        return VALUE_KEYWORDS.has(last.text);
      case 'textStart':
      case 'textPart':
        return last.isLast === true;
      default:
        return true;
    }
  }

  #readOperator(): void {
    const at = this.#at;
    const operator = OPERATORS.find((candidate) => this.#text.startsWith(candidate, at));
    if (operator === undefined) {
      const [char = ''] = this.#text.slice(at, at + 2);
      throw this.#source.errorAt(at, `Unexpected character: '${char}'`);
    }
    this.#at += operator.length;
    const index = this.#push('operator', operator, at);
    const bracket = operator === '?[' ? '[' : operator;
    if (bracket === '(' || bracket === '[' || bracket === '{') {
      if (this.#open.length >= DEEPEST_BRACKETS) {
        throw this.#source.errorAt(at, 'The script is nested too deeply');
      }
      this.#open.push({ bracket, token: index });
    } else if (bracket in CLOSES) {
      const opened = this.#open.pop();
      if (opened === undefined || opened.bracket !== CLOSES[bracket]) {
        throw this.#source.errorAt(
          at,
          `Unexpected input: '${bracket}'`,
          `It closes no '${CLOSES[bracket]}'.`,
        );
      }
      this.#tokens[opened.token]!.closedBy = index;
    }
  }

  /** Reads from behind the quote, or behind the `}` of a value, to the next `${` or the end of the text. */
  #readText(quote: Quote, quoteAt: number, isWhole: boolean): void {
    let isFirst = isWhole;
    let from = isFirst ? quoteAt : this.#at - 1;
    let value = '';
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined || (char === '\n' && (quote === "'" || quote === '"'))) {
        throw this.#source.errorAt(quoteAt, `The text that begins with ${quote} is never closed`);
      }
      if (this.#closes(quote)) {
        if (isFirst) this.#push('string', value, from);
        else this.#push('textPart', value, from, true);
        return;
      }
      if (char === '\\') {
        value += this.#readEscape(quote);
      } else if (char !== '$' || quote.startsWith("'")) {
        if (char !== '\r' || this.#text[this.#at + 1] !== '\n') value += char;
        this.#at++;
      } else if (quote === '$/' && /[$/]/.test(this.#text.charAt(this.#at + 1))) {
        value += this.#text[this.#at + 1];
        this.#at += 2;
      } else if (this.#text[this.#at + 1] === '{') {
        this.#push(isFirst ? 'textStart' : 'textPart', value, from);
        this.#openValue(quote, quoteAt);
        return;
      } else if (this.#namesValue()) {
        this.#push(isFirst ? 'textStart' : 'textPart', value, from);
        this.#readDottedName();
        isFirst = false;
        from = this.#at;
        value = '';
      } else if (quote === '"' || quote === '"""') {
        throw this.#source.errorAt(
          this.#at,
          "'$' in a text with double quotes begins a value",
          "Write '\\$' for the character itself.",
        );
      } else {
        value += '$';
        this.#at++;
      }
    }
  }

  #openValue(quote: Quote, quoteAt: number): void {
    if (this.#open.length >= DEEPEST_BRACKETS) {
      throw this.#source.errorAt(this.#at, 'The script is nested too deeply');
    }
    this.#at += 2;
    this.#open.push({ bracket: '{', token: this.#tokens.length - 1, quote, quoteAt });
  }

  #namesValue(): boolean {
    PLAIN_NAME.lastIndex = this.#at + 1;
    return PLAIN_NAME.test(this.#text);
  }

  /** `$name.name`, as far as names follow dots. */
  #readDottedName(): void {
    for (let dot = this.#at; ; dot = this.#at) {
      this.#at = dot + 1;
      const name = this.#match(PLAIN_NAME);
      if (name === undefined) {
        this.#at = dot;
        return;
      }
      if (this.#text[dot] === '.') {
        const end = this.#at;
        this.#at = dot + 1;
        this.#push('operator', '.', dot);
        this.#at = end;
      }
      this.#push(KEYWORDS.has(name) ? 'keyword' : 'name', name, dot + 1);
      if (this.#text[this.#at] !== '.') return;
    }
  }

  #closes(quote: Quote): boolean {
    const end = quote === '$/' ? '/$' : quote;
    if (!this.#text.startsWith(end, this.#at)) return false;
    // Where four quotes stand at the end of a long text, the first belongs to the text.
    if (quote.length === 3 && this.#text[this.#at + 3] === quote[0]) return false;
    this.#at += end.length;
    return true;
  }

  #readEscape(quote: Quote): string {
    const at = this.#at;
    const next = this.#text.charAt(at + 1);
    if (quote === '/' || quote === '$/') {
      const unicode = /^u+[\da-fA-F]{4}/.exec(this.#text.slice(at + 1, at + 12));
      if (unicode !== null) return this.#character(unicode[0]);
      this.#at += next === '/' && quote === '/' ? 2 : 1;
      return next === '/' && quote === '/' ? '/' : '\\';
    }
    if (next === '\n' || (next === '\r' && this.#text[at + 2] === '\n')) {
      this.#at += next === '\n' ? 2 : 3;
      return '';
    }
    const code = /^(?:u+[\da-fA-F]{4}|[0-3]?[0-7]{1,2})/.exec(this.#text.slice(at + 1, at + 12));
    if (code !== null) return this.#character(code[0]);
    const escaped = ESCAPES[next];
    if (escaped === undefined) {
      throw this.#source.errorAt(at, `Unexpected character: '\\${next}'`, "Write '\\\\' for a backslash.");
    }
    this.#at += 2;
    return escaped;
  }

  /** What a code behind a backslash stands for: `uXXXX`, or one in octal digits. */
  #character(code: string): string {
    this.#at += code.length + 1;
    const number = code.startsWith('u') ? Number.parseInt(code.slice(-4), 16) : Number.parseInt(code, 8);
    return String.fromCharCode(number);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #push(kind: TokenKind, text: string, at: number, isLast = false): number {
    const inner = this.#open.at(-1)?.bracket;
    const startsLine = this.#startsLine && inner !== '(' && inner !== '[';
    this.#startsLine = false;
    this.#tokens.push({ kind, text, at, end: this.#at, startsLine, ...(isLast ? { isLast } : {}) });
    return this.#tokens.length - 1;
  }
}
