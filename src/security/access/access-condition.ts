import { CONDITIONS } from './conditions.ts';

/**
 * What a rule's `customAuthz` says: a combination of known functions, which is decided here, or any other
 * expression, which a script decides.
 */
export type AccessCondition =
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly unknown[] }
  | { readonly kind: 'not'; readonly of: AccessCondition }
  | { readonly kind: 'and' | 'or'; readonly of: readonly [AccessCondition, AccessCondition] }
  | { readonly kind: 'script'; readonly source: string };

/** Never fails: what is not understood is left to a script. */
export function parseCondition(source: string): AccessCondition {
  const parser = new ConditionParser(source);
  return parser.parse() ?? { kind: 'script', source };
}

export function needsScript(condition: AccessCondition | null): boolean {
  if (condition === null || condition.kind === 'call') return false;
  if (condition.kind === 'script') return true;
  return condition.kind === 'not' ? needsScript(condition.of) : condition.of.some(needsScript);
}

const TOKEN = /\s*(?:(&&|\|\||[!(),[\]])|([A-Za-z_$][\w$]*)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S))/y;

interface Token {
  readonly kind: 'sign' | 'name' | 'text' | 'other' | 'end';
  readonly text: string;
}

/** `!`, `&&`, `||`, brackets, and calls of known functions with texts, flags and lists of them. */
class ConditionParser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(source: string) {
    this.#tokens = tokenize(source);
  }

  /** @returns null when it is anything else */
  parse(): AccessCondition | null {
    const condition = this.#or();
    return this.#peek().kind === 'end' ? condition : null;
  }

  #or(): AccessCondition | null {
    return this.#binary('||', 'or', () => this.#binary('&&', 'and', () => this.#unary()));
  }

  #binary(sign: string, kind: 'and' | 'or', operand: () => AccessCondition | null): AccessCondition | null {
    let left = operand();
    while (left !== null && this.#take(sign)) {
      const right = operand();
      left = right === null ? null : { kind, of: [left, right] };
    }
    return left;
  }

  #unary(): AccessCondition | null {
    if (this.#take('!')) {
      const of = this.#unary();
      return of === null ? null : { kind: 'not', of };
    }
    if (!this.#take('(')) return this.#call();
    const inner = this.#or();
    return this.#take(')') ? inner : null;
  }

  #call(): AccessCondition | null {
    const { kind, text: name } = this.#next();
    if (kind !== 'name' || !Object.hasOwn(CONDITIONS, name) || !this.#take('(')) return null;
    const args = this.#values(')');
    return args === null ? null : { kind: 'call', name, args };
  }

  #values(end: string): unknown[] | null {
    const values: unknown[] = [];
    if (this.#take(end)) return values;
    do {
      const value = this.#value();
      if (value === undefined) return null;
      values.push(value);
    } while (this.#take(','));
    return this.#take(end) ? values : null;
  }

  #value(): unknown {
    if (this.#take('[')) return this.#values(']') ?? undefined;
    const { kind, text } = this.#next();
    if (kind === 'text') return text;
    return kind === 'name' ? WORDS.get(text) : undefined;
  }

  #peek(): Token {
    return this.#tokens[this.#at]!;
  }

  #next(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#at += 1;
    return token;
  }

  #take(sign: string): boolean {
    const { kind, text } = this.#peek();
    if (kind !== 'sign' || text !== sign) return false;
    this.#at += 1;
    return true;
  }
}

const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  for (let match = pattern.exec(source); match !== null; match = pattern.exec(source)) {
    const [, sign, name, single, double, other] = match;
    const text = single ?? double;
    if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
    // A text with an escape is left to a script, which knows what it means.
    else if (text !== undefined && !text.includes('\\')) tokens.push({ kind: 'text', text });
    else tokens.push({ kind: 'other', text: other ?? '' });
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}
