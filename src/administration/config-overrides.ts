import type { ConfigStore } from '#config/index.ts';
import type { Database } from '#database/index.ts';
import type { Observe } from '#observability/index.ts';
import { deleteOverride, listOverrides, overridesFingerprint } from './config-override-repository.ts';

/** Keeps a node's configuration in step with the changes made through `/config` on any node. */
export class ConfigOverrides {
  readonly #store: ConfigStore;
  readonly #database: Database;
  readonly #observe: Observe;
  #fingerprint = '';

  constructor(store: ConfigStore, database: Database, observe: Observe) {
    this.#store = store;
    this.#database = database;
    this.#observe = observe;
    store.onFileEdited((id) => this.#yieldToFile(id));
  }

  /** Puts the overrides in force, if there are new ones. */
  async refresh(): Promise<void> {
    const fingerprint = await overridesFingerprint(this.#database.db);
    if (fingerprint !== this.#fingerprint) {
      const overrides = await listOverrides(this.#database.db);
      this.#store.setOverlay(new Map(overrides.map(({ id, content }) => [id, content])));
      this.#fingerprint = fingerprint;
    }
    await this.#store.reload();
  }

  async #yieldToFile(id: string): Promise<void> {
    if (!(await deleteOverride(this.#database.db, id))) return;
    this.#observe({
      kind: 'config.warned',
      message: `conf/${id.replace('/', '-')}.json was edited: it replaces what was set through /config/${id}`,
    });
    const overrides = await listOverrides(this.#database.db);
    this.#store.setOverlay(new Map(overrides.map((override) => [override.id, override.content])));
    this.#fingerprint = '';
  }
}
