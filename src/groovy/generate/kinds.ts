import type { CallExpression, Expression } from '../syntax/ast.ts';
import type { Generation } from './generation.ts';
import { numberLiteral } from './number-literal.ts';
import type { StaticKind } from './scope.ts';
import { TEXT_METHODS } from './text-methods.ts';

const COMPARISONS = new Set(['<', '<=', '>', '>=', '==', '!=', '===', '!==', 'in', '!in', '==~', '&&', '||']);

const INT_OPERATORS = new Set(['+', '-', '*', '&', '|', '^']);

export function kindOf(g: Generation, node: Expression): StaticKind {
  switch (node.kind) {
    case 'number': {
      const literal = numberLiteral(node.text);
      return 'isInt' in literal && literal.isInt ? 'int' : 'unknown';
    }
    case 'constant':
      if (typeof node.value === 'boolean') return 'boolean';
      return typeof node.value === 'string' ? 'string' : 'unknown';
    case 'name':
      return g.scope.find(node.name)?.kind ?? 'unknown';
    case 'instanceof':
      return 'boolean';
    case 'unary':
      if (node.operator === '!') return 'boolean';
      return node.operator === '-' && kindOf(g, node.value) === 'int' ? 'int' : 'unknown';
    case 'binary':
      return kindOfBinary(g, node);
    case 'call':
      return kindOfCall(g, node);
    case 'choice': {
      const kind = kindOf(g, node.then ?? node.test);
      return kind === kindOf(g, node.otherwise) ? kind : 'unknown';
    }
    default:
      return 'unknown';
  }
}

/** Looks at each side once: twice would be twice as long for each operator of a chain. */
function kindOfBinary(g: Generation, node: Expression & { kind: 'binary' }): StaticKind {
  const { operator, left, right } = node;
  if (COMPARISONS.has(operator)) return 'boolean';
  if (operator === '<=>') return 'int';
  if (operator === '%') return isIntRemainder(g, node) ? 'int' : 'unknown';
  if (!INT_OPERATORS.has(operator)) return 'unknown';
  const kind = kindOf(g, left);
  if (operator === '+' && kind === 'string') return 'string';
  return kind === 'int' && kindOf(g, right) === 'int' ? 'int' : 'unknown';
}

/** The kind of what a call gives, where the generator writes the call out itself. */
function kindOfCall(g: Generation, { callee, args }: CallExpression): StaticKind {
  if (callee.kind !== 'property' || callee.access !== '.' || callee.isField || args.length > 0)
    return 'unknown';
  if (callee.object.kind === 'text' && callee.name === 'toString') return 'string';
  if (typeof callee.name !== 'string' || kindOf(g, callee.object) !== 'string') return 'unknown';
  return TEXT_METHODS[callee.name]?.kind ?? 'unknown';
}

function isIntRemainder(g: Generation, { left, right }: Expression & { kind: 'binary' }): boolean {
  return kindOf(g, left) === 'int' && right.kind === 'number' && /^[1-9]\d*$/.test(right.text);
}
