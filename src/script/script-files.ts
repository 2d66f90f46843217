import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { isBelow, type ScriptTexts } from '#config/index.ts';
import type { SourceDirectory } from './script-sources.ts';

interface ScriptPlaceInSource {
  readonly source: string;
  readonly file: string;
  readonly bytes: number;
  /** The text of a script that was set through REST, which is in no file. */
  readonly text?: string;
}

/** What `source` says of a script that was set through REST. */
export const OVERRIDE = 'override';

/** A script as the sources have it. */
export interface ListedScript {
  /** The path below the source that wins. */
  readonly path: string;
  /** The places of the sources that have it, the one that wins first. */
  readonly places: readonly ScriptPlaceInSource[];
}

/** How many files of all sources are listed. */
const MOST_FILES = 5_000;
const DEEPEST = 16;
/** The most bytes of a file that is read. */
const LONGEST_FILE = 4_194_304;
const SCRIPT = /\.(?:js|groovy)$/i;

/**
 * The files of the sources, in their order. Of a source that others lie in, such as the project as a whole, its `script` folder
 * is gone through: what is in it besides are no scripts. Links are not followed, nor folders whose names begin with a dot.
 *
 * @param declared in their order in `script.json`
 * @param set through REST; null of those that were taken away
 */
export async function listScripts(
  declared: readonly SourceDirectory[],
  set: ScriptTexts = new Map(),
): Promise<readonly ListedScript[]> {
  const sources = declared.toReversed().map(({ name, directory }) => ({ name, root: resolve(directory) }));
  const found = new Map<string, ScriptPlaceInSource[]>();
  const pathOf = new Map<string, string>();
  const [first] = sources;
  if (first === undefined) return [];
  for (const [path, text] of set) {
    const file = join(first.root, path);
    pathOf.set(file, path);
    const bytes = Buffer.byteLength(text ?? '');
    found.set(path, text === null ? [] : [{ source: OVERRIDE, file, bytes, text }]);
  }
  for (const [index, { name, root }] of sources.entries()) {
    const isWide = sources.some((other) => other.root !== root && isBelow(root, other.root));
    const folder = isWide ? join(root, 'script') : root;
    if (isWide && sources.some((other) => other.root === folder)) continue;
    for await (const file of filesIn(folder, 0)) {
      if (pathOf.size >= MOST_FILES) break;
      const own = relative(root, file);
      // A source before it may have the same under a shorter path.
      const ahead = sources.slice(0, index).map((other) => pathOf.get(join(other.root, own)));
      const path = ahead.find((other) => other !== undefined) ?? own;
      pathOf.set(file, path);
      const places = found.get(path) ?? [];
      places.push({ source: name, file, bytes: (await stat(file)).size });
      found.set(path, places);
    }
  }
  for (const [path, text] of set) if (text === null) found.delete(path);
  return [...found]
    .map(([path, places]) => ({ path, places }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

async function* filesIn(folder: string, depth: number): AsyncGenerator<string> {
  // A source need not be there.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < DEEPEST) yield* filesIn(path, depth + 1);
    else if (entry.isFile() && SCRIPT.test(entry.name)) yield path;
  }
}

/** Undefined of one that is too long to be shown. */
export async function readScript({ places }: ListedScript): Promise<string | undefined> {
  const [place] = places;
  if (place === undefined || place.bytes > LONGEST_FILE) return undefined;
  return place.text ?? readFile(place.file, 'utf8');
}

/** The paths by which scripts and configurations may name it: below each source that it lies in. */
export function namesOf({ places }: ListedScript, declared: readonly SourceDirectory[]): ReadonlySet<string> {
  const [place] = places;
  if (place === undefined) return new Set();
  const { file } = place;
  const paths = declared
    .filter(({ directory }) => isBelow(directory, file))
    .map(({ directory }) => relative(resolve(directory), file));
  const plain = paths.map((path) => path.replace(SCRIPT, ''));
  return new Set([...paths, ...plain, ...plain.map((path) => path.replaceAll('/', '.'))]);
}

export function revisionOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
