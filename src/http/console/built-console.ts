import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A file of a build. */
export interface BuiltFile {
  readonly location: string;
  readonly type: string;
  /** The entity tag of its content. */
  readonly tag: string;
  /** The forms that lie beside it, by the end of their names: `br`, `gz`. */
  readonly encodings: readonly string[];
}

interface Build {
  readonly page: string;
  readonly files: ReadonlyMap<string, BuiltFile>;
}

/** What `bin/build-console.js` writes. */
interface BuildList {
  readonly hash: string;
  readonly files: readonly {
    readonly name: string;
    readonly tag: string;
    readonly encodings: readonly string[];
  }[];
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  woff2: 'font/woff2',
};

/** Pages that are open load parts of theirs later. */
const KEPT = 3;

/** The console as it has been built: its page, and its files, which are found in a list and never by a path. */
export class BuiltConsole {
  readonly #folder: string;
  readonly #builds = new Map<string, Build>();
  #readAt = 0;
  #current: Build | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The page of the latest build; undefined before there is one. */
  page(): string | undefined {
    this.#look();
    return this.#current?.page;
  }

  /** @param name as the page says it, such as `assets/main-1a2b.js` */
  file(name: string): BuiltFile | undefined {
    const known = this.#find(name);
    if (known !== undefined) return known;
    this.#look();
    return this.#find(name);
  }

  /** Why there is none: it is being built, could not be, or nobody has begun. */
  absence(): 'building' | 'failed' | 'unbuilt' {
    try {
      process.kill(Number(readFileSync(join(this.#folder, 'building'), 'utf8')), 0);
      return 'building';
    } catch {
      return isThere(join(this.#folder, 'failed.txt')) ? 'failed' : 'unbuilt';
    }
  }

  #find(name: string): BuiltFile | undefined {
    // What is in several builds is taken from the last one: older ones are cleared away.
    return [...this.#builds.values()]
      .reverse()
      .find(({ files }) => files.has(name))
      ?.files.get(name);
  }

  /** It may have been built anew since. */
  #look(): void {
    const list = join(this.#folder, 'current.json');
    const changedAt = statSync(list, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changedAt === this.#readAt) return;
    this.#readAt = changedAt;
    if (changedAt === 0) {
      this.#current = undefined;
      return;
    }
    const { hash, files }: BuildList = JSON.parse(readFileSync(list, 'utf8'));
    const folder = join(this.#folder, hash);
    const entries = files
      .filter(({ name }) => name.startsWith('assets/'))
      .map(({ name, tag, encodings }): [string, BuiltFile] => [
        name,
        { location: join(folder, name), type: typeOf(name), tag, encodings },
      ]);
    this.#current = { page: readFileSync(join(folder, 'index.html'), 'utf8'), files: new Map(entries) };
    this.#builds.delete(hash);
    this.#builds.set(hash, this.#current);
    for (const old of [...this.#builds.keys()].slice(0, -KEPT)) this.#builds.delete(old);
  }
}

function typeOf(name: string): string {
  return TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}
