import type { ConfigOverlay } from './config-change.ts';
import type { ConfigFile } from './config-file.ts';
import { textsOf } from './config-text.ts';

/** What was set through `/config` stands in front of a file; a default stands in for one that there is not. */
export type ConfigOrigin =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'override'; readonly hides?: string }
  | { readonly kind: 'default' };

/** The files as they were last seen, whether or not they are in force. */
export class SeenFiles {
  #files: ReadonlyMap<string, ConfigFile>;

  constructor(files: ReadonlyMap<string, ConfigFile>) {
    this.#files = files;
  }

  /** @returns whose text somebody has written or edited since then */
  see(files: ReadonlyMap<string, ConfigFile>): ReadonlySet<string> {
    const before = textsOf(this.#files);
    this.#files = files;
    return new Set([...textsOf(files)].flatMap(([id, text]) => (before.get(id) === text ? [] : [id])));
  }

  /** Undefined where there is no file, or none that can be read. */
  textOf(id: string): string | undefined {
    const { content } = this.#files.get(id) ?? {};
    return content !== undefined && 'text' in content ? content.text : undefined;
  }

  originOf(id: string, overlay: ConfigOverlay): ConfigOrigin {
    const { file, isDefault = false } = this.#files.get(id) ?? { isDefault: true };
    const named = isDefault ? undefined : file;
    if (overlay.has(id)) return { kind: 'override', ...(named === undefined ? {} : { hides: named }) };
    return named === undefined ? { kind: 'default' } : { kind: 'file', file: named };
  }
}
