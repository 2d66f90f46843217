import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type DatabaseAddress, type DatabaseTargets, readDatabaseTargets } from '#config/index.ts';
import { wordsOf } from '#errors/index.ts';
import { oneRow } from '../one-row.ts';
import { readPasswordBy } from './read-password.ts';

/** A host that does not answer at once has the next one asked beside it. */
const HEAD_START_MS = 250;

/** There is none to go to now; counts as a connection that could not be opened. */
export class NoTarget extends Error {
  readonly code = 'ECONNREFUSED';
}

/**
 * Finds the server of several that takes changes, once for all connections of the thread, and again when one of them was
 * lost or could not be opened. A server of another cluster than the first is none, whatever it says of itself.
 */
export class TargetFinder {
  readonly #targets: DatabaseTargets;
  #current: DatabaseAddress | undefined;
  #looking: Promise<DatabaseAddress> | undefined;
  /** What tells a cluster from others; its servers are copies of each other. */
  #cluster: string | undefined;

  constructor(targets: DatabaseTargets) {
    this.#targets = targets;
  }

  /** The URL of one of them, for what is the same of all. */
  get url(): string {
    const { addresses, urlOf } = this.#targets;
    return urlOf(this.#current ?? addresses[0] ?? { host: '', port: 0 });
  }

  get wantsPrimary(): boolean {
    return this.#targets.wantsPrimary;
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
    const { urlOf, timeoutMs, wantsPrimary } = this.#targets;
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
      const { rows } = await client.query<{ is_standby: boolean; cluster: string }>(
        'select pg_is_in_recovery() as is_standby, system_identifier::text as cluster from pg_control_system()',
      );
      const { is_standby: isStandby, cluster } = oneRow(rows);
      if (wantsPrimary && isStandby) throw new Error('it is a standby');
      this.#cluster ??= cluster;
      if (cluster !== this.#cluster) throw new Error('it belongs to another cluster than the one before');
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
  const finder = new TargetFinder(targets);
  finders.set(url, finder);
  return finder;
}
