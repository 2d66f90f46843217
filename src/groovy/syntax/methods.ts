import type { MethodDeclaration, TypeName } from './ast.ts';
import { parseBlock } from './blocks.ts';
import { behindModifiers, parseModifiers } from './modifiers.ts';
import { parseParameters } from './parameters.ts';
import type { Parsing } from './parsing.ts';
import { isOperator } from './token-cursor.ts';

/** `<T, K extends V>` behind the name of a class or in front of a method. */
export function declareTypeVariables(p: Parsing): void {
  if (!p.is('<')) return;
  const end = p.skipTypeArguments(p.index);
  if (end < 0) throw p.unexpected();
  let depth = 0;
  for (; p.index < end; p.index++) {
    const before = p.previous;
    if (p.is('<')) depth++;
    else if (p.is('>')) depth--;
    else if (depth === 1 && p.token.kind === 'name' && (isOperator(before, '<') || isOperator(before, ','))) {
      p.typeVariables.add(p.token.text);
    }
  }
}

export function isMethodDeclaration(p: Parsing): boolean {
  let at = behindModifiers(p);
  const hasModifiers = at > p.index;
  if (isOperator(p.tokenAt(at), '<')) at = p.skipTypeArguments(at);
  if (at < 0) return false;
  const name = p.tokenAt(at);
  const isName = name.kind === 'name' || name.kind === 'string';
  if (hasModifiers && isName && isOperator(p.tokenAt(at + 1), '(')) return isMethodHead(p, at + 1);
  const end = p.skipType(at);
  if (end < 0 || (!hasModifiers && !p.looksLikeType(end))) return false;
  const second = p.tokenAt(end);
  if ((second.kind !== 'name' && second.kind !== 'string') || second.startsLine) return false;
  return isOperator(p.tokenAt(end + 1), '(') && isMethodHead(p, end + 1);
}

function isMethodHead(p: Parsing, open: number): boolean {
  const next = p.tokenAt((p.tokenAt(open).closedBy ?? open) + 1);
  if (isOperator(next, '{') || (next.kind === 'keyword' && next.text === 'throws')) return true;
  return p.isInClass && !isOperator(next, '.');
}

export function parseMethod(p: Parsing): MethodDeclaration {
  const { at } = p.token;
  const modifiers = parseModifiers(p);
  declareTypeVariables(p);
  const isUntyped = isOperator(p.peek(), '(') && (p.token.kind === 'name' || p.token.kind === 'string');
  const returns = isUntyped ? undefined : p.typeName();
  const { text } = p.take();
  return parseMethodTail(p, text, modifiers, at, returns);
}

export function parseMethodTail(
  p: Parsing,
  name: string,
  modifiers: ReadonlySet<string>,
  at: number,
  returns: TypeName | undefined,
): MethodDeclaration {
  p.expect('(');
  const parameters = parseParameters(p, ')');
  p.expect(')');
  if (p.takeKeywordIf('throws')) {
    do p.typeName();
    while (p.takeIf(','));
  }
  const isInClass = p.isInClass;
  p.isInClass = false;
  const body = p.is('{') ? { body: parseBlock(p) } : {};
  p.isInClass = isInClass;
  return {
    kind: 'method',
    name,
    parameters,
    ...(returns === undefined ? {} : { returns }),
    ...body,
    modifiers,
    at,
  };
}
