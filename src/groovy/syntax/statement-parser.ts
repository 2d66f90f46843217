import type {
  ClassDeclaration,
  Expression,
  Handler,
  MethodDeclaration,
  Parameter,
  Statement,
} from './ast.ts';
import { SwitchParser } from './switch-parser.ts';
import { MODIFIERS } from './token.ts';
import { isOperator } from './token-cursor.ts';

export abstract class StatementParser extends SwitchParser {
  protected abstract isMethodDeclaration(): boolean;
  protected abstract methodDeclaration(): MethodDeclaration;
  protected abstract isClassDeclaration(): boolean;
  protected abstract classDeclaration(): ClassDeclaration;

  protected statement(): Statement {
    return this.nested(() => this.#statement());
  }

  #statement(): Statement {
    const { kind, text, at } = this.token;
    if (kind === 'keyword') {
      const statement = this.#keywordStatement(text, at);
      if (statement !== undefined) return statement;
    }
    if (kind === 'name') {
      if (isOperator(this.peek(), ':')) return this.#labeled();
      if (
        text === 'yield' &&
        this.switchValues > 0 &&
        !this.peek().startsLine &&
        this.peek().kind !== 'operator'
      ) {
        this.take();
        return { kind: 'yield', value: this.expressionOrCommand(), at };
      }
    }
    if (kind === 'operator' && text === '{' && !this.#isClosureAhead()) {
      return { kind: 'block', body: this.block(), at };
    }
    if (kind === 'operator' && text === ';') return { kind: 'block', body: [], at };
    if (this.isClassDeclaration()) return this.classDeclaration();
    if (this.isMethodDeclaration()) return this.methodDeclaration();
    if (this.isVariableDeclaration()) return this.variables();
    return { kind: 'expression', value: this.expressionOrCommand(), at };
  }

