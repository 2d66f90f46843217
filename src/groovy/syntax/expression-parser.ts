import type { Argument, Expression } from './ast.ts';
import { ARGUMENT_KEYWORDS, LONGEST_CHAIN, PostfixParser } from './postfix-parser.ts';
import { isOperator } from './token-cursor.ts';

/** Binding strength of the binary operators; all of them bind to the left. */
const STRENGTH: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '|': 3,
  '^': 4,
  '&': 5,
  '=~': 6,
  '==~': 6,
  '==': 7,
  '!=': 7,
  '===': 7,
  '!==': 7,
  '<=>': 7,
  '<': 8,
  '<=': 8,
  '>': 8,
  '>=': 8,
  in: 8,
  '!in': 8,
  instanceof: 9,
  '!instanceof': 9,
  as: 9,
  '<<': 10,
  '>>': 10,
  '>>>': 10,
  '..': 10,
  '..<': 10,
  '<..': 10,
  '<..<': 10,
  '+': 11,
  '-': 11,
  '*': 12,
  '/': 12,
  '%': 12,
};
const ASSIGNMENTS = new Set('= += -= *= /= %= **= <<= &= |= ^= ?='.split(' '));

interface Operator {
  readonly text: string;
  readonly tokens: number;
}

export abstract class ExpressionParser extends PostfixParser {
  protected expression(): Expression {
    return this.nested(() => this.#assignment());
  }

  /** Also `name value, value`, a call without brackets. */
  protected expressionOrCommand(): Expression {
    let value = this.expression();
    if (!this.#isCommandTarget(value)) return value;
    for (let links = 0; this.startsArgument(); links++) {
      if (links > LONGEST_CHAIN) throw this.tooLong();
      // In `a b c d` the third word is a method of what the first call gives.
      if (value.kind === 'call' && this.token.kind === 'name') {
        const { text, at } = this.take();
        value = { kind: 'property', object: value, name: text, access: '.', isField: false, at };
        value = this.postfix(value);
        if (!this.#isCommandTarget(value) || !this.startsArgument()) continue;
      }
      value = { kind: 'call', callee: value, args: this.#commandArguments(), at: value.at };
    }
    return value;
  }

  #isCommandTarget(value: Expression): boolean {
    if (value.kind === 'call' || value.kind === 'index') return true;
    const isQuoted = value.kind === 'constant' && typeof value.value === 'string';
    const isPath = value.kind === 'name' || value.kind === 'property' || isQuoted;
    return isPath && !isOperator(this.previous, ')');
  }

  #commandArguments(): Argument[] {
    const args = [this.argument()];
    while (this.takeIf(',')) args.push(this.argument());
    return args;
  }

  #assignment(): Expression {
    const target = this.#choice();
    const operator = this.#assignmentOperator();
    if (operator === undefined) return target;
    const { at } = this.token;
    this.index += operator.tokens;
    if (target.kind === 'list' && operator.text === '=' && this.tokens[this.index - 2]?.text === ')') {
      return { kind: 'assignMany', targets: target.items, value: this.expressionOrCommand(), at };
    }
    if (target.kind !== 'name' && target.kind !== 'property' && target.kind !== 'index') {
      throw this.source.errorAt(
        target.at,
        'The left side of an assignment must be a variable, a property or an index',
      );
    }
    return { kind: 'assign', operator: operator.text, target, value: this.expressionOrCommand(), at };
  }

  #assignmentOperator(): Operator | undefined {
    if (this.token.kind !== 'operator') return undefined;
    const { text } = this.token;
    if (ASSIGNMENTS.has(text)) return { text, tokens: 1 };
    // `>` is always a token of its own.
    if (text !== '>' || !this.#isAdjacent(1, '>')) return undefined;
    const third = this.#isAdjacent(2, '>') && this.#isAdjacent(3, '=');
    if (third) return { text: '>>>=', tokens: 4 };
    return this.#isAdjacent(2, '=') ? { text: '>>=', tokens: 3 } : undefined;
  }

  #isAdjacent(distance: number, text: string): boolean {
    const token = this.peek(distance);
    return isOperator(token, text) && token.at === this.peek(distance - 1).end;
  }

  #choice(): Expression {
    const test = this.#binary(1);
    const { at } = this.token;
    if (this.takeIf('?:')) return { kind: 'choice', test, otherwise: this.nested(() => this.#choice()), at };
    if (!this.is('?')) return test;
    this.take();
    const arrowEndsCase = this.arrowEndsCase;
    const then = this.expression();
    this.arrowEndsCase = arrowEndsCase;
    this.expect(':');
    return { kind: 'choice', test, then, otherwise: this.expression(), at };
  }

  #binary(least: number): Expression {
    let left = this.#unary();
    for (let links = 0; ; links++) {
      const operator = this.#binaryOperator();
      const strength = operator === undefined ? 0 : STRENGTH[operator.text]!;
      if (operator === undefined || strength < least) return left;
      if (links > LONGEST_CHAIN) throw this.tooLong();
      const { at } = this.token;
      this.index += operator.tokens;
      left = this.#combine(left, operator.text, at, strength);
    }
  }

