import type { Argument, Expression, MapEntry } from '../syntax/ast.ts';
import type { Generation } from './generation.ts';

export function generateItems(g: Generation, nodes: readonly Expression[]): string {
  return nodes
    .map((node) => (node.kind === 'spread' ? `...$.spread(${g.expression(node.value)})` : g.expression(node)))
    .join(',');
}

export function generateMap(g: Generation, entries: readonly MapEntry[]): string {
  if (entries.length === 0) return 'new $.JavaMap()';
  const names = entries.map(({ key }) => plainName(key));
  if (names.every((name) => name !== undefined) && new Set(names).size === names.length) {
    const members = entries.map(({ value }, at) => `${names[at]}:${g.expression(value)}`);
    return `new $.MapOfLiteral({${members.join(',')}})`;
  }
  const pairs = entries.flatMap(({ key, value }) =>
    key === undefined ? [] : [`${g.expression(key)},${g.expression(value)}`],
  );
  if (pairs.length === entries.length) return `$.map([${pairs.join(',')}])`;
  const parts = entries.map(({ key, value }) => {
    if (key !== undefined) return `[${g.expression(key)},${g.expression(value)}]`;
    const spread = value.kind === 'spread' ? value.value : value;
    return `...$.spreadEntries(${g.expression(spread)})`;
  });
  return `$.map([${parts.join(',')}].flat())`;
}

export function generateArguments(g: Generation, args: readonly Argument[]): string {
  const named = args.flatMap(({ key, value }): MapEntry[] => {
    if (key === undefined) return [];
    return [key.kind === 'spread' ? { value: key } : { key, value }];
  });
  const values = generateItems(
    g,
    args.filter(({ key }) => key === undefined).map(({ value }) => value),
  );
  if (named.length === 0) return `[${values}]`;
  const map = generateMap(g, named);
  return values === '' ? `[${map}]` : `[${map},${values}]`;
}

export function generateIndex(g: Generation, args: readonly Expression[]): string {
  const [first, ...others] = args;
  return first !== undefined && others.length === 0 && first.kind !== 'spread'
    ? g.expression(first)
    : `[${generateItems(g, args)}]`;
}

/** A key that is a member of an object as it is: objects put numbers first, and `__proto__` means something. */
function plainName(key: Expression | undefined): string | undefined {
  if (key?.kind !== 'constant' || typeof key.value !== 'string') return undefined;
  return /^[a-zA-Z_$]/.test(key.value) && key.value !== '__proto__' ? JSON.stringify(key.value) : undefined;
}
