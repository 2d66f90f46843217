import type { ConfigStore } from '#config/index.ts';
import type { Database, Db } from '#database/index.ts';
import { equalJson, type JsonValue } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import {
  deleteOverride,
  findOverride,
  listOverrides,
  overridesFingerprint,
} from './config-override-repository.ts';

/** Keeps a node's configuration in step with the changes made through `/config` on any node. */
export class ConfigOverrides {
  readonly #store: ConfigStore;
  readonly #database: Database;
  readonly #observe: Observe;
  #fingerprint = '';
  #refreshing: Promise<void> = Promise.resolve();

  constructor(store: ConfigStore, database: Database, observe: Observe) {
    this.#store = store;
    this.#database = database;
    this.#observe = observe;
    store.onFileEdited((id) => this.#yieldToFile(id));
  }

  /** Which overrides are in force, as `overridesFingerprint` names them. */
  get inForce(): string {
    return this.#fingerprint;
  }

  /** Whether they are those that stand in the database now. */
  async areInForce(): Promise<boolean> {
    await this.#refreshing;
    return (await overridesFingerprint(this.#database.db)) === this.#fingerprint;
  }

  /** Puts the overrides in force, if there are new ones. */
  refresh(): Promise<void> {
    // One after the other: of two at once, the one that has read less could come in last.
    const round = this.#refreshing.then(() => this.#refreshOnce());
    this.#refreshing = round.catch(() => undefined);
    return round;
  }

  async #refreshOnce(): Promise<void> {
    const fingerprint = await overridesFingerprint(this.#database.db);
    if (fingerprint !== this.#fingerprint) {
      const overrides = await listOverrides(this.#database.db);
      this.#store.setOverlay(new Map(overrides.map(({ id, content }) => [id, content])));
      this.#fingerprint = fingerprint;
    }
    await this.#store.reload();
  }

  /** Whether this node has a configuration as it is in the database now, also when it is a file's. */
  async isCurrent(db: Db, id: string): Promise<boolean> {
    const override = await findOverride(db, id);
    if (override === undefined) return true;
    const content = override.content === null ? undefined : (JSON.parse(override.content) as JsonValue);
    return equalJson(content, this.#store.findRaw(id));
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
