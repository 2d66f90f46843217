import { filterError, type Place } from './query-filter-error.ts';

export interface Token extends Place {
  readonly kind: 'word' | 'quoted' | 'open' | 'close' | 'end';
  /** What a word says, or what a quoted string holds after its escapes are resolved. */
  readonly text: string;
}

/**
 * Reads a filter token by token. Only spaces separate; parentheses are tokens by themselves; a quoted string
 * ends where its quote does and needs a space or a parenthesis after it.
 */
export class FilterTokens {
  readonly filter: string;
  #position = 0;
  #current: Token;
  #conditions = 0;
  #looks = 0;

  constructor(filter: string) {
    this.filter = filter;
    this.#current = this.#read();
  }

  get current(): Token {
    return this.#current;
  }

  /** How many conditions there are, with one that is just being read. */
  countCondition(): number {
    this.#conditions += 1;
    return this.#conditions;
  }

  /** How many of them look inside of a text. */
  countLook(): number {
    this.#looks += 1;
    return this.#looks;
  }

  /** The current token; the next one becomes current. */
  take(): Token {
    const token = this.#current;
    this.#current = this.#read();
    return token;
  }

  /**
   * The JSON array that begins at the current token, as text. The only place where text between spaces is not a
   * token of its own, so only the reader of a value may ask for it.
   */
  takeArray(): Place {
    const { position } = this.#current;
    let quoted = false;
    let end = position;
    for (; end < this.filter.length; end++) {
      const character = this.filter[end];
      if (quoted && character === '\\') end++;
      else if (character === '"') quoted = !quoted;
      else if (character === ']' && !quoted) break;
    }
    const token = this.filter.slice(position, end + 1);
    if (end >= this.filter.length) {
      throw filterError(this.filter, { position, token }, 'the array has no closing bracket');
    }
    this.#position = end + 1;
    this.#requireSeparator('an array');
    this.#current = this.#read();
    return { position, token };
  }

  #read(): Token {
    while (this.filter[this.#position] === ' ') this.#position++;
    const position = this.#position;
    const first = this.filter[position];
    switch (first) {
      case undefined:
        return { kind: 'end', position, token: '', text: '' };
      case '(':
      case ')':
        this.#position++;
        return { kind: first === '(' ? 'open' : 'close', position, token: first, text: first };
      case '"':
      case "'":
        return this.#readQuoted(first);
      default: {
        while (!isSeparator(this.filter[this.#position])) this.#position++;
        const text = this.filter.slice(position, this.#position);
        return { kind: 'word', position, token: text, text };
      }
    }
  }

  /**
   * A backslash drops itself and keeps the next character as it is: `\n` is the letter n. `\u` is refused, because who
   * writes it means an escape of JSON, and would be answered as if there were nothing to find.
   */
  #readQuoted(quote: string): Token {
    const position = this.#position;
    let text = '';
    for (let at = position + 1; at < this.filter.length; at++) {
      const character = this.filter[at];
      if (character === quote) {
        this.#position = at + 1;
        this.#requireSeparator('a quoted string');
        return { kind: 'quoted', position, token: this.filter.slice(position, at + 1), text };
      }
      if (character === '\\') {
        if (this.filter[at + 1] === 'u') throw this.#noEscape(at);
        at++;
      }
      text += this.filter[at] ?? '';
    }
    const token = this.filter.slice(position);
    throw filterError(this.filter, { position, token }, `the string has no closing ${quote}`, {
      hint: 'Inside quotes a backslash takes the next character as it is, also a quote',
    });
  }

  #noEscape(position: number): Error {
    const token = this.filter.slice(position, position + 6);
    return filterError(this.filter, { position, token }, "'\\u' is no escape here", {
      hint: 'Write the character itself, and a backslash as two',
    });
  }

  #requireSeparator(after: string): void {
    const next = this.filter[this.#position];
    if (isSeparator(next)) return;
    const place = { position: this.#position, token: next ?? '' };
    throw filterError(this.filter, place, `a space is missing after ${after}`);
  }
}

function isSeparator(character: string | undefined): boolean {
  return character === undefined || character === ' ' || character === '(' || character === ')';
}
