import type { Parsing } from './parsing.ts';
import { isOperator } from './token-cursor.ts';

/** Binding strength of the binary operators; all of them bind to the left. */
export const STRENGTH: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '|': 3,
  '^': 4,
  '&': 5,
  '=~': 6,
  '==~': 6,
  '==': 7,
  '!=': 7,
  '===': 7,
  '!==': 7,
  '<=>': 7,
  '<': 8,
  '<=': 8,
  '>': 8,
  '>=': 8,
  in: 8,
  '!in': 8,
  instanceof: 9,
  '!instanceof': 9,
  as: 9,
  '<<': 10,
  '>>': 10,
  '>>>': 10,
  '..': 10,
  '..<': 10,
  '<..': 10,
  '<..<': 10,
  '+': 11,
  '-': 11,
  '*': 12,
  '/': 12,
  '%': 12,
};

const ASSIGNMENTS = new Set('= += -= *= /= %= **= <<= &= |= ^= ?='.split(' '));

interface Operator {
  readonly text: string;
  readonly tokens: number;
}

export function assignmentOperator(p: Parsing): Operator | undefined {
  if (p.token.kind !== 'operator') return undefined;
  const { text } = p.token;
  if (ASSIGNMENTS.has(text)) return { text, tokens: 1 };
  // `>` is always a token of its own.
  if (text !== '>' || !isAdjacent(p, 1, '>')) return undefined;
  const third = isAdjacent(p, 2, '>') && isAdjacent(p, 3, '=');
  if (third) return { text: '>>>=', tokens: 4 };
  return isAdjacent(p, 2, '=') ? { text: '>>=', tokens: 3 } : undefined;
}

function isAdjacent(p: Parsing, distance: number, text: string): boolean {
  const token = p.peek(distance);
  return isOperator(token, text) && token.at === p.peek(distance - 1).end;
}

export function binaryOperator(p: Parsing): Operator | undefined {
  const { kind, text, startsLine } = p.token;
  if (kind === 'keyword') {
    return text === 'in' || text === 'as' || text === 'instanceof' ? { text, tokens: 1 } : undefined;
  }
  if (kind !== 'operator') return undefined;
  if (text === '!') {
    const next = p.peek();
    const isNegated = next.kind === 'keyword' && next.at === p.token.end;
    if (isNegated && (next.text === 'in' || next.text === 'instanceof')) {
      return { text: `!${next.text}`, tokens: 2 };
    }
    return undefined;
  }
  if (text === '>') {
    if (isAdjacent(p, 1, '>')) {
      const isTriple = isAdjacent(p, 2, '>');
      if (assignmentOperator(p) !== undefined) return undefined;
      return isTriple ? { text: '>>>', tokens: 3 } : { text: '>>', tokens: 2 };
    }
    return isAdjacent(p, 1, '=') ? { text: '>=', tokens: 2 } : { text, tokens: 1 };
  }
  if ((text === '+' || text === '-') && startsLine) return undefined;
  return text in STRENGTH ? { text, tokens: 1 } : undefined;
}
