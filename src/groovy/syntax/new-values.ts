import { parseAnnotations } from './annotations.ts';
import { parseArguments } from './arguments.ts';
import type { Expression } from './ast.ts';
import type { Parsing } from './parsing.ts';

export function parseNewValue(p: Parsing): Expression {
  const { at } = p.take();
  parseAnnotations(p);
  const typeAt = p.token.at;
  const type = p.typeName();
  if (type.dimensions > 0) {
    if (!p.is('{')) throw p.unexpected('The size of the array is missing.');
    return { kind: 'newArray', type, sizes: [], items: parseArrayItems(p), at };
  }
  if (p.is('[')) {
    const sizes: Expression[] = [];
    let dimensions = 0;
    while (p.takeIf('[')) {
      if (!p.is(']')) sizes.push(p.expression());
      p.expect(']');
      dimensions++;
    }
    return { kind: 'newArray', type: { ...type, dimensions }, sizes, at };
  }
  if (!p.is('(')) throw p.unexpected("The '(' of the constructor call is missing.");
  const args = parseArguments(p);
  if (!p.is('{') || p.token.startsLine) return { kind: 'new', type, args, at };
  return { kind: 'new', type, args, body: p.nested(() => p.classBody('', typeAt)), at };
}

function parseArrayItems(p: Parsing): Expression {
  const { at } = p.expect('{');
  const items: Expression[] = [];
  while (!p.is('}')) {
    if (items.length > 0) p.expect(',');
    if (p.is('}')) break;
    items.push(p.nested(() => (p.is('{') ? parseArrayItems(p) : p.expression())));
  }
  p.expect('}');
  return { kind: 'list', items, at };
}
