import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Modules that scripts of the field require by these paths, and the npm packages that they are. */
const LIBRARIES: Readonly<Record<string, string>> = {
  'lib/lodash.js': 'lodash/lodash.min.js',
  'lib/handlebars.js': 'handlebars/dist/handlebars.min.js',
};

const texts = new Map<string, Promise<string>>();

export function isShippedLibrary(id: string): boolean {
  return Object.hasOwn(LIBRARIES, id);
}

/** The library that a script of the field means by a path, which may lead through the place where its server keeps them. */
export function shippedLibraryAt(path: string): string | undefined {
  const id = path.replace(/^.*\bbin\/defaults\/script\//, '');
  return isShippedLibrary(id) ? id : undefined;
}

/** The source of a shipped library; read at the first call. */
export function readShippedLibrary(id: string): Promise<string> {
  const known = texts.get(id);
  if (known !== undefined) return known;
  const text = readFile(createRequire(import.meta.url).resolve(LIBRARIES[id]!), 'utf8');
  texts.set(id, text);
  // A failure is no answer to keep.
  text.catch(() => texts.delete(id));
  return text;
}
