import { parseArgument } from './arguments.ts';
import type { Argument, Expression, MapEntry } from './ast.ts';
import type { Parsing } from './parsing.ts';
import { isOperator } from './token-cursor.ts';

export function parseListOrMap(p: Parsing): Expression {
  const { at } = p.expect('[');
  if (p.is(':') && isOperator(p.peek(), ']')) {
    p.take();
    p.take();
    return { kind: 'map', entries: [], at };
  }
  const items: Argument[] = [];
  while (!p.is(']')) {
    if (items.length > 0) p.expect(',');
    if (p.is(']')) break;
    items.push(parseArgument(p));
  }
  p.expect(']');
  if (!items.some(({ key }) => key !== undefined)) {
    return { kind: 'list', items: items.map(({ value }) => value), at };
  }
  const stray = items.find(({ key }) => key === undefined);
  if (stray !== undefined) throw p.source.errorAt(stray.value.at, 'A map has no entry without a key');
  return { kind: 'map', entries: items.map(toMapEntry), at };
}

function toMapEntry({ key, value }: Argument): MapEntry {
  return key === undefined || key.kind === 'spread' ? { value } : { key, value };
}
