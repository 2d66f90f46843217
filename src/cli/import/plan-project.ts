import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '#errors/index.ts';
import { withCompat } from './boot-properties.ts';
import { leftBehind } from './left-behind.ts';
import { repoJsonOf } from './query-filter-of.ts';
import { noticesOf } from './read-notices.ts';

/** What becomes of one file. */
export type Fate =
  /** It is copied, with what is noticed about it. */
  | 'copy'
  /** It is there already as it would be copied. */
  | 'unchanged'
  /** At the target stands something else, which is kept. */
  | 'differs'
  /** It cannot come. */
  | 'left';

export interface PlannedFile {
  /** The path below the project folder, with slashes. */
  readonly path: string;
  readonly fate: Fate;
  /** Why it cannot come, or what does not work as it did. */
  readonly notices: readonly string[];
}

export interface ProjectPlan {
  readonly files: readonly PlannedFile[];
  /** What is to be written, by path. */
  readonly texts: ReadonlyMap<string, CopiedText>;
}

export interface CopiedText {
  readonly bytes: Buffer;
  /** The mode of the file where it comes from, which says who may read it: there may be passwords in it. */
  readonly mode: number;
}

const BOOT = 'conf/boot/boot.properties';
const QUERIES = 'conf/repo.json';
const DATABASE = 'conf/repo.jdbc.json';
const MOST_FILES = 20_000;
const MOST_BYTES = 16_000_000;
/** The mode of a file that was not there before. */
const USUAL_MODE = 0o644;
const PERMISSIONS = 0o777;

/**
 * What a project folder of the field would bring to `target`; nothing is written. A second time everything is unchanged.
 *
 * @param target undefined: an empty one
 * @throws Error with a code of the system where the folder cannot be read
 */
export async function planProject(source: string, target: string | undefined): Promise<ProjectPlan> {
  const files: PlannedFile[] = [];
  const texts = new Map<string, CopiedText>();
  const paths = await listFiles(source, '', files);
  // Without one of its own the project is told by it, too, which names it goes by. What is left behind is no part of it.
  const isOwn = paths.includes(BOOT);
  if (!isOwn && !files.some(({ path }) => path === BOOT || BOOT.startsWith(`${path}/`))) paths.push(BOOT);
  const queries =
    paths.includes(QUERIES) || !paths.includes(DATABASE)
      ? undefined
      : repoJsonOf(String((await readAt(join(source, DATABASE))) ?? ''));
  if (queries !== undefined) paths.push(QUERIES);
  for (const path of paths.sort()) {
    const reason = leftBehind(path);
    if (reason !== undefined) {
      files.push({ path, fate: 'left', notices: [reason] });
      continue;
    }
    const isOfQueries = path === QUERIES && queries !== undefined;
    const isMade = isOfQueries || (path === BOOT && !isOwn);
    const given = isMade ? Buffer.from(isOfQueries ? queries : '') : await readAt(join(source, path));
    if (given === undefined) continue;
    const bytes = path === BOOT ? Buffer.from(withCompat(given.toString())) : given;
    const there = target === undefined ? undefined : await readAt(join(target, path));
    const notices = isOfQueries ? [`Made of queries of ${DATABASE}`] : noticesOf(path, bytes);
    if (there === undefined) {
      const mode = isMade ? USUAL_MODE : (await lstat(join(source, path))).mode & PERMISSIONS;
      texts.set(path, { bytes, mode });
      files.push({ path, fate: 'copy', notices });
    } else if (there.equals(bytes)) {
      files.push({ path, fate: 'unchanged', notices });
    } else {
      const kept = 'The target has another version of it, which is kept; take one of both away';
      files.push({ path, fate: 'differs', notices: [kept, ...notices] });
    }
  }
  return { files, texts };
}

/** Regular files alone: what a link leads to may be anywhere. */
async function listFiles(root: string, below: string, left: PlannedFile[]): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      const reason = leftBehind(`${path}/`);
      if (reason !== undefined) left.push({ path: `${path}/`, fate: 'left', notices: [reason] });
      else found.push(...(await listFiles(root, path, left)));
    } else if (!entry.isFile()) {
      left.push({
        path,
        fate: 'left',
        notices: ['It is a link or no regular file; put the file itself here'],
      });
    } else if ((await stat(join(root, path))).size > MOST_BYTES) {
      left.push({ path, fate: 'left', notices: [`It has more than ${MOST_BYTES} bytes`] });
    } else {
      found.push(path);
    }
    if (found.length > MOST_FILES) throw new Error(`There are more than ${MOST_FILES} files in '${root}'`);
  }
  return found;
}

async function readAt(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT' || systemCodeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
