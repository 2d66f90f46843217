import type { Statement } from './ast.ts';
import { parseBlock, parseBody, parseCondition } from './blocks.ts';
import { isClassDeclaration, parseClass } from './classes.ts';
import { parseDoWhile, parseFor } from './loops.ts';
import { isMethodDeclaration, parseMethod } from './methods.ts';
import type { Parsing } from './parsing.ts';
import { parseSwitch } from './switches.ts';
import { isOperator } from './token-cursor.ts';
import { parseTry } from './try-statements.ts';
import { isVariableDeclaration, parseVariables } from './variables.ts';

export function parseStatement(p: Parsing): Statement {
  return p.nested(() => parseAnyStatement(p));
}

function parseAnyStatement(p: Parsing): Statement {
  const { kind, text, at } = p.token;
  if (kind === 'keyword') {
    const statement = parseKeywordStatement(p, text, at);
    if (statement !== undefined) return statement;
  }
  if (kind === 'name') {
    if (isOperator(p.peek(), ':')) return parseLabeled(p);
    if (text === 'yield' && p.switchValues > 0 && !p.peek().startsLine && p.peek().kind !== 'operator') {
      p.take();
      return { kind: 'yield', value: p.expressionOrCommand(), at };
    }
  }
  if (kind === 'operator' && text === '{' && !isClosureAhead(p)) {
    return { kind: 'block', body: parseBlock(p), at };
  }
  if (kind === 'operator' && text === ';') return { kind: 'block', body: [], at };
  if (isClassDeclaration(p)) return parseClass(p);
  if (isMethodDeclaration(p)) return parseMethod(p);
  if (isVariableDeclaration(p)) return parseVariables(p);
  return { kind: 'expression', value: p.expressionOrCommand(), at };
}

function parseKeywordStatement(p: Parsing, keyword: string, at: number): Statement | undefined {
  switch (keyword) {
    case 'if':
      return parseIf(p);
    case 'while': {
      p.take();
      const test = parseCondition(p);
      return { kind: 'while', test, body: parseBody(p), at };
    }
    case 'do':
      return parseDoWhile(p);
    case 'for':
      return parseFor(p);
    case 'switch': {
      const statement = parseSwitch(p);
      return statement;
    }
    case 'try':
      return parseTry(p);
    case 'return': {
      p.take();
      const isEmpty = p.is(';') || p.is('}') || p.isAtEnd || p.token.startsLine;
      return isEmpty ? { kind: 'return', at } : { kind: 'return', value: p.expressionOrCommand(), at };
    }
    case 'throw':
      p.take();
      return { kind: 'throw', value: p.expressionOrCommand(), at };
    case 'break':
    case 'continue': {
      p.take();
      const hasLabel = p.token.kind === 'name' && !p.token.startsLine;
      return hasLabel ? { kind: keyword, label: p.take().text, at } : { kind: keyword, at };
    }
    case 'assert':
      return parseAssertion(p);
    case 'synchronized':
      if (!isOperator(p.peek(), '(')) return undefined;
      p.take();
      parseCondition(p);
      return { kind: 'block', body: parseBlock(p), at };
    case 'import':
      throw p.source.errorAt(at, 'An import must stand before everything else');
    case 'package':
      throw p.source.errorAt(at, "'package' must stand at the beginning");
    case 'goto':
    case 'const':
      throw p.source.errorAt(at, `'${keyword}' is reserved and means nothing`);
    default:
      return undefined;
  }
}

function parseLabeled(p: Parsing): Statement {
  const { text, at } = p.take();
  p.expect(':');
  return { kind: 'labeled', label: text, body: p.statement(), at };
}

/** A `{` with parameters, or whose block is called at once. */
function isClosureAhead(p: Parsing): boolean {
  const close = p.token.closedBy;
  if (close !== undefined) {
    const next = p.tokenAt(close + 1);
    if (isOperator(next, '(') && !next.startsLine) return true;
    if (isOperator(next, '.')) return true;
  }
  const from = p.index;
  p.index++;
  let at = p.index;
  while (p.tokenAt(at).kind !== 'operator' && p.tokenAt(at).kind !== 'end' && at < from + 4) at++;
  const isPlain = isOperator(p.tokenAt(at), '->') || isOperator(p.tokenAt(at), ',');
  p.index = from;
  return isPlain;
}

function parseIf(p: Parsing): Statement {
  const { at } = p.take();
  const test = parseCondition(p);
  const then = parseBody(p);
  const separator = p.is(';') && p.peek().kind === 'keyword' && p.peek().text === 'else';
  if (separator) p.take();
  if (!p.takeKeywordIf('else')) return { kind: 'if', test, then, at };
  return { kind: 'if', test, then, otherwise: parseBody(p), at };
}

function parseAssertion(p: Parsing): Statement {
  const { at } = p.take();
  const from = p.token.at;
  const test = p.expression();
  const text = p.source.text.slice(from, p.previous.end);
  const hasMessage = p.takeIf(':') || p.takeIf(',');
  return { kind: 'assert', test, text, ...(hasMessage ? { message: p.expression() } : {}), at };
}
