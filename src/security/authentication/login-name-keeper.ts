import type { Database, Db } from '#database/index.ts';
import { lastOf } from '#json/index.ts';
import type { Service } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { storeAt } from '#repo/index.ts';
import { parsePath } from '#resource/index.ts';
import { nameIn } from './follow-accounts.ts';
import { type LoginName, listNamed, listUnnamed, loginNameInserts } from './login-name-repository.ts';
import { isReserved, type LoginPlaces } from './login-places.ts';

const PAGE = 1_000;
/** How many accounts are told of that have the name of somebody in the configuration. */
const MOST_NAMED = 10;

export interface LoginNameKeeperOptions {
  readonly database: Database;
  readonly places: () => LoginPlaces;
  readonly observe: Observe;
}

/**
 * Notes the names of accounts that were stored before names were noted, by an older node, or while nobody logged in where
 * they stand or by what has their names now, and tells of those whose name the configuration has given to somebody else since.
 */
export class LoginNameKeeper implements Service {
  readonly name = 'login names';
  readonly #options: LoginNameKeeperOptions;
  #isStopping = false;
  #running: Promise<void> = Promise.resolve();

  constructor(options: LoginNameKeeperOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.look();
  }

  /** Nobody waits for it: an account is found by its exact name meanwhile. */
  look(): void {
    this.#running = this.#running
      .then(() => this.runOnce())
      .catch((error: unknown) => this.#options.observe({ kind: 'loop.failed', loop: this.name, error }));
  }

  async runOnce(): Promise<void> {
    const places = this.#options.places();
    const named = [...places.propertiesOf].flatMap(([collection, { names }]) =>
      [...names].map((name) => ({ collection, name })),
    );
    for (const { collection, name } of named) {
      const shared = await this.#note(collection, name);
      if (shared === 0) continue;
      const message = `${shared} accounts of ${collection} have a name that another account has, or one that looks the same: they log in by exactly their name, as long as it is theirs alone`;
      this.#options.observe({ kind: 'config.warned', message });
    }
    const { db } = this.#options.database;
    for (const named of await listNamed(db, [...places.reserved], MOST_NAMED)) {
      if (!isReserved(places, named)) continue;
      const message = `${named.collection}/${named.id} has the name of a user of authentication.json, or of nobody, and each is taken for the other: give it another one`;
      this.#options.observe({ kind: 'config.warned', message });
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  /** @returns how many accounts have a name that is taken */
  async #note(collection: string, property: string | null): Promise<number> {
    const { db } = this.#options.database;
    const { table, type } = storeAt(parsePath(collection));
    let after = '';
    let shared = 0;
    while (!this.#isStopping) {
      const found = await listUnnamed(db, { collection, table, type, property }, after, PAGE);
      const names = found.flatMap(({ id, name }): readonly LoginName[] => {
        const noted = nameIn({ [property ?? '']: name }, property, { collection, id });
        return noted === undefined ? [] : [noted];
      });
      shared += await countRefused(db, names);
      if (found.length < PAGE) break;
      after = lastOf(found).id;
    }
    return shared;
  }
}

/** Stores names, and counts those that another account has. */
async function countRefused(db: Db, names: readonly LoginName[]): Promise<number> {
  const stored = await loginNameInserts.run(db, names);
  const refused = names.filter((_, index) => !stored[index]);
  if (refused.length === 0) return 0;
  const owners = new Map(
    (
      await listNamed(
        db,
        refused.map(({ key }) => key),
        refused.length,
      )
    ).map((owner) => [owner.key, owner]),
  );
  return refused.filter(({ key, collection, id }) => {
    const owner = owners.get(key);
    return owner !== undefined && !(owner.collection === collection && owner.id === id);
  }).length;
}
