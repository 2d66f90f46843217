import type { Statement, Variable } from './ast.ts';
import { ExpressionParser } from './expression-parser.ts';
import { MODIFIERS } from './token.ts';
import { isOperator } from './token-cursor.ts';

/** Declarations of variables, and what tells them from commands. */
export abstract class VariableParser extends ExpressionParser {
  protected isVariableDeclaration(): boolean {
    if (this.is('@') && this.peek().kind === 'name') return true;
    const { kind, text } = this.token;
    if (kind === 'keyword' && (text === 'def' || MODIFIERS.has(text))) return true;
    const end = this.skipType(this.index);
    if (end < 0) return false;
    const name = this.tokens[end]!;
    if (text === 'var' && end === this.index + 1 && !name.startsLine) {
      return (
        name.kind === 'name' ||
        (isOperator(name, '(') && isOperator(this.tokens[(name.closedBy ?? 0) + 1]!, '='))
      );
    }
    if (name.kind !== 'name' || name.startsLine) return false;
    const next = this.tokens[end + 1]!;
    if (isOperator(next, '=')) return true;
    if (!this.looksLikeType(end)) return false;
    if (next.startsLine || next.kind === 'end' || next.kind === 'textPart') return true;
    return next.kind === 'operator' && [',', ';', '}', ')', ':'].includes(next.text);
  }

  protected variables(): Statement {
    const { at } = this.token;
    const annotations = this.annotations();
    let isFinal = false;
    while (this.token.kind === 'keyword' && (MODIFIERS.has(this.token.text) || this.token.text === 'def')) {
      if (this.take().text === 'final') isFinal = true;
    }
    const isField = annotations.has('Field');
    const ofClass = ['Lazy', 'Delegate'].find((name) => annotations.has(name));
    if (ofClass !== undefined)
      throw this.source.errorAt(at, `The annotation @${ofClass} stands at fields of classes only`);
    if (this.token.text === 'var' && this.token.kind === 'name' && this.peek().kind !== 'keyword') {
      const next = this.peek();
      if (next.kind === 'name' || isOperator(next, '(')) this.take();
    }
    if (this.is('(')) {
      this.take();
      const variables: Variable[] = [];
      do variables.push(this.#variableName());
      while (this.takeIf(','));
      this.expect(')');
      this.expect('=');
      return { kind: 'variable', variables, shared: this.expressionOrCommand(), isFinal, isField, at };
    }
    const end = this.skipType(this.index);
    const hasType = end >= 0 && this.tokens[end]!.kind === 'name' && !this.tokens[end]!.startsLine;
    const type = hasType ? this.typeName() : undefined;
    const variables: Variable[] = [];
    do {
      const { text, at: nameAt } = this.expectName();
      const typed = type === undefined ? {} : { type };
      const value = this.takeIf('=') ? { value: this.expressionOrCommand() } : {};
      variables.push({ name: text, ...typed, ...value, at: nameAt });
    } while (this.takeIf(','));
    return { kind: 'variable', variables, isFinal, isField, at };
  }

  #variableName(): Variable {
    const end = this.skipType(this.index);
    const type = end >= 0 && this.tokens[end]!.kind === 'name' ? this.typeName() : undefined;
    const { text, at } = this.expectName();
    return { name: text, ...(type === undefined ? {} : { type }), at };
  }
}
