import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type DatabaseAddress, type DatabaseTargets, readDatabaseTargets } from '#config/index.ts';
import { wordsOf } from '#errors/index.ts';
import { askPlace, currentServerOf, NoTarget } from './current-server.ts';
import { readPasswordBy } from './read-password.ts';

/** A host that does not answer at once has the next one asked beside it. */
const HEAD_START_MS = 250;

/**
 * Finds the server of several that takes changes, once for all connections of the thread, and again when one of them was
 * lost or could not be opened. A server of another cluster than the first is none, nor is one that was replaced.
 */
export class TargetFinder {
  readonly #targets: DatabaseTargets;
  /** The URL as it was written, with all servers. */
  readonly #whole: string;
  #current: DatabaseAddress | undefined;
  #looking: Promise<DatabaseAddress> | undefined;

  constructor(targets: DatabaseTargets, whole: string) {
    this.#targets = targets;
    this.#whole = whole;
  }

  /** The URL of one of them, for what is the same of all. */
  get url(): string {
    const { addresses, urlOf } = this.#targets;
    return urlOf(this.#current ?? addresses[0] ?? { host: '', port: 0 });
  }

  get wantsPrimary(): boolean {
    return this.#targets.wants === 'primary';
  }

  /** @throws Error that counts as a lost connection, with what each of them has said */
  find(): Promise<DatabaseAddress> {
    if (this.#current !== undefined) return Promise.resolve(this.#current);
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** It may be right no longer. */
  forget(): void {
    this.#current = undefined;
  }

  async #look(): Promise<DatabaseAddress> {
    const { addresses } = this.#targets;
    const found = new AbortController();
    try {
      const asked = addresses.map(async (address, place) => {
        if (place > 0) await delay(place * HEAD_START_MS, undefined, { signal: found.signal });
        await this.#ask(address);
        return address;
      });
      this.#current = await Promise.any(asked);
      return this.#current;
    } catch (error) {
      const said = error instanceof AggregateError ? error.errors : [error];
      const all = addresses.map(({ host, port }, place) => `${host}:${port}: ${wordsOf(said[place])}`);
      throw new NoTarget(`none of the servers can be used: ${all.join('; ')}`);
    } finally {
      found.abort();
    }
  }

  async #ask(address: DatabaseAddress): Promise<void> {
    const { urlOf, timeoutMs, wants } = this.#targets;
    const client = new pg.Client({
      connectionString: urlOf(address),
      application_name: 'svc:finder',
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
    });
    readPasswordBy(client, urlOf(address));
    client.on('error', () => {});
    try {
      await client.connect();
      const place = await askPlace(client);
      if (wants === 'primary' && place.is_standby) throw new Error('it is a standby');
      if (wants === 'standby' && !place.is_standby) throw new Error('it is the primary');
      currentServerOf(this.#whole).check(place);
    } finally {
      void client.end().catch(() => undefined);
    }
  }
}

/** By URL: as few as the settings name. */
const finders = new Map<string, TargetFinder>();

/** The finder of a URL; undefined where that names one server. */
export function finderOf(url: string | undefined): TargetFinder | undefined {
  if (url === undefined) return undefined;
  const known = finders.get(url);
  if (known !== undefined) return known;
  const targets = readDatabaseTargets(url);
  if (targets === undefined) return undefined;
  const finder = new TargetFinder(targets, url);
  finders.set(url, finder);
  return finder;
}
