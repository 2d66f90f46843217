import type { Expression } from './ast.ts';
import { pathText } from './path-text.ts';
import { PrimaryParser } from './primary-parser.ts';
import { PRIMITIVES } from './token.ts';
import { isOperator } from './token-cursor.ts';

/** Longer chains would be too deep for whoever walks the tree. */
export const LONGEST_CHAIN = 400;
export const ARGUMENT_KEYWORDS = new Set('new this super null true false switch'.split(' '));

/** What stands behind a value: properties, indexes, calls, closures. */
export abstract class PostfixParser extends PrimaryParser {
  protected startsArgument(): boolean {
    const { kind, text, startsLine } = this.token;
    if (startsLine) return false;
    if (kind === 'name' || kind === 'number' || kind === 'string' || kind === 'textStart') return true;
    if (kind === 'keyword') return ARGUMENT_KEYWORDS.has(text) || PRIMITIVES.has(text);
    if (kind !== 'operator') return false;
    if (text === '!') return true;
    return text === '[' && isOperator(this.peek(2), ':')
      ? true
      : text === '[' && isOperator(this.peek(), ':');
  }

  /** Members, indexes and calls behind a value. */
  protected postfix(first: Expression): Expression {
    let value = first;
    for (let links = 0; ; links++) {
      if (links > LONGEST_CHAIN) throw this.tooLong();
      const next = this.#postfixStep(value);
      if (next === undefined) return value;
      value = next;
    }
  }

  #postfixStep(object: Expression): Expression | undefined {
    const { kind, text, at, startsLine } = this.token;
    if (kind !== 'operator') return undefined;
    switch (text) {
      case '.':
      case '?.':
      case '*.': {
        this.take();
        if (text === '.' && this.is('<'))
          this.index = Math.max(this.index, this.skipTypeArguments(this.index));
        const isField = this.takeIf('@');
        return { kind: 'property', object, name: this.#memberName(), access: text, isField, at };
      }
      case '.@':
        this.take();
        return { kind: 'property', object, name: this.#memberName(), access: '.', isField: true, at };
      case '.&':
      case '::': {
        this.take();
        return { kind: 'methodPointer', object, name: this.#memberName(), at };
      }
      case '[':
      case '?[':
        if (startsLine) return undefined;
        return this.startsArgument() && text === '[' && object.kind === 'name'
          ? undefined
          : this.#index(object);
      case '(':
        if (startsLine) return undefined;
        return { kind: 'call', callee: object, args: this.arguments(), at: object.at };
      case '{':
        return this.#takesClosure(object) ? this.#withClosure(object) : undefined;
      default:
        return undefined;
    }
  }

  #takesClosure(object: Expression): boolean {
    const { kind } = object;
    // `'static' { … }` calls a method whose name is no name of Groovy.
    if (kind === 'constant') return typeof object.value === 'string' && !this.token.startsLine;
    return kind === 'name' || kind === 'property' || kind === 'call';
  }

  /** A closure behind a call is its last argument. */
  #withClosure(target: Expression): Expression {
    const isBehindCall =
      target.kind === 'call' && (isOperator(this.previous, ')') || isOperator(this.previous, '}'));
    const closure = { value: this.closure() };
    if (isBehindCall && target.kind === 'call') return { ...target, args: [...target.args, closure] };
    return { kind: 'call', callee: target, args: [closure], at: target.at };
  }

  #memberName(): string | Expression {
    const { kind, text } = this.token;
    if (kind === 'name' || kind === 'keyword' || kind === 'string') {
      this.take();
      return text;
    }
    if (kind === 'textStart') return this.text();
    if (this.is('(')) return this.primary();
    throw this.unexpected('The name of a property or method is missing.');
  }

  #index(object: Expression): Expression {
    const { text, at } = this.take();
    if (this.is(']') && (object.kind === 'name' || object.kind === 'property')) {
      this.take();
      const name = pathText(object);
      if (name !== undefined) return { kind: 'name', name: `${name}[]`, at: object.at };
    }
    const args: Expression[] = [];
    while (!this.is(']')) {
      if (args.length > 0) this.expect(',');
      const { key, value } = this.argument();
      if (key !== undefined) throw this.source.errorAt(key.at, 'An index has no key');
      args.push(value);
    }
    this.expect(']');
    return { kind: 'index', object, args, isSafe: text === '?[', at };
  }

  protected tooLong() {
    return this.source.errorAt(
      this.token.at,
      'The expression is too long',
      'Split it over several variables.',
    );
  }
}