  #combine(left: Expression, operator: string, at: number, strength: number): Expression {
    switch (operator) {
      case 'as':
        return { kind: 'as', type: this.typeName(), value: left, at };
      case 'instanceof':
      case '!instanceof':
        return {
          kind: 'instanceof',
          type: this.typeName(),
          value: left,
          isNegated: operator.startsWith('!'),
          at,
        };
      case '..':
      case '..<':
      case '<..':
      case '<..<':
        return {
          kind: 'range',
          from: left,
          to: this.#binary(strength + 1),
          opensLeft: operator.startsWith('<'),
          opensRight: operator.endsWith('<'),
          at,
        };
      default:
        return { kind: 'binary', operator, left, right: this.nested(() => this.#binary(strength + 1)), at };
    }
  }

  #binaryOperator(): Operator | undefined {
    const { kind, text, startsLine } = this.token;
    if (kind === 'keyword') {
      return text === 'in' || text === 'as' || text === 'instanceof' ? { text, tokens: 1 } : undefined;
    }
    if (kind !== 'operator') return undefined;
    if (text === '!') {
      const next = this.peek();
      const isNegated = next.kind === 'keyword' && next.at === this.token.end;
      if (isNegated && (next.text === 'in' || next.text === 'instanceof')) {
        return { text: `!${next.text}`, tokens: 2 };
      }
      return undefined;
    }
    if (text === '>') {
      if (this.#isAdjacent(1, '>')) {
        const isTriple = this.#isAdjacent(2, '>');
        if (this.#assignmentOperator() !== undefined) return undefined;
        return isTriple ? { text: '>>>', tokens: 3 } : { text: '>>', tokens: 2 };
      }
      return this.#isAdjacent(1, '=') ? { text: '>=', tokens: 2 } : { text, tokens: 1 };
    }
    if ((text === '+' || text === '-') && startsLine) return undefined;
    return text in STRENGTH ? { text, tokens: 1 } : undefined;
  }

  #unary(): Expression {
    const { kind, text, at } = this.token;
    if (kind === 'operator' && (text === '+' || text === '-')) {
      this.take();
      // The sign of a number is part of it, so that the smallest integers can be written.
      if (
        this.token.kind === 'number' &&
        text === '-' &&
        !isOperator(this.peek(), '**') &&
        !this.#isCalled(1)
      ) {
        return { kind: 'number', text: `-${this.take().text}`, at };
      }
      return { kind: 'unary', operator: text, value: this.nested(() => this.#unary()), at };
    }
    if (kind === 'operator' && (text === '++' || text === '--')) {
      this.take();
      const target = this.nested(() => this.#unary());
      return { kind: 'step', operator: text, isPrefix: true, target, at };
    }
    return this.#power();
  }

  #isCalled(distance: number): boolean {
    const { kind, text } = this.peek(distance);
    return (
      kind === 'operator' && (text === '.' || text === '?.' || text === '[' || text === '++' || text === '--')
    );
  }

  #power(): Expression {
    let left = this.#prefix();
    for (let links = 0; this.is('**'); links++) {
      if (links > LONGEST_CHAIN) throw this.tooLong();
      const { at } = this.take();
      const right = this.nested(() => (this.is('-') || this.is('+') ? this.#unary() : this.#prefix()));
      left = { kind: 'binary', operator: '**', left, right, at };
    }
    return left;
  }

  /** `!x`, `~x`, `(Type) x`, and what stands behind them. */
  #prefix(): Expression {
    const { kind, text, at } = this.token;
    if (kind === 'operator' && (text === '!' || text === '~')) {
      this.take();
      const value = this.nested(() => (this.is('-') || this.is('+') ? this.#unary() : this.#prefix()));
      return { kind: 'unary', operator: text, value, at };
    }
    if (kind === 'operator' && text === '(' && this.#isCast()) {
      this.take();
      const type = this.typeName();
      this.expect(')');
      const value = this.nested(() =>
        this.is('+') || this.is('-') || this.is('++') || this.is('--') ? this.#unary() : this.#prefix(),
      );
      return { kind: 'cast', type, value, at };
    }
    if (kind === 'operator' && text === '(' && this.#isTargetList()) return this.#targetList();
    const value = this.postfix(this.primary());
    if ((this.is('++') || this.is('--')) && !this.token.startsLine) {
      const step = this.take();
      const operator = step.text as '++' | '--';
      return { kind: 'step', operator, isPrefix: false, target: value, at: step.at };
    }
    return value;
  }

  #isCast(): boolean {
    const end = this.skipType(this.index + 1);
    if (end < 0 || end !== this.token.closedBy || !this.looksLikeType(end)) return false;
    const next = this.tokens[end + 1]!;
    const isPrimitive = this.tokens[this.index + 1]!.kind === 'keyword';
    if (next.startsLine) return false;
    if (next.kind === 'operator') {
      return '([{!~'.includes(next.text) || (isPrimitive && ['+', '-', '++', '--'].includes(next.text));
    }
    if (next.kind === 'keyword') return ARGUMENT_KEYWORDS.has(next.text);
    return next.kind !== 'end' && next.kind !== 'textPart';
  }

  /** `(a, b) = …`. */
  #isTargetList(): boolean {
    const close = this.token.closedBy;
    if (close === undefined || !isOperator(this.tokens[close + 1]!, '=')) return false;
    return isOperator(this.tokens[this.index + 2]!, ',') || close > this.index + 2;
  }

  #targetList(): Expression {
    const { at } = this.expect('(');
    const items: Expression[] = [];
    do items.push(this.postfix(this.primary()));
    while (this.takeIf(','));
    this.expect(')');
    return { kind: 'list', items, at };
  }
}
