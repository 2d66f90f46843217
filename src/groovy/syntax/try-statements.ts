import type { Handler, Statement } from './ast.ts';
import { parseBlock } from './blocks.ts';
import type { Parsing } from './parsing.ts';
import { isOperator } from './token-cursor.ts';
import { isVariableDeclaration, parseVariables } from './variables.ts';

export function parseTry(p: Parsing): Statement {
  const { at } = p.take();
  const resources = p.is('(') ? parseResources(p) : [];
  const body = parseBlock(p);
  const handlers: Handler[] = [];
  while (p.isKeyword('catch')) handlers.push(parseHandler(p));
  const finalizer = p.takeKeywordIf('finally') ? parseBlock(p) : undefined;
  if (handlers.length === 0 && finalizer === undefined && resources.length === 0) {
    throw p.source.errorAt(at, "'try' has neither 'catch' nor 'finally'");
  }
  return { kind: 'try', resources, body, handlers, ...(finalizer === undefined ? {} : { finalizer }), at };
}

/** What stands in the parentheses behind `try`. */
function parseResources(p: Parsing): Statement[] {
  p.expect('(');
  const resources: Statement[] = [];
  do {
    if (p.is(')')) break;
    const { at } = p.token;
    resources.push(
      isVariableDeclaration(p) ? parseVariables(p) : { kind: 'expression', value: p.expression(), at },
    );
  } while (p.takeIf(';'));
  p.expect(')');
  return resources;
}

function parseHandler(p: Parsing): Handler {
  const { at } = p.take();
  p.expect('(');
  while (p.isKeyword('final') || p.isKeyword('def')) p.take();
  const types = [];
  if (!isOperator(p.peek(), ')')) {
    do types.push(p.typeName());
    while (p.takeIf('|'));
  }
  const name = p.expectName().text;
  p.expect(')');
  return { types, name, body: parseBlock(p), at };
}
