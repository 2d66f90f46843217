import type {
  Argument,
  ClassDeclaration,
  Expression,
  MapEntry,
  Parameter,
  Statement,
  SwitchStatement,
} from './ast.ts';
import { MODIFIERS, PRIMITIVES, type Token } from './token.ts';
import { isOperator, TokenCursor } from './token-cursor.ts';

/** Literals, names, closures, `new`, and the lists of arguments and parameters. */
export abstract class PrimaryParser extends TokenCursor {
  /** In `case x -> y` the arrow is not that of a closure. */
  protected arrowEndsCase = false;

  protected abstract expression(): Expression;
  protected abstract expressionOrCommand(): Expression;
  protected abstract statementsUntilBrace(): Statement[];
  protected abstract classBody(name: string, at: number): ClassDeclaration;
  protected abstract switchStatement(): SwitchStatement;
  protected abstract annotations(): Set<string>;

  protected primary(): Expression {
    const token = this.token;
    const { at, text } = token;
    switch (token.kind) {
      case 'number':
        this.take();
        return { kind: 'number', text, at };
      case 'string':
        this.take();
        return { kind: 'constant', value: text, at };
      case 'textStart':
        return this.text();
      case 'name':
        if (isOperator(this.peek(), '->') && !this.arrowEndsCase) return this.lambda();
        this.take();
        return { kind: 'name', name: text, at };
      case 'keyword':
        return this.#keywordValue(token);
      case 'operator':
        if (text === '(') return this.#parenthesized();
        if (text === '[') return this.#listOrMap();
        if (text === '{') return this.closure();
        throw this.unexpected();
      default:
        throw this.unexpected();
    }
  }

