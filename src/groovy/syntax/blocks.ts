import type { Expression, Statement } from './ast.ts';
import type { Parsing } from './parsing.ts';
import { isOperator } from './token-cursor.ts';

export function parseStatementsUntilBrace(p: Parsing): Statement[] {
  const statements: Statement[] = [];
  for (;;) {
    while (p.takeIf(';'));
    if (p.is('}') || p.isAtEnd) return statements;
    statements.push(p.statement());
    endStatement(p);
  }
}

export function endStatement(p: Parsing): void {
  if (p.is(';') || p.is('}') || p.isAtEnd || p.token.startsLine) return;
  // A statement that ends in a block needs no line end.
  if (isOperator(p.previous, '}') || isOperator(p.previous, ';')) return;
  throw p.unexpected();
}

export function parseBlock(p: Parsing): Statement[] {
  p.expect('{');
  const body = p.nested(() => parseStatementsUntilBrace(p));
  p.expect('}');
  return body;
}

export function parseCondition(p: Parsing): Expression {
  p.expect('(');
  const test = p.expressionOrCommand();
  p.expect(')');
  return test;
}

export function parseBody(p: Parsing): Statement {
  if (p.is(';')) {
    const { at } = p.take();
    return { kind: 'block', body: [], at };
  }
  if (p.is('{')) {
    const { at } = p.token;
    return { kind: 'block', body: parseBlock(p), at };
  }
  return p.statement();
}
