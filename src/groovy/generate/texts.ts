import type { Expression } from '../syntax/ast.ts';
import type { Generation } from './generation.ts';
import { kindOf } from './kinds.ts';

export function generateText(g: Generation, node: Expression & { kind: 'text' }): string {
  const values = node.values.map((value) => g.expression(value));
  return `new $.GString(${g.constant(JSON.stringify(node.strings))},[${values.join(',')}])`;
}

/** A text that is wanted as a String at once. */
export function generatePlainText(g: Generation, { strings, values }: Expression & { kind: 'text' }): string {
  const parts = values.map((value, index) => {
    const code =
      value.kind === 'closure'
        ? `$.toText(new $.GString(["",""],[${g.expression(value)}]))`
        : partText(g, value);
    return `${code}+${JSON.stringify(strings[index + 1])}`;
  });
  return `(${[JSON.stringify(strings[0]), ...parts].join('+')})`;
}

/** A closure that a variable holds is asked for its text too. */
function partText(g: Generation, node: Expression): string {
  const code = g.expression(node);
  return kindOf(g, node) === 'unknown' ? `$.partText(${code})` : code;
}

/** What is printed for a value. */
export function generateTextOf(g: Generation, node: Expression): string {
  const code = g.expression(node);
  return kindOf(g, node) === 'unknown' ? `$.toText(${code})` : code;
}
