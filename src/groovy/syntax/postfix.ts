import { parseArgument, parseArguments } from './arguments.ts';
import type { Expression } from './ast.ts';
import { parseClosure } from './closures.ts';
import type { Parsing } from './parsing.ts';
import { pathText } from './path-text.ts';
import { parsePrimary } from './primaries.ts';
import { parseText } from './texts.ts';
import { PRIMITIVES } from './token.ts';
import { isOperator } from './token-cursor.ts';

/** Longer chains would be too deep for whoever walks the tree. */
export const LONGEST_CHAIN = 400;

export const ARGUMENT_KEYWORDS = new Set('new this super null true false switch'.split(' '));

export function startsArgument(p: Parsing): boolean {
  const { kind, text, startsLine } = p.token;
  if (startsLine) return false;
  if (kind === 'name' || kind === 'number' || kind === 'string' || kind === 'textStart') return true;
  if (kind === 'keyword') return ARGUMENT_KEYWORDS.has(text) || PRIMITIVES.has(text);
  if (kind !== 'operator') return false;
  if (text === '!') return true;
  return text === '[' && isOperator(p.peek(2), ':') ? true : text === '[' && isOperator(p.peek(), ':');
}

/** Members, indexes and calls behind a value. */
export function parsePostfix(p: Parsing, first: Expression): Expression {
  let value = first;
  for (let links = 0; ; links++) {
    if (links > LONGEST_CHAIN) throw tooLong(p);
    const next = parsePostfixStep(p, value);
    if (next === undefined) return value;
    value = next;
  }
}

function parsePostfixStep(p: Parsing, object: Expression): Expression | undefined {
  const { kind, text, at, startsLine } = p.token;
  if (kind !== 'operator') return undefined;
  switch (text) {
    case '.':
    case '?.':
    case '*.': {
      p.take();
      if (text === '.' && p.is('<')) p.index = Math.max(p.index, p.skipTypeArguments(p.index));
      const isField = p.takeIf('@');
      return { kind: 'property', object, name: parseMemberName(p), access: text, isField, at };
    }
    case '.@':
      p.take();
      return { kind: 'property', object, name: parseMemberName(p), access: '.', isField: true, at };
    case '.&':
    case '::': {
      p.take();
      return { kind: 'methodPointer', object, name: parseMemberName(p), at };
    }
    case '[':
    case '?[':
      if (startsLine) return undefined;
      return startsArgument(p) && text === '[' && object.kind === 'name' ? undefined : parseIndex(p, object);
    case '(':
      if (startsLine) return undefined;
      return { kind: 'call', callee: object, args: parseArguments(p), at: object.at };
    case '{':
      return takesClosure(p, object) ? withClosure(p, object) : undefined;
    default:
      return undefined;
  }
}

function takesClosure(p: Parsing, object: Expression): boolean {
  const { kind } = object;
  // `'static' { … }` calls a method whose name is no name of Groovy.
  if (kind === 'constant') return typeof object.value === 'string' && !p.token.startsLine;
  return kind === 'name' || kind === 'property' || kind === 'call';
}

/** A closure behind a call is its last argument. */
function withClosure(p: Parsing, target: Expression): Expression {
  const isBehindCall = target.kind === 'call' && (isOperator(p.previous, ')') || isOperator(p.previous, '}'));
  const closure = { value: parseClosure(p) };
  if (isBehindCall && target.kind === 'call') return { ...target, args: [...target.args, closure] };
  return { kind: 'call', callee: target, args: [closure], at: target.at };
}

function parseMemberName(p: Parsing): string | Expression {
  const { kind, text } = p.token;
  if (kind === 'name' || kind === 'keyword' || kind === 'string') {
    p.take();
    return text;
  }
  if (kind === 'textStart') return parseText(p);
  if (p.is('(')) return parsePrimary(p);
  throw p.unexpected('The name of a property or method is missing.');
}

function parseIndex(p: Parsing, object: Expression): Expression {
  const { text, at } = p.take();
  if (p.is(']') && (object.kind === 'name' || object.kind === 'property')) {
    p.take();
    const name = pathText(object);
    if (name !== undefined) return { kind: 'name', name: `${name}[]`, at: object.at };
  }
  const args: Expression[] = [];
  while (!p.is(']')) {
    if (args.length > 0) p.expect(',');
    const { key, value } = parseArgument(p);
    if (key !== undefined) throw p.source.errorAt(key.at, 'An index has no key');
    args.push(value);
  }
  p.expect(']');
  return { kind: 'index', object, args, isSafe: text === '?[', at };
}

export function tooLong(p: Parsing) {
  return p.source.errorAt(p.token.at, 'The expression is too long', 'Split it over several variables.');
}
