import type { ConfigStore } from '#config/index.ts';
import type { Database, Db } from '#database/index.ts';
import { toResourceError } from '#errors/index.ts';
import { equalJson, type JsonValue } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import {
  type ConfigOverride,
  deleteOverride,
  findOverride,
  listOverrides,
  overridesFingerprint,
  replaceOverride,
} from './config-override-repository.ts';
import { type OverrideSeals, readableContent } from './override-seals.ts';
import { scriptOf } from './script-override.ts';

/** Keeps a node's configuration in step with the changes made through `/config` on any node. */
export class ConfigOverrides {
  readonly #store: ConfigStore;
  readonly #database: Database;
  readonly #seals: OverrideSeals;
  readonly #observe: Observe;
  /** The overrides with a secret that no key here opens. They are in force without it: most of what they say needs none. */
  #unopened: ReadonlySet<string> = new Set();
  #versions: ReadonlyMap<string, string> = new Map();
  #versionsRead: ReadonlyMap<string, string> = new Map();
  #fingerprint = '';
  #refreshing: Promise<void> = Promise.resolve();

  constructor(options: {
    readonly store: ConfigStore;
    readonly database: Database;
    readonly seals: OverrideSeals;
    readonly observe: Observe;
  }) {
    const { store, database, seals, observe } = options;
    this.#store = store;
    this.#database = database;
    this.#seals = seals;
    this.#observe = observe;
    store.onFileEdited((id) => this.#yieldToFile(id));
  }

  /** The overrides that are in force, as `overridesFingerprint` names them. */
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
      await this.#takeOver();
      this.#fingerprint = fingerprint;
    }
    await this.#store.reload();
    this.#versions = this.#versionsRead;
  }

  async #takeOver(): Promise<void> {
    const unopened = new Set<string>();
    const overlay = new Map<string, string | null>();
    const scripts = new Map<string, string | null>();
    const overrides = await listOverrides(this.#database.db);
    for (const stored of overrides) {
      const script = scriptOf(stored);
      if (script !== undefined) {
        scripts.set(script.path, script.text);
        continue;
      }
      const { id, content } = await this.#seals.open(stored).catch((error: unknown) => {
        unopened.add(stored.id);
        const { message } = toResourceError(error);
        this.#observe({ kind: 'config.warned', message: `a secret of config/${stored.id}: ${message}` });
        return stored;
      });
      overlay.set(id, content);
      // It is in force either way, and tried again at the next change.
      await this.#sealReadable(stored).catch((error: unknown) =>
        this.#observe({ kind: 'loop.failed', loop: 'encryption of configurations', error }),
      );
    }
    this.#unopened = unopened;
    this.#versionsRead = new Map(overrides.map(({ id, version }) => [id, version]));
    this.#store.setOverlay(overlay);
    this.#store.scripts.replace(scripts);
  }

  async #sealReadable(stored: ConfigOverride): Promise<void> {
    const content = readableContent(stored);
    if (content === undefined) return;
    const { id } = stored;
    const sealed = { id, ...(await this.#seals.seal(id, content)) };
    await replaceOverride(this.#database.db, stored, sealed);
  }

  /** The versions of the overrides that are in force here, by their ids; another map after each change. */
  get versions(): ReadonlyMap<string, string> {
    return this.#versions;
  }

  /** Whether this node has a configuration as it is in the database now, secrets included, also when it is a file's. */
  async isCurrent(db: Db, id: string): Promise<boolean> {
    const stored = await findOverride(db, id);
    if (stored === undefined) return true;
    if (this.#unopened.has(id)) return false;
    const override = await this.#seals.open(stored);
    const content: JsonValue | undefined =
      override.content === null ? undefined : JSON.parse(override.content);
    return equalJson(content, this.#store.findRaw(id));
  }

  async #yieldToFile(id: string): Promise<void> {
    if (!(await deleteOverride(this.#database.db, id))) return;
    this.#observe({
      kind: 'config.warned',
      message: `conf/${id.replace('/', '-')}.json was edited: it replaces what was set through /config/${id}`,
    });
    await this.#takeOver();
    this.#fingerprint = '';
  }
}
