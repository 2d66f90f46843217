import { posix } from 'node:path';
import type { Platform } from '#platform/index.ts';
import { type AnyNode, childrenOf, isNamed, nodesAt, parseScript } from '#script/index.ts';

const MOST_FILES = 100;

interface Named {
  readonly path: string;
  readonly isModule: boolean;
}

/**
 * The texts of the files that a script requires or loads by their names, and of those that these do. What is not there, or is no script, is
 * passed over: whoever evaluates it is told.
 */
export async function requiredTexts(
  { scriptFiles }: Pick<Platform, 'scriptFiles'>,
  text: string,
): Promise<readonly string[]> {
  const texts = new Map<string, string>();
  const open = namedIn(text, '.');
  for (const path of open) {
    if (texts.has(path) || texts.size === MOST_FILES) continue;
    const found = await scriptFiles.find(path).catch(() => undefined);
    if (found === undefined) continue;
    texts.set(path, found.text);
    open.push(...namedIn(found.text, posix.dirname(path)));
  }
  return [...texts.values()];
}

function namedIn(source: string, folder: string): string[] {
  try {
    const named = nodesAt(parseScript({ name: 'access', source }).program, 'body').flatMap(namedAt);
    return named.map(({ path, isModule }) => {
      const isRelative = isModule && /^\.\.?\//.test(path);
      const plain = isRelative ? posix.join(folder, path) : path;
      return isModule && !plain.endsWith('.js') ? `${plain}.js` : plain;
    });
  } catch {
    return [];
  }
}

function namedAt(node: AnyNode): Named[] {
  const within = childrenOf(node).flatMap(namedAt);
  if (node.type !== 'CallExpression') return within;
  const isModule = isNamed(node['callee'], 'require');
  const [first] = nodesAt(node, 'arguments');
  const path = first?.type === 'Literal' ? first['value'] : undefined;
  const isOurs = isModule || isNamed(node['callee'], 'load');
  return isOurs && typeof path === 'string' ? [{ path, isModule }, ...within] : within;
}
