import { parseAnnotations } from './annotations.ts';
import type { Expression, Parameter, Statement } from './ast.ts';
import { parseBody, parseCondition } from './blocks.ts';
import type { Parsing } from './parsing.ts';
import { MODIFIERS } from './token.ts';
import { isOperator } from './token-cursor.ts';
import { isVariableDeclaration, parseVariables } from './variables.ts';

export function parseDoWhile(p: Parsing): Statement {
  const { at } = p.take();
  const body = parseBody(p);
  p.takeIf(';');
  if (!p.takeKeywordIf('while')) throw p.unexpected("The 'while' of the loop is missing.");
  return { kind: 'doWhile', test: parseCondition(p), body, at };
}

export function parseFor(p: Parsing): Statement {
  const { at } = p.take();
  if (!p.is('(')) throw p.unexpected("'(' is missing.");
  const close = p.token.closedBy ?? p.index;
  const isClassic = hasSemicolon(p, p.index + 1, close);
  p.take();
  if (!isClassic) {
    const variable = parseLoopVariable(p);
    const list = p.expression();
    p.expect(')');
    return { kind: 'forIn', variable, list, body: parseBody(p), at };
  }
  const start = p.is(';') ? [] : parseForStart(p);
  p.expect(';');
  const test = p.is(';') ? undefined : p.expression();
  p.expect(';');
  const steps: Expression[] = [];
  while (!p.is(')')) {
    if (steps.length > 0) p.expect(',');
    steps.push(p.expression());
  }
  p.expect(')');
  return { kind: 'for', start, ...(test === undefined ? {} : { test }), steps, body: parseBody(p), at };
}

function hasSemicolon(p: Parsing, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const token = p.tokenAt(at);
    if (isOperator(token, ';')) return true;
    if (token.kind === 'operator' && token.closedBy !== undefined) at = token.closedBy;
  }
  return false;
}

function parseForStart(p: Parsing): Statement[] {
  if (isVariableDeclaration(p)) return [parseVariables(p)];
  const statements: Statement[] = [];
  do {
    const value = p.expression();
    statements.push({ kind: 'expression', value, at: value.at });
  } while (p.takeIf(','));
  return statements;
}

function parseLoopVariable(p: Parsing): Parameter {
  parseAnnotations(p);
  while (p.token.kind === 'keyword' && (MODIFIERS.has(p.token.text) || p.token.text === 'def')) p.take();
  const end = p.skipType(p.index);
  const type = end >= 0 && p.tokenAt(end).kind === 'name' ? p.typeName() : undefined;
  const { text, at } = p.expectName();
  if (!p.takeKeywordIf('in')) p.expect(':');
  const typed = type === undefined || type.name === 'var' ? {} : { type };
  return { name: text, ...typed, isRest: false, at };
}
