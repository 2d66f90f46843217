import { glob, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { configIdOfFile, formatConfigId } from '#config/index.ts';
import { type Rewrapper, replaceFile } from '#crypto/index.ts';
import { wordsOf } from '#errors/index.ts';

export interface FileRotation {
  /** The path below the project location. */
  readonly file: string;
  readonly sealed: number;
  /** How many values are under older keys; encrypted again if that was asked for. */
  readonly outdated: number;
  readonly failures: readonly string[];
  /** Why something that looks like an encrypted value can be opened with no key of the ring. */
  readonly foreign?: string;
}

export interface FileRotationOptions {
  readonly projectLocation: string;
  readonly rewrapper: Rewrapper;
  /** Configurations that were changed through `/config`: they stand in front of their files. */
  readonly overridden: ReadonlySet<string>;
  /** False only looks. */
  readonly write: boolean;
}

const SIGN = 'x-simple-encryption';
const MAX_BYTES = 16 * 1024 * 1024;

/** The files of a project that hold encrypted values, and those values encrypted again. */
export async function rotateFiles(options: FileRotationOptions): Promise<FileRotation[]> {
  const { projectLocation } = options;
  const rotations: FileRotation[] = [];
  const found = glob('{conf,script,workflow,service}/**/*', {
    cwd: projectLocation,
    withFileTypes: true,
    exclude: ({ name }) => name === 'node_modules',
  });
  for await (const entry of found) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    const rotation = await rotateFile(file, relative(projectLocation, file), options);
    if (rotation !== undefined) rotations.push(rotation);
  }
  return rotations.sort((left, right) => (left.file < right.file ? -1 : 1));
}

async function rotateFile(
  path: string,
  file: string,
  { rewrapper, overridden, write }: FileRotationOptions,
): Promise<FileRotation | undefined> {
  const about = await stat(path).catch(() => undefined);
  if (about === undefined || !about.isFile() || about.size > MAX_BYTES) return undefined;
  // Byte by byte: what is no text comes back as it was.
  const before = await readFile(path, 'latin1');
  if (!before.includes(SIGN)) return undefined;
  const { text, rewrapped: outdated, ...found } = rewrapper.rewrap(before);
  const { sealed, failures, foreign } = found;
  if (sealed === 0 && foreign === undefined) return undefined;
  const rotation: FileRotation = {
    file,
    sealed,
    outdated,
    failures,
    ...(foreign === undefined ? {} : { foreign }),
  };
  if (!write || outdated === 0) return rotation;
  const id = dirname(file) === 'conf' ? configIdOfFile(basename(file)) : undefined;
  if (id !== undefined && overridden.has(formatConfigId(id))) {
    const why = `left as it is: an edit of the file would replace what was set through /config/${formatConfigId(id)}`;
    return { ...rotation, failures: [...failures, why] };
  }
  try {
    await rewrite(path, text);
    return rotation;
  } catch (error) {
    return { ...rotation, failures: [...failures, wordsOf(error)] };
  }
}

/** Writes the file anew with its mode; where it is a link, what that points at. */
async function rewrite(path: string, text: string): Promise<void> {
  const file = await realpath(path);
  const { mode } = await stat(file);
  await replaceFile(file, Buffer.from(text, 'latin1'), mode);
}
