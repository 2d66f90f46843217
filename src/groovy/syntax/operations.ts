import type { Expression } from './ast.ts';
import { binaryOperator, STRENGTH } from './binary-operators.ts';
import type { Parsing } from './parsing.ts';
import { LONGEST_CHAIN, tooLong } from './postfix.ts';
import { parseUnary } from './unary.ts';

export function parseChoice(p: Parsing): Expression {
  const test = parseBinary(p, 1);
  const { at } = p.token;
  if (p.takeIf('?:')) return { kind: 'choice', test, otherwise: p.nested(() => parseChoice(p)), at };
  if (!p.is('?')) return test;
  p.take();
  const arrowEndsCase = p.arrowEndsCase;
  const then = p.expression();
  p.arrowEndsCase = arrowEndsCase;
  p.expect(':');
  return { kind: 'choice', test, then, otherwise: p.expression(), at };
}

function parseBinary(p: Parsing, least: number): Expression {
  let left = parseUnary(p);
  for (let links = 0; ; links++) {
    const operator = binaryOperator(p);
    const strength = operator === undefined ? 0 : STRENGTH[operator.text]!;
    if (operator === undefined || strength < least) return left;
    if (links > LONGEST_CHAIN) throw tooLong(p);
    const { at } = p.token;
    p.index += operator.tokens;
    left = combine(p, left, operator.text, at, strength);
  }
}

function combine(p: Parsing, left: Expression, operator: string, at: number, strength: number): Expression {
  switch (operator) {
    case 'as':
      return { kind: 'as', type: p.typeName(), value: left, at };
    case 'instanceof':
    case '!instanceof':
      return {
        kind: 'instanceof',
        type: p.typeName(),
        value: left,
        isNegated: operator.startsWith('!'),
        at,
      };
    case '..':
    case '..<':
    case '<..':
    case '<..<':
      return {
        kind: 'range',
        from: left,
        to: parseBinary(p, strength + 1),
        opensLeft: operator.startsWith('<'),
        opensRight: operator.endsWith('<'),
        at,
      };
    default:
      return { kind: 'binary', operator, left, right: p.nested(() => parseBinary(p, strength + 1)), at };
  }
}
