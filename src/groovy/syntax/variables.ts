import { parseAnnotations } from './annotations.ts';
import type { Statement, Variable } from './ast.ts';
import type { Parsing } from './parsing.ts';
import { MODIFIERS } from './token.ts';
import { isOperator } from './token-cursor.ts';

export function isVariableDeclaration(p: Parsing): boolean {
  if (p.is('@') && p.peek().kind === 'name') return true;
  const { kind, text } = p.token;
  if (kind === 'keyword' && (text === 'def' || MODIFIERS.has(text))) return true;
  const end = p.skipType(p.index);
  if (end < 0) return false;
  const name = p.tokenAt(end);
  if (text === 'var' && end === p.index + 1 && !name.startsLine) {
    return (
      name.kind === 'name' || (isOperator(name, '(') && isOperator(p.tokenAt((name.closedBy ?? 0) + 1), '='))
    );
  }
  if (name.kind !== 'name' || name.startsLine) return false;
  const next = p.tokenAt(end + 1);
  if (isOperator(next, '=')) return true;
  if (!p.looksLikeType(end)) return false;
  if (next.startsLine || next.kind === 'end' || next.kind === 'textPart') return true;
  return next.kind === 'operator' && [',', ';', '}', ')', ':'].includes(next.text);
}

export function parseVariables(p: Parsing): Statement {
  const { at } = p.token;
  const annotations = parseAnnotations(p);
  let isFinal = false;
  while (p.token.kind === 'keyword' && (MODIFIERS.has(p.token.text) || p.token.text === 'def')) {
    if (p.take().text === 'final') isFinal = true;
  }
  const isField = annotations.has('Field');
  const ofClass = ['Lazy', 'Delegate'].find((name) => annotations.has(name));
  if (ofClass !== undefined)
    throw p.source.errorAt(at, `The annotation @${ofClass} stands at fields of classes only`);
  if (p.token.text === 'var' && p.token.kind === 'name' && p.peek().kind !== 'keyword') {
    const next = p.peek();
    if (next.kind === 'name' || isOperator(next, '(')) p.take();
  }
  if (p.is('(')) {
    p.take();
    const variables: Variable[] = [];
    do variables.push(parseVariableName(p));
    while (p.takeIf(','));
    p.expect(')');
    p.expect('=');
    return { kind: 'variable', variables, shared: p.expressionOrCommand(), isFinal, isField, at };
  }
  const end = p.skipType(p.index);
  const hasType = end >= 0 && p.tokenAt(end).kind === 'name' && !p.tokenAt(end).startsLine;
  const type = hasType ? p.typeName() : undefined;
  const variables: Variable[] = [];
  do {
    const { text, at: nameAt } = p.expectName();
    const typed = type === undefined ? {} : { type };
    const value = p.takeIf('=') ? { value: p.expressionOrCommand() } : {};
    variables.push({ name: text, ...typed, ...value, at: nameAt });
  } while (p.takeIf(','));
  return { kind: 'variable', variables, isFinal, isField, at };
}

function parseVariableName(p: Parsing): Variable {
  const end = p.skipType(p.index);
  const type = end >= 0 && p.tokenAt(end).kind === 'name' ? p.typeName() : undefined;
  const { text, at } = p.expectName();
  return { name: text, ...(type === undefined ? {} : { type }), at };
}
