import type { Node, Program } from 'acorn';
import { childrenOf, requiredName } from './syntax-tree.ts';

/** A `require('name')` of a script. */
export interface RequiredModule {
  readonly name: string;
  /** Where it stands, from 0. */
  readonly offset: number;
  /** It is reached whenever the script runs; otherwise a condition, a function or a `try` may keep it from that. */
  readonly isCertain: boolean;
}

const MAYBE: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'IfStatement',
  'ConditionalExpression',
  'LogicalExpression',
  'TryStatement',
  'SwitchStatement',
  'ForInStatement',
  'ForOfStatement',
  'ForStatement',
  'WhileStatement',
]);

/** The modules that a script names outright; a name that it computes is known when it runs. */
export function requiredModules(program: Program): readonly RequiredModule[] {
  const found: RequiredModule[] = [];
  visit(program, true);
  return found;

  function visit(node: Node, isCertain: boolean): void {
    const name = requiredName(node);
    if (name !== undefined) found.push({ name, offset: node.start, isCertain });
    // What is called where it is written runs as well.
    const runs = isCertain && !MAYBE.has(node.type);
    for (const child of childrenOf(node)) visit(child, runs || (isCertain && isCalled(node, child)));
  }
}

/** The test of a condition is always looked at. */
function isCalled(node: Node, child: Node): boolean {
  return (node as Node & { test?: Node }).test === child;
}
