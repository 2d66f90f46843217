import { parseScript } from './parse-script.ts';
import type { ScriptSource } from './script-source.ts';
import { type AnyNode, childrenOf, isNamed } from './syntax-tree.ts';

/**
 * On which line each element of a list begins that a script writes out as a member of that name, as in `{configs: [ … ]}`;
 * undefined where it makes the list in another way.
 */
export function elementLines(script: ScriptSource, member: string): readonly number[] | undefined {
  const list = findList(parseScript(script).program as unknown as AnyNode, member);
  const elements = list?.['elements'] as readonly (AnyNode | null)[] | undefined;
  if (elements === undefined || elements.some((element) => element?.type === 'SpreadElement'))
    return undefined;
  const starts = elements.map((element) => element?.start ?? 0);
  let line = 1;
  let at = 0;
  return starts.map((start) => {
    for (; at < start; at += 1) if (script.source[at] === '\n') line += 1;
    return line;
  });
}

function findList(node: AnyNode, member: string): AnyNode | undefined {
  const value = node['value'] as AnyNode | undefined;
  const key = node['key'] as AnyNode | undefined;
  if (node.type === 'Property' && value?.type === 'ArrayExpression') {
    if (isNamed(key, member) || key?.['value'] === member) return value;
  }
  for (const child of childrenOf(node)) {
    const found = findList(child, member);
    if (found !== undefined) return found;
  }
  return undefined;
}