  #keywordValue({ text, at }: Token): Expression {
    switch (text) {
      case 'null':
        this.take();
        return { kind: 'constant', value: null, at };
      case 'true':
      case 'false':
        this.take();
        return { kind: 'constant', value: text === 'true', at };
      case 'this':
      case 'super':
        this.take();
        return { kind: text, at };
      case 'new':
        return this.#newValue();
      case 'switch':
        return { kind: 'switchValue', statement: this.switchStatement(), at };
    }
    if (!PRIMITIVES.has(text)) throw this.unexpected();
    this.take();
    return { kind: 'name', name: text, at };
  }

  protected text(): Expression {
    const first = this.take();
    const strings = [first.text];
    const values: Expression[] = [];
    for (;;) {
      if (this.token.kind === 'textPart') values.push({ kind: 'constant', value: null, at: this.token.at });
      else if (this.is('->')) {
        this.take();
        const body: Statement = { kind: 'expression', value: this.expression(), at: this.token.at };
        values.push({ kind: 'closure', parameters: [], body: [body], at: body.at });
      } else values.push(this.#textValue());
      if (this.token.kind !== 'textPart') throw this.unexpected("The '}' of the value is missing.");
      const part = this.take();
      strings.push(part.text);
      if (part.isLast) return { kind: 'text', strings, values, at: first.at };
    }
  }

  /** A closure without parameters that is written into a text is what it gives. */
  #textValue(): Expression {
    const value = this.nested(() => this.expressionOrCommand());
    if (value.kind !== 'closure' || value.parameters !== undefined) return value;
    return { kind: 'call', callee: value, args: [], at: value.at };
  }

  #parenthesized(): Expression {
    const close = this.token.closedBy ?? this.index;
    if (isOperator(this.tokens[close + 1]!, '->') && !this.arrowEndsCase) return this.lambda();
    this.take();
    const arrowEndsCase = this.arrowEndsCase;
    this.arrowEndsCase = false;
    const value = this.expressionOrCommand();
    this.arrowEndsCase = arrowEndsCase;
    this.expect(')');
    return value;
  }

  /** `x -> value`, `(x, y) -> { … }`: a closure by another spelling. */
  protected lambda(): Expression {
    const { at } = this.token;
    let parameters: Parameter[];
    if (this.token.kind === 'name') parameters = [{ name: this.take().text, isRest: false, at }];
    else {
      this.take();
      parameters = this.parameters(')');
      this.expect(')');
    }
    this.expect('->');
    return this.nested(() => {
      if (this.takeIf('{')) {
        const body = this.statementsUntilBrace();
        this.expect('}');
        return { kind: 'closure', parameters, body, at };
      }
      const value = this.expression();
      return { kind: 'closure', parameters, body: [{ kind: 'expression', value, at: value.at }], at };
    });
  }

  protected closure(): Expression {
    const { at } = this.expect('{');
    const arrow = this.#findArrow();
    let parameters: Parameter[] | undefined;
    if (arrow >= 0) {
      parameters = this.parameters('->');
      this.expect('->');
    }
    const arrowEndsCase = this.arrowEndsCase;
    this.arrowEndsCase = false;
    const body = this.nested(() => this.statementsUntilBrace());
    this.arrowEndsCase = arrowEndsCase;
    this.expect('}');
    return { kind: 'closure', ...(parameters === undefined ? {} : { parameters }), body, at };
  }

  /** Whether what stands behind a `{` are parameters: the place of their arrow, or -1. */
  #findArrow(): number {
    let at = this.index;
    if (isOperator(this.tokens[at]!, '->')) return at;
    for (;;) {
      at = this.#skipParameter(at);
      if (at < 0) return -1;
      const token = this.tokens[at]!;
      if (isOperator(token, '->')) return at;
      if (!isOperator(token, ',')) return -1;
      at++;
    }
  }

  #skipParameter(from: number): number {
    let at = from;
    while (isOperator(this.tokens[at]!, '@') && this.tokens[at + 1]!.kind === 'name') at += 2;
    while (isModifier(this.tokens[at]!)) at++;
    if (isOperator(this.tokens[at]!, '...')) at++;
    const typeEnd = this.skipType(at);
    if (typeEnd >= 0) {
      const next = this.tokens[typeEnd]!;
      if (next.kind === 'name' && (!next.startsLine || typeEnd === from)) at = typeEnd;
      else if (isOperator(next, '...') && this.tokens[typeEnd + 1]!.kind === 'name') at = typeEnd + 1;
    }
    if (this.tokens[at]!.kind !== 'name') return -1;
    at++;
    if (!isOperator(this.tokens[at]!, '=')) return at;
    for (at++; ; at++) {
      const token = this.tokens[at]!;
      if (token.kind === 'end' || token.startsLine) return -1;
      if (token.kind !== 'operator') continue;
      if (token.text === ',' || token.text === '->') return at;
      if (token.text === ';' || token.text === '}') return -1;
      if (token.closedBy !== undefined) at = token.closedBy;
    }
  }

  /** Up to the operator that ends the list, which stays. */
  protected parameters(end: ')' | '->'): Parameter[] {
    const parameters: Parameter[] = [];
    while (!this.is(end)) {
      if (parameters.length > 0) this.expect(',');
      parameters.push(this.#parameter());
    }
    return parameters;
  }

  #parameter(): Parameter {
    this.annotations();
    let isFinal = false;
    while (isModifier(this.token)) isFinal = this.take().text === 'final' || isFinal;
    const typeEnd = this.skipType(this.index);
    const next = typeEnd < 0 ? undefined : this.tokens[typeEnd]!;
    const hasType = next !== undefined && (next.kind === 'name' || isOperator(next, '...'));
    const type = hasType ? this.typeName() : undefined;
    const isRest = this.takeIf('...');
    const { text, at } = this.expectName();
    const byDefault = this.takeIf('=') ? this.expression() : undefined;
    return {
      name: text,
      ...(type === undefined || type.name === 'var' ? {} : { type }),
      ...(byDefault === undefined ? {} : { byDefault }),
      ...(isFinal ? { isFinal } : {}),
      isRest,
      at,
    };
  }

  #listOrMap(): Expression {
    const { at } = this.expect('[');
    if (this.is(':') && isOperator(this.peek(), ']')) {
      this.take();
      this.take();
      return { kind: 'map', entries: [], at };
    }
    const items: Argument[] = [];
    while (!this.is(']')) {
      if (items.length > 0) this.expect(',');
      if (this.is(']')) break;
      items.push(this.argument());
    }
    this.expect(']');
    if (!items.some(({ key }) => key !== undefined)) {
      return { kind: 'list', items: items.map(({ value }) => value), at };
    }
    const stray = items.find(({ key }) => key === undefined);
    if (stray !== undefined) throw this.source.errorAt(stray.value.at, 'A map has no entry without a key');
    return { kind: 'map', entries: items.map(toMapEntry), at };
  }

  /** What stands between the brackets of calls, lists and maps: `value`, `*list`, `key: value`, `*: map`. */
  protected argument(): Argument {
    const { at } = this.token;
    if (this.is('*')) {
      this.take();
      const isMap = this.takeIf(':');
      const value: Expression = { kind: 'spread', value: this.expression(), at };
      return isMap ? { key: value, value: value.value } : { value };
    }
    if (this.#isPlainKey()) {
      const { text, kind } = this.take();
      this.expect(':');
      const key: Expression =
        kind === 'number' ? { kind: 'number', text, at } : { kind: 'constant', value: text, at };
      return { key, value: this.#nestedExpression() };
    }
    const value = this.#nestedExpression();
    return this.takeIf(':') ? { key: value, value: this.#nestedExpression() } : { value };
  }

  #nestedExpression(): Expression {
    const arrowEndsCase = this.arrowEndsCase;
    this.arrowEndsCase = false;
    const value = this.nested(() => this.expression());
    this.arrowEndsCase = arrowEndsCase;
    return value;
  }

  #isPlainKey(): boolean {
    const { kind } = this.token;
    const isKey = kind === 'name' || kind === 'keyword' || kind === 'string' || kind === 'number';
    return isKey && isOperator(this.peek(), ':');
  }

  /** `(…)`. */
  protected arguments(): Argument[] {
    this.expect('(');
    const args: Argument[] = [];
    while (!this.is(')')) {
      if (args.length > 0) this.expect(',');
      if (this.is(')')) break;
      args.push(this.argument());
    }
    this.expect(')');
    return args;
  }

  #newValue(): Expression {
    const { at } = this.take();
    this.annotations();
    const typeAt = this.token.at;
    const type = this.typeName();
    if (type.dimensions > 0) {
      if (!this.is('{')) throw this.unexpected('The size of the array is missing.');
      return { kind: 'newArray', type, sizes: [], items: this.#arrayItems(), at };
    }
    if (this.is('[')) {
      const sizes: Expression[] = [];
      let dimensions = 0;
      while (this.takeIf('[')) {
        if (!this.is(']')) sizes.push(this.expression());
        this.expect(']');
        dimensions++;
      }
      return { kind: 'newArray', type: { ...type, dimensions }, sizes, at };
    }
    if (!this.is('(')) throw this.unexpected("The '(' of the constructor call is missing.");
    const args = this.arguments();
    if (!this.is('{') || this.token.startsLine) return { kind: 'new', type, args, at };
    return { kind: 'new', type, args, body: this.nested(() => this.classBody('', typeAt)), at };
  }

  #arrayItems(): Expression {
    const { at } = this.expect('{');
    const items: Expression[] = [];
    while (!this.is('}')) {
      if (items.length > 0) this.expect(',');
      if (this.is('}')) break;
      items.push(this.nested(() => (this.is('{') ? this.#arrayItems() : this.expression())));
    }
    this.expect('}');
    return { kind: 'list', items, at };
  }
}

function toMapEntry({ key, value }: Argument): MapEntry {
  return key === undefined || key.kind === 'spread' ? { value } : { key, value };
}

function isModifier({ kind, text }: Token): boolean {
  return kind === 'keyword' && (MODIFIERS.has(text) || text === 'def');
}
