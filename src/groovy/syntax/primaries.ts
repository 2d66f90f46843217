import type { Expression } from './ast.ts';
import { parseClosure, parseLambda } from './closures.ts';
import { parseListOrMap } from './lists.ts';
import { parseNewValue } from './new-values.ts';
import type { Parsing } from './parsing.ts';
import { parseSwitch } from './switches.ts';
import { parseText } from './texts.ts';
import { PRIMITIVES, type Token } from './token.ts';
import { isOperator } from './token-cursor.ts';

export function parsePrimary(p: Parsing): Expression {
  const token = p.token;
  const { at, text } = token;
  switch (token.kind) {
    case 'number':
      p.take();
      return { kind: 'number', text, at };
    case 'string':
      p.take();
      return { kind: 'constant', value: text, at };
    case 'textStart':
      return parseText(p);
    case 'name':
      if (isOperator(p.peek(), '->') && !p.arrowEndsCase) return parseLambda(p);
      p.take();
      return { kind: 'name', name: text, at };
    case 'keyword':
      return parseKeywordValue(p, token);
    case 'operator':
      if (text === '(') return parseParenthesized(p);
      if (text === '[') return parseListOrMap(p);
      if (text === '{') return parseClosure(p);
      throw p.unexpected();
    default:
      throw p.unexpected();
  }
}

function parseKeywordValue(p: Parsing, { text, at }: Token): Expression {
  switch (text) {
    case 'null':
      p.take();
      return { kind: 'constant', value: null, at };
    case 'true':
    case 'false':
      p.take();
      return { kind: 'constant', value: text === 'true', at };
    case 'this':
    case 'super':
      p.take();
      return { kind: text, at };
    case 'new':
      return parseNewValue(p);
    case 'switch':
      return { kind: 'switchValue', statement: parseSwitch(p), at };
  }
  if (!PRIMITIVES.has(text)) throw p.unexpected();
  p.take();
  return { kind: 'name', name: text, at };
}

function parseParenthesized(p: Parsing): Expression {
  const close = p.token.closedBy ?? p.index;
  if (isOperator(p.tokenAt(close + 1), '->') && !p.arrowEndsCase) return parseLambda(p);
  p.take();
  const arrowEndsCase = p.arrowEndsCase;
  p.arrowEndsCase = false;
  const value = p.expressionOrCommand();
  p.arrowEndsCase = arrowEndsCase;
  p.expect(')');
  return value;
}
