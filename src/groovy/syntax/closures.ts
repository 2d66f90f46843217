import type { Expression, Parameter } from './ast.ts';
import { parseStatementsUntilBrace } from './blocks.ts';
import { isModifier, parseParameters } from './parameters.ts';
import type { Parsing } from './parsing.ts';
import { isOperator } from './token-cursor.ts';

/** `x -> value`, `(x, y) -> { … }`: a closure by another spelling. */
export function parseLambda(p: Parsing): Expression {
  const { at } = p.token;
  let parameters: Parameter[];
  if (p.token.kind === 'name') parameters = [{ name: p.take().text, isRest: false, at }];
  else {
    p.take();
    parameters = parseParameters(p, ')');
    p.expect(')');
  }
  p.expect('->');
  return p.nested(() => {
    if (p.takeIf('{')) {
      const body = parseStatementsUntilBrace(p);
      p.expect('}');
      return { kind: 'closure', parameters, body, at };
    }
    const value = p.expression();
    return { kind: 'closure', parameters, body: [{ kind: 'expression', value, at: value.at }], at };
  });
}

export function parseClosure(p: Parsing): Expression {
  const { at } = p.expect('{');
  const arrow = findArrow(p);
  let parameters: Parameter[] | undefined;
  if (arrow >= 0) {
    parameters = parseParameters(p, '->');
    p.expect('->');
  }
  const arrowEndsCase = p.arrowEndsCase;
  p.arrowEndsCase = false;
  const body = p.nested(() => parseStatementsUntilBrace(p));
  p.arrowEndsCase = arrowEndsCase;
  p.expect('}');
  return { kind: 'closure', ...(parameters === undefined ? {} : { parameters }), body, at };
}

/** The place of the arrow behind the parameters that follow a `{`, or -1 where no parameters follow. */
function findArrow(p: Parsing): number {
  let at = p.index;
  if (isOperator(p.tokenAt(at), '->')) return at;
  for (;;) {
    at = skipParameter(p, at);
    if (at < 0) return -1;
    const token = p.tokenAt(at);
    if (isOperator(token, '->')) return at;
    if (!isOperator(token, ',')) return -1;
    at++;
  }
}

function skipParameter(p: Parsing, from: number): number {
  let at = from;
  while (isOperator(p.tokenAt(at), '@') && p.tokenAt(at + 1).kind === 'name') at += 2;
  while (isModifier(p.tokenAt(at))) at++;
  if (isOperator(p.tokenAt(at), '...')) at++;
  const typeEnd = p.skipType(at);
  if (typeEnd >= 0) {
    const next = p.tokenAt(typeEnd);
    if (next.kind === 'name' && (!next.startsLine || typeEnd === from)) at = typeEnd;
    else if (isOperator(next, '...') && p.tokenAt(typeEnd + 1).kind === 'name') at = typeEnd + 1;
  }
  if (p.tokenAt(at).kind !== 'name') return -1;
  at++;
  if (!isOperator(p.tokenAt(at), '=')) return at;
  for (at++; ; at++) {
    const token = p.tokenAt(at);
    if (token.kind === 'end' || token.startsLine) return -1;
    if (token.kind !== 'operator') continue;
    if (token.text === ',' || token.text === '->') return at;
    if (token.text === ';' || token.text === '}') return -1;
    if (token.closedBy !== undefined) at = token.closedBy;
  }
}
