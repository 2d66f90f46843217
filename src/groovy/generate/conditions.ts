import type { Expression } from '../syntax/ast.ts';
import type { Generation } from './generation.ts';
import { kindOf } from './kinds.ts';
import type { StaticKind } from './scope.ts';

/** As JavaScript's own truth. */
export function generateCondition(g: Generation, node: Expression): string {
  return asCondition(g.expression(node), kindOf(g, node));
}

export function asCondition(code: string, kind: StaticKind): string {
  switch (kind) {
    case 'boolean':
      return code;
    case 'int':
      return `((${code})!==0)`;
    case 'string':
      return `((${code})!=="")`;
    default:
      return `$.truth(${code})`;
  }
}
