import type { Platform } from '#platform/index.ts';
import { childrenOf, modulePath, parseScript, textGivenTo } from '#script/index.ts';

const MOST_FILES = 100;

type ParsedNode = Parameters<typeof childrenOf>[0];

/**
 * The texts of the files that a script requires or loads by their names, and of those that these do. What is not there, or is no script, is
 * passed over: whoever evaluates it is told.
 */
export async function requiredTexts(
  { scriptFiles }: Pick<Platform, 'scriptFiles'>,
  text: string,
): Promise<readonly string[]> {
  const texts = new Map<string, string>();
  const open = namedIn(text, '');
  for (const path of open) {
    if (texts.has(path) || texts.size === MOST_FILES) continue;
    const found = await scriptFiles.find(path).catch(() => undefined);
    if (found === undefined) continue;
    texts.set(path, found.text);
    open.push(...namedIn(found.text, path));
  }
  return [...texts.values()];
}

function namedIn(source: string, path: string): string[] {
  try {
    return pathsIn(parseScript({ name: 'access', source }).program, path);
  } catch {
    return [];
  }
}

function pathsIn(node: ParsedNode, path: string): string[] {
  const within = childrenOf(node).flatMap((child) => pathsIn(child, path));
  const name = textGivenTo('require', node);
  const own = name === undefined ? textGivenTo('load', node) : modulePath(name, path);
  return own === undefined ? within : [own, ...within];
}
