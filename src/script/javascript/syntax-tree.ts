import type { Node } from 'acorn';

/** A node with whatever members its type has. */
export type AnyNode = Node & Readonly<Record<string, unknown>>;

export function childrenOf(node: Node): AnyNode[] {
  return Object.values(node).flatMap((value: unknown) => {
    const members: unknown[] = Array.isArray(value) ? value : [value];
    return members.filter(
      (member): member is AnyNode => typeof (member as Node | null)?.type === 'string' && member !== node,
    );
  });
}

/** The name in a `require('name')`; undefined of anything else. */
export function requiredName(node: Node | null | undefined): string | undefined {
  const call = node as AnyNode | null | undefined;
  if (call?.type !== 'CallExpression' || !isNamed(call['callee'], 'require')) return undefined;
  const [first] = call['arguments'] as (AnyNode | undefined)[];
  return typeof first?.['value'] === 'string' ? first['value'] : undefined;
}

export function isNamed(node: unknown, name: string): boolean {
  const identifier = node as AnyNode | null;
  return identifier?.type === 'Identifier' && identifier['name'] === name;
}
