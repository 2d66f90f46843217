import type { Node } from 'acorn';

/** A node with whatever members its type has. */
export type AnyNode = Node & Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The node that is a member of this one; undefined where there is none. */
export function nodeAt(node: Node, name: string): AnyNode | undefined {
  const member: unknown = Reflect.get(node, name);
  return isNode(member) ? member : undefined;
}

/** The nodes of a list that is a member of this one. */
export function nodesAt(node: Node, name: string): AnyNode[] {
  const members: unknown = Reflect.get(node, name);
  return Array.isArray(members) ? members.filter(isNode) : [];
}

/** Whether a member is written `object[property]`. */
export function isComputed(member: Node): boolean {
  return 'computed' in member && member.computed === true;
}

export function childrenOf(node: Node): AnyNode[] {
  return Object.values(node).flatMap((value: unknown) => {
    const members: unknown[] = Array.isArray(value) ? value : [value];
    return members.filter(isNode).filter((member) => member !== node);
  });
}

/** The name in a `require('name')`; undefined of anything else. */
export function requiredName(call: Node | undefined): string | undefined {
  return textGivenTo('require', call);
}

/** The text in a call such as `load('text')` of a function by its name; undefined of anything else. */
export function textGivenTo(name: string, call: Node | undefined): string | undefined {
  if (call?.type !== 'CallExpression' || !isNamed(nodeAt(call, 'callee'), name)) return undefined;
  const [first] = nodesAt(call, 'arguments');
  return typeof first?.['value'] === 'string' ? first['value'] : undefined;
}

export function isNamed(node: unknown, name: string): boolean {
  return isNode(node) && node.type === 'Identifier' && node['name'] === name;
}