  #keywordStatement(keyword: string, at: number): Statement | undefined {
    switch (keyword) {
      case 'if':
        return this.#if();
      case 'while': {
        this.take();
        const test = this.condition();
        return { kind: 'while', test, body: this.body(), at };
      }
      case 'do':
        return this.#doWhile();
      case 'for':
        return this.#for();
      case 'switch': {
        const statement = this.switchStatement();
        return statement;
      }
      case 'try':
        return this.#try();
      case 'return': {
        this.take();
        const isEmpty = this.is(';') || this.is('}') || this.isAtEnd || this.token.startsLine;
        return isEmpty ? { kind: 'return', at } : { kind: 'return', value: this.expressionOrCommand(), at };
      }
      case 'throw':
        this.take();
        return { kind: 'throw', value: this.expressionOrCommand(), at };
      case 'break':
      case 'continue': {
        this.take();
        const hasLabel = this.token.kind === 'name' && !this.token.startsLine;
        return hasLabel ? { kind: keyword, label: this.take().text, at } : { kind: keyword, at };
      }
      case 'assert':
        return this.#assert();
      case 'synchronized':
        if (!isOperator(this.peek(), '(')) return undefined;
        this.take();
        this.condition();
        return { kind: 'block', body: this.block(), at };
      case 'import':
        throw this.source.errorAt(at, 'An import must stand before everything else');
      case 'package':
        throw this.source.errorAt(at, "'package' must stand at the beginning");
      case 'goto':
      case 'const':
        throw this.source.errorAt(at, `'${keyword}' is reserved and means nothing`);
      default:
        return undefined;
    }
  }

  #labeled(): Statement {
    const { text, at } = this.take();
    this.expect(':');
    return { kind: 'labeled', label: text, body: this.statement(), at };
  }

  /** A `{` with parameters, or whose block is called at once. */
  #isClosureAhead(): boolean {
    const close = this.token.closedBy;
    if (close !== undefined) {
      const next = this.tokens[close + 1]!;
      if (isOperator(next, '(') && !next.startsLine) return true;
      if (isOperator(next, '.')) return true;
    }
    const from = this.index;
    this.index++;
    let at = this.index;
    while (this.tokens[at]!.kind !== 'operator' && this.tokens[at]!.kind !== 'end' && at < from + 4) at++;
    const isPlain = isOperator(this.tokens[at]!, '->') || isOperator(this.tokens[at]!, ',');
    this.index = from;
    return isPlain;
  }

  #if(): Statement {
    const { at } = this.take();
    const test = this.condition();
    const then = this.body();
    const separator = this.is(';') && this.peek().kind === 'keyword' && this.peek().text === 'else';
    if (separator) this.take();
    if (!this.takeKeywordIf('else')) return { kind: 'if', test, then, at };
    return { kind: 'if', test, then, otherwise: this.body(), at };
  }

  #doWhile(): Statement {
    const { at } = this.take();
    const body = this.body();
    this.takeIf(';');
    if (!this.takeKeywordIf('while')) throw this.unexpected("The 'while' of the loop is missing.");
    return { kind: 'doWhile', test: this.condition(), body, at };
  }

  #for(): Statement {
    const { at } = this.take();
    if (!this.is('(')) throw this.unexpected("'(' is missing.");
    const close = this.token.closedBy ?? this.index;
    const isClassic = this.#hasSemicolon(this.index + 1, close);
    this.take();
    if (!isClassic) {
      const variable = this.#loopVariable();
      const list = this.expression();
      this.expect(')');
      return { kind: 'forIn', variable, list, body: this.body(), at };
    }
    const start = this.is(';') ? [] : this.#forStart();
    this.expect(';');
    const test = this.is(';') ? undefined : this.expression();
    this.expect(';');
    const steps: Expression[] = [];
    while (!this.is(')')) {
      if (steps.length > 0) this.expect(',');
      steps.push(this.expression());
    }
    this.expect(')');
    return { kind: 'for', start, ...(test === undefined ? {} : { test }), steps, body: this.body(), at };
  }

  #hasSemicolon(from: number, to: number): boolean {
    for (let at = from; at < to; at++) {
      const token = this.tokens[at]!;
      if (isOperator(token, ';')) return true;
      if (token.kind === 'operator' && token.closedBy !== undefined) at = token.closedBy;
    }
    return false;
  }

  #forStart(): Statement[] {
    if (this.isVariableDeclaration()) return [this.variables()];
    const statements: Statement[] = [];
    do {
      const value = this.expression();
      statements.push({ kind: 'expression', value, at: value.at });
    } while (this.takeIf(','));
    return statements;
  }

  #loopVariable(): Parameter {
    this.annotations();
    while (this.token.kind === 'keyword' && (MODIFIERS.has(this.token.text) || this.token.text === 'def'))
      this.take();
    const end = this.skipType(this.index);
    const type = end >= 0 && this.tokens[end]!.kind === 'name' ? this.typeName() : undefined;
    const { text, at } = this.expectName();
    if (!this.takeKeywordIf('in')) this.expect(':');
    const typed = type === undefined || type.name === 'var' ? {} : { type };
    return { name: text, ...typed, isRest: false, at };
  }

  #try(): Statement {
    const { at } = this.take();
    const resources = this.is('(') ? this.#resources() : [];
    const body = this.block();
    const handlers: Handler[] = [];
    while (this.isKeyword('catch')) handlers.push(this.#handler());
    const finalizer = this.takeKeywordIf('finally') ? this.block() : undefined;
    if (handlers.length === 0 && finalizer === undefined && resources.length === 0) {
      throw this.source.errorAt(at, "'try' has neither 'catch' nor 'finally'");
    }
    return { kind: 'try', resources, body, handlers, ...(finalizer === undefined ? {} : { finalizer }), at };
  }

  /** What stands in the parentheses behind `try`. */
  #resources(): Statement[] {
    this.expect('(');
    const resources: Statement[] = [];
    do {
      if (this.is(')')) break;
      const { at } = this.token;
      resources.push(
        this.isVariableDeclaration()
          ? this.variables()
          : { kind: 'expression', value: this.expression(), at },
      );
    } while (this.takeIf(';'));
    this.expect(')');
    return resources;
  }

  #handler(): Handler {
    const { at } = this.take();
    this.expect('(');
    while (this.isKeyword('final') || this.isKeyword('def')) this.take();
    const types = [];
    if (!isOperator(this.peek(), ')')) {
      do types.push(this.typeName());
      while (this.takeIf('|'));
    }
    const name = this.expectName().text;
    this.expect(')');
    return { types, name, body: this.block(), at };
  }

  #assert(): Statement {
    const { at } = this.take();
    const from = this.token.at;
    const test = this.expression();
    const text = this.source.text.slice(from, this.previous.end);
    const hasMessage = this.takeIf(':') || this.takeIf(',');
    return { kind: 'assert', test, text, ...(hasMessage ? { message: this.expression() } : {}), at };
  }
}
