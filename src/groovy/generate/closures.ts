import type { ClosureExpression } from '../syntax/ast.ts';
import { generateFunctionBody } from './blocks.ts';
import type { Generation } from './generation.ts';
import { generateFunction, parameterShape } from './parameters.ts';

export function generateClosure(g: Generation, { parameters, body }: ClosureExpression): string {
  const { owner, self } = g.context;
  const { returns: _returns, yields: _yields, ...outer } = g.context;
  const code = g.inContext({ ...outer, owner: '$c' }, () =>
    g.inScope('closure', () => {
      if (parameters !== undefined)
        return generateFunction(g, parameters, '$c', () => generateFunctionBody(g, body));
      g.scope.declare('it', { js: 'v$it', kind: 'unknown', isFinal: false, isField: false });
      return `($c,v$it)=>{${generateFunctionBody(g, body)}}`;
    }),
  );
  // A closure without parameters of its own may be given one, `it`.
  const shape = parameters === undefined ? '0,1' : parameterShape(g, parameters);
  return `new $.Closure(${owner},${self},${code},${shape})`;
}
