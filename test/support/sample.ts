import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** The files of a project of `samples/`, by their paths below it. */
export async function sampleFiles(name: string): Promise<Record<string, string>> {
  const root = join(import.meta.dirname, '../../samples', name);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const texts = files.map(async (file) => [relative(root, file), await readFile(file, 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}
