import { didYouMean } from '#errors/index.ts';
import { lastOf } from '#json/index.ts';
import { ExpressionError } from './expression-error.ts';
import type { BinaryOperator, Expression, Node } from './node.ts';
import { operatorOf, readTokens, type Token } from './token.ts';
import { functionNames, isFunctionPrefix, resolveFunction } from './variable-function.ts';

const MAX_LENGTH = 10_000;
const MAX_DEPTH = 60;
/** Long chains of operators nest to the left when they are evaluated. */
const MAX_TOKENS = 1000;

const BINDING: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '>': 4,
  '<=': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
};

/**
 * Reads an attribute value of a process file: text, with any number of `${…}` or `#{…}` in it. The grammar is
 * that of JUEL without lambdas and assignments.
 *
 * @throws ExpressionError with the position of the mistake
 */
export function parseExpression(text: string): Expression {
  if (text.length > MAX_LENGTH) {
    throw new ExpressionError(text, MAX_LENGTH, `has more than ${MAX_LENGTH} characters`);
  }
  const parts: (string | Node)[] = [];
  let at = 0;
  while (at < text.length) {
    const start = nextStart(text, at);
    if (start > at) parts.push(text.slice(at, start));
    if (start === text.length) break;
    const tokens = readTokens(text, start + 2);
    parts.push(new Parser(text, tokens).parse());
    at = lastOf(tokens).at + 1;
  }
  return { text, parts };
}

function nextStart(text: string, from: number): number {
  const offset = text.slice(from).search(/[$#]\{/);
  return offset === -1 ? text.length : from + offset;
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text;
    this.#tokens = tokens;
  }

  parse(): Node {
    if (this.#tokens.length > MAX_TOKENS) throw this.#error(`has more than ${MAX_TOKENS} parts`);
    const node = this.#conditional();
    this.#expect('}');
    return node;
  }

  /** The last one is the end, which nothing goes beyond. */
  #token(): Token {
    return this.#tokens[this.#next] ?? lastOf(this.#tokens);
  }

  #conditional(): Node {
    if (++this.#depth > MAX_DEPTH) throw this.#error('is nested too deeply');
    const test = this.#binary(0);
    let node = test;
    if (this.#accept('?')) {
      const yes = this.#conditional();
      this.#expect(':');
      node = { kind: 'conditional', at: test.at, test, yes, no: this.#conditional() };
    }
    this.#depth--;
    return node;
  }

  #binary(minimum: number): Node {
    let left = this.#unary();
    for (;;) {
      const token = this.#token();
      const operator = operatorOf(token) ?? '';
      const binding = Object.hasOwn(BINDING, operator) ? (BINDING[operator] ?? 0) : 0;
      if (binding <= minimum) return left;
      this.#next++;
      const right = this.#binary(binding);
      left = { kind: 'binary', at: token.at, operator: operator as BinaryOperator, left, right };
    }
  }

  #unary(): Node {
    const token = this.#token();
    const operator = operatorOf(token);
    if (operator !== '!' && operator !== '-' && operator !== 'empty') return this.#postfix();
    if (++this.#depth > MAX_DEPTH) throw this.#error('is nested too deeply');
    this.#next++;
    const node: Node = { kind: 'unary', at: token.at, operator, operand: this.#unary() };
    this.#depth--;
    return node;
  }

  #postfix(): Node {
    let node = this.#primary();
    for (;;) {
      const { at } = this.#token();
      if (this.#accept('.')) {
        const name = this.#name();
        node = this.#accept('(')
          ? { kind: 'call', at, object: node, method: name, args: this.#args() }
          : { kind: 'member', at, object: node, key: { kind: 'literal', at, value: name } };
      } else if (this.#accept('[')) {
        node = { kind: 'member', at, object: node, key: this.#conditional() };
        this.#expect(']');
      } else {
        return node;
      }
    }
  }

  #primary(): Node {
    const token = this.#token();
    if (token.kind === 'number' || token.kind === 'string') {
      this.#next++;
      return { kind: 'literal', at: token.at, value: token.value };
    }
    if (this.#accept('(')) {
      const node = this.#conditional();
      this.#expect(')');
      return node;
    }
    const name = this.#name();
    if (name === 'true' || name === 'false') return { kind: 'literal', at: token.at, value: name === 'true' };
    if (name === 'null') return { kind: 'literal', at: token.at, value: null };
    const following = operatorOf(this.#tokens[this.#next]);
    if (following === ':' && operatorOf(this.#tokens[this.#next + 2]) === '(') {
      if (isFunctionPrefix(name)) return this.#function(name, token.at);
      if (name === 'task') return this.#taskFunction(token.at);
    }
    if (following === '(') {
      throw this.#error(
        `calls a function '${name}' without a prefix`,
        'Functions are written vars:get(name)',
      );
    }
    return { kind: 'name', at: token.at, name };
  }

  /** The first argument is the name of a variable, usually without quotes. */
  #function(prefix: string, at: number): Node {
    this.#next++;
    const written = this.#name();
    const name = resolveFunction(written);
    if (name === undefined) {
      const hint = didYouMean(written, functionNames());
      throw new ExpressionError(this.#text, at, `calls an unknown function '${prefix}:${written}'`, hint);
    }
    this.#expect('(');
    const args = this.#args();
    const [first, ...rest] = args;
    if (first === undefined) throw new ExpressionError(this.#text, at, 'names no variable for its function');
    const named: Node = first.kind === 'name' ? { kind: 'literal', at: first.at, value: first.name } : first;
    return { kind: 'function', at, name, args: [named, ...rest] };
  }

  /** `task:get(id)`, the only one of its kind. */
  #taskFunction(at: number): Node {
    this.#next++;
    const written = this.#name();
    this.#expect('(');
    const [id, ...others] = this.#args();
    if (written !== 'get' || id === undefined || others.length > 0) {
      throw new ExpressionError(
        this.#text,
        at,
        `calls an unknown function 'task:${written}'`,
        'Write task:get(id)',
      );
    }
    return { kind: 'task', at, id };
  }

  #args(): Node[] {
    const args: Node[] = [];
    if (this.#accept(')')) return args;
    do args.push(this.#conditional());
    while (this.#accept(','));
    this.#expect(')');
    return args;
  }

  #name(): string {
    const token = this.#token();
    if (token.kind !== 'name') throw this.#error(`has '${token.value}' where a name is expected`);
    this.#next++;
    return token.value;
  }

  #accept(sign: string): boolean {
    const token = this.#tokens[this.#next];
    if (token?.kind !== 'sign' || token.value !== sign) return false;
    this.#next++;
    return true;
  }

  #expect(sign: string): void {
    if (this.#accept(sign)) return;
    throw this.#error(`has '${this.#tokens[this.#next]?.value ?? ''}' where '${sign}' is expected`);
  }

  #error(problem: string, hint?: string): ExpressionError {
    const token = this.#tokens[this.#next] ?? this.#tokens.at(-1);
    return new ExpressionError(this.#text, token?.at ?? 0, problem, hint);
  }
}
