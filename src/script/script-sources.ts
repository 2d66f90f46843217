import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { LRUCache } from 'lru-cache';
import { isBelow, isReallyBelow, type ScriptOverlay } from '#config/index.ts';
import { didYouMean, NotFoundError } from '#errors/index.ts';

/** A directory that scripts are looked up in. */
export interface SourceDirectory {
  readonly name: string;
  readonly directory: string;
}

export interface ScriptFile {
  /** The path as it was asked for. */
  readonly path: string;
  readonly absolutePath: string;
  readonly text: string;
}

interface CachedFile {
  readonly file: ScriptFile;
  readonly revision: string | undefined;
  readonly modifiedAt: number;
  checkedAt: number;
}

export interface FindOptions {
  /** Appended when the name is not found as it is: dots in it then separate folders. Such as `.js`. */
  readonly extension?: string;
  /** A label of the caller's; with another one than last time the file is looked at again at once. */
  readonly revision?: string | undefined;
}

/** How many names in a folder are looked at to find the one that was meant. */
const MOST_NAMES = 1_000;

const MAX_CACHED_CHARACTERS = 32_000_000;

/** Milliseconds between two looks at a file; -1 for never again. */
export type RecheckInterval = number | ((path: string) => number);

/**
 * The script directories in order of precedence: a file of a later-declared source hides one of the same
 * relative path in an earlier one. A file is looked at again at most once per recompile interval.
 */
export class ScriptSources {
  readonly #directories: readonly SourceDirectory[];
  readonly #recheckMs: RecheckInterval;
  readonly #now: () => number;
  readonly #encodingOf: (path: string) => string;
  readonly #overlay: ScriptOverlay | undefined;
  /** Whoever may name a file may name it in many ways (`./a.js`, `././a.js`). */
  readonly #cache = new LRUCache<string, CachedFile>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ file }, path) => path.length + file.text.length + 1,
  });

  constructor(
    declared: readonly SourceDirectory[],
    recheckMs: RecheckInterval,
    now: () => number = Date.now,
    encodingOf: (path: string) => string = () => 'utf-8',
    overlay?: ScriptOverlay,
  ) {
    this.#overlay = overlay;
    this.#encodingOf = encodingOf;
    this.#directories = declared.toReversed();
    this.#recheckMs = recheckMs;
    this.#now = now;
  }

  /** @throws NotFoundError when no source has the file, or the path leaves its source or is hidden */
  async get(path: string, options: FindOptions = {}): Promise<ScriptFile> {
    const file = await this.find(path, options);
    if (file !== undefined) return file;
    throw new NotFoundError(`Script file '${path}' is in none of the script sources`, {
      id: 'SCRIPT_FILE_NOT_FOUND',
      hint: [
        await this.#nearFile(path, options.extension),
        `Looked in ${this.#directories.map((source) => source.name).join(', ')}`,
      ]
        .filter(Boolean)
        .join(' '),
    });
  }

  /** A file beside that which was asked for. */
  async #nearFile(path: string, extension = ''): Promise<string | undefined> {
    const asked = path.endsWith(extension) ? path : path + extension;
    const beside: string[] = [];
    for (const { directory } of this.#directories) {
      const place = within(directory, asked);
      const names = place === undefined ? [] : await readdir(dirname(place)).catch(() => []);
      for (const name of names.slice(0, MOST_NAMES)) {
        const known = join(dirname(asked), name);
        if (within(directory, known) !== undefined) beside.push(known);
      }
    }
    return didYouMean(asked, beside);
  }

  async find(path: string, options: FindOptions = {}): Promise<ScriptFile | undefined> {
    const { extension, revision } = options;
    const found = await this.#find(path, revision);
    if (found !== undefined || extension === undefined || path.endsWith(extension)) return found;
    return this.#find(`${path.replaceAll('.', '/')}${extension}`, revision);
  }

  async #find(path: string, revision: string | undefined): Promise<ScriptFile | undefined> {
    const set = this.#findSet(path);
    if (set !== undefined) return set ?? undefined;
    const cached = this.#cache.get(path);
    if (cached !== undefined && !this.#isStale(cached, revision)) return cached.file;
    for (const { directory } of this.#directories) {
      const absolutePath = within(directory, path);
      const modifiedAt = absolutePath === undefined ? undefined : await modificationTime(absolutePath);
      if (absolutePath === undefined || modifiedAt === undefined) continue;
      if (
        cached?.file.absolutePath === absolutePath &&
        cached.modifiedAt === modifiedAt &&
        cached.revision === revision
      ) {
        cached.checkedAt = this.#now();
        return cached.file;
      }
      // A link may lead anywhere; where it leads out of all sources, the file is no script of ours.
      if (!this.#directories.some((source) => isReallyBelow(source.directory, absolutePath))) continue;
      const file = { path, absolutePath, text: await this.#read(path, absolutePath) };
      this.#cache.set(path, { file, revision, modifiedAt, checkedAt: this.#now() });
      return file;
    }
    this.#cache.delete(path);
    return undefined;
  }

  /** What was set through REST: null of one that was taken away, undefined where nothing was. */
  #findSet(path: string): ScriptFile | null | undefined {
    const [first] = this.#directories;
    const texts = this.#overlay?.texts;
    if (first === undefined || texts === undefined || texts.size === 0) return undefined;
    for (const { directory } of this.#directories) {
      const absolutePath = within(directory, path);
      if (absolutePath === undefined) continue;
      const text = texts.get(relative(resolve(first.directory), absolutePath));
      if (text !== undefined) return text === null ? null : { path, absolutePath, text };
    }
    return undefined;
  }

  async #read(path: string, absolutePath: string): Promise<string> {
    return new TextDecoder(this.#encodingOf(path)).decode(await readFile(absolutePath));
  }

  /** What an absolute path is below the source that it lies in; scripts make such paths of the server's locations. */
  relativePath(path: string): string {
    if (!isAbsolute(path)) return path;
    const roots = this.#directories.map(({ directory }) => resolve(directory));
    const root = roots.find((other) => path.startsWith(other.endsWith(sep) ? other : other + sep));
    return root === undefined ? path : relative(root, path);
  }

  /** Forgets what was read, so that the next look-up goes to the disk. */
  forget(): void {
    this.#cache.clear();
  }

  #isStale({ file, checkedAt, revision }: CachedFile, asked: string | undefined): boolean {
    if (revision !== asked) return true;
    const recheckMs = typeof this.#recheckMs === 'number' ? this.#recheckMs : this.#recheckMs(file.path);
    return recheckMs >= 0 && this.#now() - checkedAt >= recheckMs;
  }
}

/**
 * The file's place below the directory; undefined when the path would lead out of it, or to what is no script: a source
 * may be a whole project with its configuration, an `.env` and a key ring in `.svc`, and a script that cannot be compiled
 * tells of its words in its error.
 */
function within(directory: string, path: string): string | undefined {
  if (isAbsolute(path) || path.includes('\0') || HIDDEN.test(path) || !SCRIPT.test(path)) return undefined;
  const root = resolve(directory);
  const file = resolve(root, normalize(path));
  return file !== root && isBelow(root, file) ? file : undefined;
}

const SCRIPT = /\.(?:js|groovy)$/i;

/** A name that begins with a dot and is neither `.` nor `..`. */
const HIDDEN = /(?:^|[/\\])\.(?!\.?(?:[/\\]|$))/;

async function modificationTime(path: string): Promise<number | undefined> {
  try {
    const stats = await stat(path);
    return stats.isFile() ? stats.mtimeMs : undefined;
  } catch {
    return undefined;
  }
}
