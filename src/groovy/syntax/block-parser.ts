import type { Expression, Statement } from './ast.ts';
import { isOperator } from './token-cursor.ts';
import { VariableParser } from './variable-parser.ts';

/** Statements one after the other, and what stands behind `if (…)` and its like. */
export abstract class BlockParser extends VariableParser {
  protected abstract statement(): Statement;

  protected statementsUntilBrace(): Statement[] {
    const statements: Statement[] = [];
    for (;;) {
      while (this.takeIf(';'));
      if (this.is('}') || this.isAtEnd) return statements;
      statements.push(this.statement());
      this.endStatement();
    }
  }

  protected endStatement(): void {
    if (this.is(';') || this.is('}') || this.isAtEnd || this.token.startsLine) return;
    // A statement that ends in a block needs no line end.
    if (isOperator(this.previous, '}') || isOperator(this.previous, ';')) return;
    throw this.unexpected();
  }

  protected block(): Statement[] {
    this.expect('{');
    const body = this.nested(() => this.statementsUntilBrace());
    this.expect('}');
    return body;
  }

  protected condition(): Expression {
    this.expect('(');
    const test = this.expressionOrCommand();
    this.expect(')');
    return test;
  }

  protected body(): Statement {
    if (this.is(';')) {
      const { at } = this.take();
      return { kind: 'block', body: [], at };
    }
    if (this.is('{')) {
      const { at } = this.token;
      return { kind: 'block', body: this.block(), at };
    }
    return this.statement();
  }
}
