import { AsyncLocalStorage } from 'node:async_hooks';
import type { ConfigChange } from './config-change.ts';

/** Scripts by their path below the source that wins: their text, or null of one that was taken away. */
export type ScriptTexts = ReadonlyMap<string, string | null>;

/** Scripts that were set through REST. They stand in front of the files of all sources, in each thread of each node. */
export class ScriptOverlay {
  readonly #tried = new AsyncLocalStorage<ScriptTexts>();
  readonly #changed = new Map<string, ConfigChange>();
  #texts: ScriptTexts = new Map();

  get texts(): ScriptTexts {
    return this.#tried.getStore() ?? this.#texts;
  }

  /** Puts them in force, and remembers what is to be told of it. */
  replace(texts: ScriptTexts): void {
    const before = this.#texts;
    this.#texts = texts;
    for (const path of new Set([...before.keys(), ...texts.keys()])) {
      if (before.get(path) === texts.get(path)) continue;
      const id = `script-file/${path}`;
      this.#changed.set(id, { id, kind: texts.has(path) ? 'changed' : 'removed' });
    }
  }

  /** What has changed since it was asked. */
  takeChanges(): readonly ConfigChange[] {
    const changes = [...this.#changed.values()];
    this.#changed.clear();
    return changes;
  }

  /** Has some work see texts that are not in force, and nobody else. */
  trying<T>(texts: ScriptTexts, work: () => Promise<T>): Promise<T> {
    return this.#tried.run(texts, work);
  }
}
