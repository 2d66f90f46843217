import type { Variable, VariableStatement } from '../syntax/ast.ts';
import { returned } from './blocks.ts';
import { converted, typeValue } from './class-references.ts';
import { mark } from './generated-text.ts';
import type { Generation } from './generation.ts';
import { kindOf } from './kinds.ts';
import { generateName } from './names.ts';

export function generateVariables(
  g: Generation,
  { variables, shared, isFinal, isField, at }: VariableStatement,
  isTail: boolean,
): string {
  if (shared !== undefined)
    return sharedVariables(g, variables, g.expression(shared), { isFinal, isField, at });
  const parts = variables.map(({ name, type, value, at: nameAt }) => {
    if (type !== undefined) typeValue(g, type);
    // The name is not known yet in its own value.
    const code = value === undefined ? undefined : g.expression(value);
    const kind = value === undefined ? 'unknown' : kindOf(g, value);
    const known = isField ? g.scope.find(name) : undefined;
    const facts = { type, isFinal: isFinal && value !== undefined };
    const local = known ?? g.declareVariable(name, nameAt, facts);
    const { js } = local;
    g.notes.declare(local, name, nameAt, g.scope);
    const initial = code === undefined ? defaultOf(type) : converted(g, code, type, kind);
    return isField ? `${js}=${initial};` : `let ${js}=${initial};`;
  });
  const last = variables.at(-1);
  const tail =
    isTail && last !== undefined ? `return ${returned(g, generateName(g, last.name, last.at))};\n` : '';
  return `${mark(at)}${parts.join('')}\n${tail}`;
}

function sharedVariables(
  g: Generation,
  variables: readonly Variable[],
  value: string,
  facts: { isFinal: boolean; isField: boolean; at: number },
): string {
  const list = g.variable();
  const parts = variables.map(({ name, type, at }, index) => {
    const { js } = g.declareVariable(name, at, { type, isFinal: facts.isFinal, isField: facts.isField });
    return `let ${js}=${converted(g, `$.itemOf(${list},${index})`, type)};`;
  });
  return `${mark(facts.at)}${list}=${value};${parts.join('')}\n`;
}

function defaultOf(type: Variable['type']): string {
  if (type === undefined || type.dimensions > 0) return 'null';
  switch (type.name) {
    case 'int':
      return '0';
    case 'long':
      return '0n';
    case 'boolean':
      return 'false';
    case 'double':
      return '$.double(0)';
    case 'float':
      return '$.float(0)';
    case 'short':
    case 'byte':
    case 'char':
      return `$.cast(0,$.type("${type.name}"))`;
    default:
      return 'null';
  }
}
