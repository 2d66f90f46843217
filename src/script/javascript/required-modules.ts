import type { Node, Program } from 'acorn';

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
    const name = moduleName(node);
    if (name !== undefined) found.push({ name, offset: node.start, isCertain });
    // What is called where it is written runs as well.
    const runs = isCertain && !MAYBE.has(node.type);
    for (const child of childrenOf(node)) visit(child, runs || (isCertain && isCalled(node, child)));
  }
}

function moduleName(node: Node): string | undefined {
  const call = node as Node & {
    callee?: Node & { name?: string };
    arguments?: (Node & { value?: unknown })[];
  };
  if (node.type !== 'CallExpression' || call.callee?.type !== 'Identifier') return undefined;
  if (call.callee.name !== 'require') return undefined;
  const name = call.arguments?.[0]?.value;
  return typeof name === 'string' ? name : undefined;
}

/** The test of a condition is always looked at. */
function isCalled(node: Node, child: Node): boolean {
  return (node as Node & { test?: Node }).test === child;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap((value: unknown) => {
    const members: unknown[] = Array.isArray(value) ? value : [value];
    return members.filter(
      (member): member is Node => typeof (member as Node | null)?.type === 'string' && member !== node,
    );
  });
}
