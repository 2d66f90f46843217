import type { Expression } from './ast.ts';

/** `a.b.c` of names and properties that are nothing but names. */
export function pathText(expression: Expression): string | undefined {
  const names: string[] = [];
  let at = expression;
  while (at.kind === 'property' && typeof at.name === 'string' && at.access === '.' && !at.isField) {
    names.push(at.name);
    at = at.object;
  }
  if (at.kind !== 'name') return undefined;
  names.push(at.name);
  return names.reverse().join('.');
}
