import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { ResourceDescription } from '#resource/index.ts';
import { openApiDocument } from './openapi.ts';

/** Paths of which the description stays written. */
const MOST_KEPT = 20;

/** The API description as JSON text. It is written once for as long as it stays so: it takes long, and anybody may ask. */
export class ApiDescription {
  readonly #describe: () => readonly ResourceDescription[];
  readonly #form: { readonly version: string; readonly basePath: string };
  readonly #written = new LRUCache<string, { descriptions: readonly ResourceDescription[]; text: string }>({
    max: MOST_KEPT,
  });

  /** @param describe what can be asked now */
  constructor(
    describe: () => readonly ResourceDescription[],
    form: { readonly version: string; readonly basePath: string },
  ) {
    this.#describe = describe;
    this.#form = form;
  }

  /** The description of everything, or of what lies at and below a path, as a text. */
  textOf(path = ''): string {
    const root = path.replace(/^\/|\/$/g, '');
    const descriptions = this.#describe().filter(
      (description) => root === '' || description.path === root || description.path.startsWith(`${root}/`),
    );
    const written = this.#written.get(root);
    if (written !== undefined && isDeepStrictEqual(written.descriptions, descriptions)) return written.text;
    const text = JSON.stringify(openApiDocument(descriptions, this.#form));
    if (descriptions.length > 0) this.#written.set(root, { descriptions, text });
    return text;
  }
}
