import type { GroovySyntaxError } from '../groovy-syntax-error.ts';
import type { TypeName } from './ast.ts';
import type { SourceText } from './source-text.ts';
import { PRIMITIVES, type Token } from './token.ts';

/** Deep enough for people, and shallow enough for the stacks of whoever walks the tree. */
const DEEPEST = 300;

/** A place in the tokens of a script, and what can be told there without making a tree. */
export class TokenCursor {
  readonly source: SourceText;
  readonly tokens: readonly Token[];
  index = 0;
  #depth = 0;
  readonly #end: Token;
  readonly #typeEnds = new Map<number, number>();

  constructor(source: SourceText, tokens: readonly Token[]) {
    this.source = source;
    this.tokens = tokens;
    const end = tokens.at(-1);
    if (end === undefined) throw new Error('A script has at least the token that ends it');
    this.#end = end;
  }

  /** The token there; behind all tokens, the one that ends them. */
  tokenAt(at: number): Token {
    return this.tokens[at] ?? this.#end;
  }

  get token(): Token {
    return this.tokenAt(this.index);
  }

  /** The token so many places further on; the last one beyond the end. */
  peek(distance = 1): Token {
    return this.tokenAt(this.index + distance);
  }

  get previous(): Token {
    return this.tokenAt(Math.max(0, this.index - 1));
  }

  take(): Token {
    const token = this.token;
    if (token.kind !== 'end') this.index++;
    return token;
  }

  get isAtEnd(): boolean {
    return this.token.kind === 'end';
  }

  is(operator: string): boolean {
    return isOperator(this.token, operator);
  }

  isKeyword(keyword: string): boolean {
    return this.token.kind === 'keyword' && this.token.text === keyword;
  }

  takeIf(operator: string): boolean {
    if (!this.is(operator)) return false;
    this.index++;
    return true;
  }

  takeKeywordIf(keyword: string): boolean {
    if (!this.isKeyword(keyword)) return false;
    this.index++;
    return true;
  }

  expect(operator: string): Token {
    if (!this.is(operator)) throw this.unexpected(`'${operator}' is missing.`);
    return this.take();
  }

  expectName(): Token {
    if (this.token.kind !== 'name') throw this.unexpected('A name is missing.');
    return this.take();
  }

  unexpected(hint?: string): GroovySyntaxError {
    const { kind, text, at } = this.token;
    const problem = kind === 'end' ? 'Unexpected end of the script' : `Unexpected input: '${text}'`;
    return this.source.errorAt(at, problem, hint);
  }

  refuse(at: number, what: string, instead?: string): GroovySyntaxError {
    return this.source.errorAt(at, `${what} not supported here`, instead);
  }

  nested<T>(parse: () => T): T {
    if (++this.#depth > DEEPEST) throw this.source.errorAt(this.token.at, 'The script is nested too deeply');
    const result = parse();
    this.#depth--;
    return result;
  }

  typeName(): TypeName {
    const { at } = this.token;
    const end = this.skipType(this.index);
    if (end < 0) throw this.unexpected('The name of a type is missing.');
    let name = '';
    let dimensions = 0;
    while (this.index < end) {
      const token = this.take();
      if (isOperator(token, '<')) this.index = this.skipTypeArguments(this.index - 1);
      else if (isOperator(token, '[')) dimensions++;
      else if (token.kind === 'name' || token.kind === 'keyword' || token.text === '.') name += token.text;
    }
    return { name, dimensions, at };
  }

  /** Where the type that begins at the token ends, or -1. */
  skipType(from: number): number {
    const known = this.#typeEnds.get(from);
    if (known !== undefined) return known;
    const end = this.#skipType(from);
    this.#typeEnds.set(from, end);
    return end;
  }

  #skipType(from: number): number {
    let at = from;
    const first = this.tokenAt(at);
    if (first.kind === 'keyword') {
      if (!PRIMITIVES.has(first.text)) return -1;
      at++;
    } else if (first.kind === 'name') {
      at++;
      while (isOperator(this.tokenAt(at), '.') && this.tokenAt(at + 1).kind === 'name') at += 2;
      if (isOperator(this.tokenAt(at), '<')) at = this.skipTypeArguments(at);
      if (at < 0) return -1;
    } else return -1;
    while (isOperator(this.tokenAt(at), '[') && isOperator(this.tokenAt(at + 1), ']')) at += 2;
    return at;
  }

  /** The place behind the `>` that belongs to a `<`, or -1 when this is a comparison. */
  skipTypeArguments(from: number): number {
    let at = from + 1;
    let depth = 1;
    for (;;) {
      const token = this.tokenAt(at);
      if (token.kind === 'name' || (token.kind === 'keyword' && isTypeKeyword(token.text))) at++;
      else if (token.kind !== 'operator') return -1;
      else if (token.text === '<') {
        depth++;
        at++;
      } else if (token.text === '>') {
        at++;
        if (--depth === 0) return at;
      } else if (token.text === '[' && isOperator(this.tokenAt(at + 1), ']')) at += 2;
      else if (token.text === '.' || token.text === ',' || token.text === '?' || token.text === '&') at++;
      else return -1;
    }
  }

  /** Whether the text of a type tells that it is one: `Foo`, `a.Foo`, `int`, `List<x>`, `foo[]`. */
  looksLikeType(end: number): boolean {
    const last = this.tokenAt(end - 1);
    if (last.kind !== 'name') return true;
    return /^\p{Lu}/u.test(last.text);
  }
}

export function isOperator(token: Token, text: string): boolean {
  return token.kind === 'operator' && token.text === text;
}

function isTypeKeyword(text: string): boolean {
  return PRIMITIVES.has(text) || text === 'extends' || text === 'super';
}
