import type { Expression } from './ast.ts';
import type { Parsing } from './parsing.ts';
import { ARGUMENT_KEYWORDS, LONGEST_CHAIN, parsePostfix, tooLong } from './postfix.ts';
import { parsePrimary } from './primaries.ts';
import { isOperator } from './token-cursor.ts';

export function parseUnary(p: Parsing): Expression {
  const { kind, text, at } = p.token;
  if (kind === 'operator' && (text === '+' || text === '-')) {
    p.take();
    // The sign of a number is part of it, so that the smallest integers can be written.
    if (p.token.kind === 'number' && text === '-' && !isOperator(p.peek(), '**') && !isCalled(p, 1)) {
      return { kind: 'number', text: `-${p.take().text}`, at };
    }
    return { kind: 'unary', operator: text, value: p.nested(() => parseUnary(p)), at };
  }
  if (kind === 'operator' && (text === '++' || text === '--')) {
    p.take();
    const target = p.nested(() => parseUnary(p));
    return { kind: 'step', operator: text, isPrefix: true, target, at };
  }
  return parsePower(p);
}

function isCalled(p: Parsing, distance: number): boolean {
  const { kind, text } = p.peek(distance);
  return (
    kind === 'operator' && (text === '.' || text === '?.' || text === '[' || text === '++' || text === '--')
  );
}

function parsePower(p: Parsing): Expression {
  let left = parsePrefix(p);
  for (let links = 0; p.is('**'); links++) {
    if (links > LONGEST_CHAIN) throw tooLong(p);
    const { at } = p.take();
    const right = p.nested(() => (p.is('-') || p.is('+') ? parseUnary(p) : parsePrefix(p)));
    left = { kind: 'binary', operator: '**', left, right, at };
  }
  return left;
}

/** `!x`, `~x`, `(Type) x`, and what stands behind them. */
function parsePrefix(p: Parsing): Expression {
  const { kind, text, at } = p.token;
  if (kind === 'operator' && (text === '!' || text === '~')) {
    p.take();
    const value = p.nested(() => (p.is('-') || p.is('+') ? parseUnary(p) : parsePrefix(p)));
    return { kind: 'unary', operator: text, value, at };
  }
  if (kind === 'operator' && text === '(' && isCast(p)) {
    p.take();
    const type = p.typeName();
    p.expect(')');
    const value = p.nested(() =>
      p.is('+') || p.is('-') || p.is('++') || p.is('--') ? parseUnary(p) : parsePrefix(p),
    );
    return { kind: 'cast', type, value, at };
  }
  if (kind === 'operator' && text === '(' && isTargetList(p)) return parseTargetList(p);
  const value = parsePostfix(p, parsePrimary(p));
  if ((p.is('++') || p.is('--')) && !p.token.startsLine) {
    const operator = p.is('++') ? '++' : '--';
    return { kind: 'step', operator, isPrefix: false, target: value, at: p.take().at };
  }
  return value;
}

function isCast(p: Parsing): boolean {
  const end = p.skipType(p.index + 1);
  if (end < 0 || end !== p.token.closedBy || !p.looksLikeType(end)) return false;
  const next = p.tokenAt(end + 1);
  const isPrimitive = p.tokenAt(p.index + 1).kind === 'keyword';
  if (next.startsLine) return false;
  if (next.kind === 'operator') {
    return '([{!~'.includes(next.text) || (isPrimitive && ['+', '-', '++', '--'].includes(next.text));
  }
  if (next.kind === 'keyword') return ARGUMENT_KEYWORDS.has(next.text);
  return next.kind !== 'end' && next.kind !== 'textPart';
}

/** `(a, b) = …`. */
function isTargetList(p: Parsing): boolean {
  const close = p.token.closedBy;
  if (close === undefined || !isOperator(p.tokenAt(close + 1), '=')) return false;
  return isOperator(p.tokenAt(p.index + 2), ',') || close > p.index + 2;
}

function parseTargetList(p: Parsing): Expression {
  const { at } = p.expect('(');
  const items: Expression[] = [];
  do items.push(parsePostfix(p, parsePrimary(p)));
  while (p.takeIf(','));
  p.expect(')');
  return { kind: 'list', items, at };
}
