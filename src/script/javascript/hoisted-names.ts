import type { Node } from 'acorn';
import { patternNames } from './compile-script.ts';
import { ScriptSyntaxError } from './failures.ts';
import { parseScript } from './parse-script.ts';

/** The names that a script declares with `var` for its whole text, in blocks and loops too, but not in functions. */
export function hoistedNames(source: string): string[] {
  try {
    const names = new Set<string>();
    collect(parseScript({ name: 'script', source }).program, names);
    return [...names];
  } catch (error) {
    // Who runs it is told.
    if (error instanceof ScriptSyntaxError) return [];
    throw error;
  }
}

function collect(node: Node, names: Set<string>): void {
  if (/Function|Class/.test(node.type)) return;
  if (node.type === 'VariableDeclaration' && 'kind' in node && node.kind === 'var') {
    const { declarations } = node as unknown as { declarations: { id: Node }[] };
    for (const { id } of declarations) for (const name of patternNames(id)) names.add(name);
  }
  for (const child of Object.values(node)) {
    for (const each of Array.isArray(child) ? child : [child]) if (isNode(each)) collect(each, names);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
