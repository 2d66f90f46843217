import { parseAnnotations } from './annotations.ts';
import type { Parameter } from './ast.ts';
import type { Parsing } from './parsing.ts';
import { MODIFIERS, type Token } from './token.ts';
import { isOperator } from './token-cursor.ts';

/** Up to the operator that ends the list, which stays. */
export function parseParameters(p: Parsing, end: ')' | '->'): Parameter[] {
  const parameters: Parameter[] = [];
  while (!p.is(end)) {
    if (parameters.length > 0) p.expect(',');
    parameters.push(parseParameter(p));
  }
  return parameters;
}

function parseParameter(p: Parsing): Parameter {
  parseAnnotations(p);
  let isFinal = false;
  while (isModifier(p.token)) isFinal = p.take().text === 'final' || isFinal;
  const typeEnd = p.skipType(p.index);
  const next = typeEnd < 0 ? undefined : p.tokenAt(typeEnd);
  const hasType = next !== undefined && (next.kind === 'name' || isOperator(next, '...'));
  const type = hasType ? p.typeName() : undefined;
  const isRest = p.takeIf('...');
  const { text, at } = p.expectName();
  const byDefault = p.takeIf('=') ? p.expression() : undefined;
  return {
    name: text,
    ...(type === undefined || type.name === 'var' ? {} : { type }),
    ...(byDefault === undefined ? {} : { byDefault }),
    ...(isFinal ? { isFinal } : {}),
    isRest,
    at,
  };
}

export function isModifier({ kind, text }: Token): boolean {
  return kind === 'keyword' && (MODIFIERS.has(text) || text === 'def');
}
