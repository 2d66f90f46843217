import type { Argument, Expression } from './ast.ts';
import type { Parsing } from './parsing.ts';
import { isOperator } from './token-cursor.ts';

/** What stands between the brackets of calls, lists and maps: `value`, `*list`, `key: value`, `*: map`. */
export function parseArgument(p: Parsing): Argument {
  const { at } = p.token;
  if (p.is('*')) {
    p.take();
    const isMap = p.takeIf(':');
    const value: Expression = { kind: 'spread', value: p.expression(), at };
    return isMap ? { key: value, value: value.value } : { value };
  }
  if (isPlainKey(p)) {
    const { text, kind } = p.take();
    p.expect(':');
    const key: Expression =
      kind === 'number' ? { kind: 'number', text, at } : { kind: 'constant', value: text, at };
    return { key, value: parseNestedExpression(p) };
  }
  const value = parseNestedExpression(p);
  return p.takeIf(':') ? { key: value, value: parseNestedExpression(p) } : { value };
}

function parseNestedExpression(p: Parsing): Expression {
  const arrowEndsCase = p.arrowEndsCase;
  p.arrowEndsCase = false;
  const value = p.nested(() => p.expression());
  p.arrowEndsCase = arrowEndsCase;
  return value;
}

function isPlainKey(p: Parsing): boolean {
  const { kind } = p.token;
  const isKey = kind === 'name' || kind === 'keyword' || kind === 'string' || kind === 'number';
  return isKey && isOperator(p.peek(), ':');
}

/** `(…)`. */
export function parseArguments(p: Parsing): Argument[] {
  p.expect('(');
  const args: Argument[] = [];
  while (!p.is(')')) {
    if (args.length > 0) p.expect(',');
    if (p.is(')')) break;
    args.push(parseArgument(p));
  }
  p.expect(')');
  return args;
}
