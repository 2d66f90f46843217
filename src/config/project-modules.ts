import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The files are looked at again at most so often. */
const LOOK_INTERVAL_MS = 250;
const MODULE = /^[^._].*\.(?:ts|mts|js|mjs)$/;

/** Whether a file of such a folder is loaded. */
export function isModuleFile(name: string): boolean {
  return MODULE.test(name);
}

export interface ProjectModulesOptions<T> {
  /** A folder of modules; it need not exist. */
  readonly directory: string;
  /** What a module is taken for; it throws for one that is wrong. */
  readonly read: (module: unknown, file: string) => T;
  /** Told of a file that cannot be loaded; what it was before stays in force. */
  readonly onError: (file: string, error: unknown) => void;
}

/**
 * Modules of the project's own code, loaded into this thread and followed while they change. They are the operator's,
 * so not in a sandbox.
 */
export class ProjectModules<T> {
  readonly #options: ProjectModulesOptions<T>;
  readonly #loaded = new Map<string, { version: number; content: T | undefined }>();
  #lookedAt = 0;
  #looking: Promise<void> | undefined;

  constructor(options: ProjectModulesOptions<T>) {
    this.#options = options;
  }

  /** What stands in the files that could be loaded, as it was when they were last looked at. */
  get contents(): T[] {
    return [...this.#loaded.values()].flatMap(({ content }) => (content === undefined ? [] : [content]));
  }

  async refresh(): Promise<void> {
    if (this.#lookedAt !== 0 && performance.now() - this.#lookedAt < LOOK_INTERVAL_MS) return;
    this.#looking ??= this.#look().finally(() => {
      this.#lookedAt = performance.now();
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #look(): Promise<void> {
    const names = await readdir(this.#options.directory).catch(() => []);
    const files = new Set(names.filter(isModuleFile).sort());
    for (const file of this.#loaded.keys()) if (!files.has(file)) this.#loaded.delete(file);
    for (const file of files) await this.#load(file);
  }

  async #load(file: string): Promise<void> {
    const { directory, read, onError } = this.#options;
    const path = join(directory, file);
    const { mtimeMs: version } = await stat(path);
    const old = this.#loaded.get(file);
    if (old?.version === version) return;
    try {
      // A module is loaded once for each URL, so a new version needs a new one.
      const module: unknown = await import(`${pathToFileURL(path).href}?version=${version}`);
      this.#loaded.set(file, { version, content: read(module, file) });
    } catch (error) {
      this.#loaded.set(file, { version, content: old?.content });
      onError(file, error);
    }
  }
}
