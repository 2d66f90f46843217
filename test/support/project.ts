import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** Properties of a project whose files are looked at ten times as often as otherwise. */
export const WATCHFUL = 'svc.fileinstall.poll=200\n';

/** A project location made for one test. */
export interface TestProject extends AsyncDisposable {
  readonly location: string;
  /** Writes a file below the project location; objects become JSON. */
  write(path: string, content: unknown): Promise<void>;
  remove(path: string): Promise<void>;
}

/** @param files path below the project location → text or JSON */
export async function createProject(files: Record<string, unknown> = {}): Promise<TestProject> {
  const location = await mkdtemp(join(tmpdir(), 'svc-project-'));
  const write = async (path: string, content: unknown) => {
    const file = join(location, path);
    await mkdir(dirname(file), { recursive: true });
    // Whoever watches sees the old text or the new one, and one change.
    await writeFile(`${location}.part`, typeof content === 'string' ? content : JSON.stringify(content));
    await rename(`${location}.part`, file);
  };
  await mkdir(join(location, 'conf'), { recursive: true });
  for (const [path, content] of Object.entries(files)) await write(path, content);
  return {
    location,
    write,
    remove: (path) => rm(join(location, path)),
    [Symbol.asyncDispose]: () => rm(location, { recursive: true, force: true }),
  };
}

/** The files of a project folder of `test/fixtures`, by their paths below it. */
export async function fixtureFiles(folder: string): Promise<Record<string, string>> {
  const root = join(import.meta.dirname, '../fixtures', folder);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const texts = files.map(async (file) => [relative(root, file), await readFile(file, 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}
