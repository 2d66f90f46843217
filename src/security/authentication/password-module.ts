import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { JsonValue } from '#json/index.ts';
import { type Account, stampOf } from './account.ts';
import {
  type Attempt,
  type AuthenticationModule,
  type Identity,
  identity,
  type Known,
} from './authentication-module.ts';
import type { AccountFinder } from './find-account.ts';
import type { PasswordComparisons } from './password-comparisons.ts';

export interface PasswordModuleOptions {
  readonly name: string;
  readonly way: string;
  readonly accounts: AccountFinder;
  readonly comparisons: Pick<PasswordComparisons, 'recalls' | 'admit' | 'compare'>;
  /** Stores a password that was right as it is hashed today. @returns what is stored now; undefined when it stays */
  readonly renew: (account: Account, password: string) => Promise<JsonValue | undefined>;
}

interface Remembered {
  readonly account: Account;
  readonly stamp: string;
  /** Undefined while the account is not active. */
  readonly identity: Identity | undefined;
  /** The revision of the account, no later than what stands here; undefined where nothing tells whether it has changed. */
  readonly revision: string | undefined;
  /** The password that matched this stamp, hashed under a key of this process. */
  readonly verified: string | undefined;
}

const MAX_REMEMBERED = 10_000;

/**
 * Name and password. Comparing is slow on purpose, so a password that matched is remembered, as a keyed hash, for as
 * long as the stored one stays the same; whether it does, and everything else about the account, is asked of the
 * database with each request.
 */
export class PasswordModule implements AuthenticationModule {
  readonly name: string;
  readonly way: string;
  readonly #options: PasswordModuleOptions;
  readonly #key = randomBytes(32).toString('hex');
  // Not `max`, for which room is made at once: each look at a configuration makes modules.
  readonly #remembered = new LRUCache<string, Remembered>({
    maxSize: MAX_REMEMBERED,
    sizeCalculation: () => 1,
  });

  constructor(options: PasswordModuleOptions) {
    this.name = options.name;
    this.way = options.way;
    this.#options = options;
  }

  recall(attempt: Attempt): Promise<Identity | undefined> | undefined {
    const { credentials } = attempt;
    if (credentials === undefined || !this.#options.comparisons.recalls(attempt)) return undefined;
    const { username, password } = credentials;
    const verified = this.#remembered.get(username)?.verified;
    // How far two digests agree tells nothing of a password to who does not know the key.
    if (verified === undefined || verified !== this.#fingerprint(password)) return undefined;
    return this.#now(username).then((now) => (now?.verified === verified ? now.identity : undefined));
  }

  async authenticate(attempt: Attempt): Promise<Identity | undefined> {
    const { credentials } = attempt;
    if (credentials === undefined) return undefined;
    const { username, password } = credentials;
    const { comparisons, renew } = this.#options;
    await comparisons.admit(attempt);
    const before = await this.#now(username);
    // One that may not come in is as unknown as a name that nobody has: nobody finds out its password either.
    if (before?.identity === undefined || before.account.password === undefined) return undefined;
    if (!(await comparisons.compare(attempt, before.account.password))) return undefined;
    const renewed = await renew(before.account, password);
    // Comparing takes its time; the account is taken as it is when that is over.
    const now = await this.#now(username);
    if (now?.account.password === undefined || now.account.id !== before.account.id) return undefined;
    const expected = renewed === undefined ? before.stamp : stampOf({ ...before.account, password: renewed });
    // Another request of the same person may have had it hashed anew: whether it is still the password is asked once more.
    if (now.stamp !== expected && !(await comparisons.compare(attempt, now.account.password)))
      return undefined;
    this.#remembered.set(username, { ...now, verified: this.#fingerprint(password) });
    return now.identity;
  }

  verifyPassword(attempt: Attempt): Promise<Identity | undefined> {
    return this.authenticate(attempt);
  }

  async refresh({ authenticationId }: Known): Promise<Identity | undefined> {
    return (await this.#now(authenticationId))?.identity;
  }

  #fingerprint(password: string): string {
    return hash('sha256', this.#key + password);
  }

  #identify(account: Account, stamp: string): Identity | undefined {
    if (!account.isActive) return undefined;
    const { id, component, name, roles } = account;
    return identity({ name, module: this.name, component, id, roles, way: this.way }, stamp);
  }

  /** The account as the database has it now. */
  async #now(name: string): Promise<Remembered | undefined> {
    const { accounts } = this.#options;
    const known = this.#remembered.get(name);
    let revision = known && (await accounts.revision(known.account));
    if (revision !== undefined && revision === known?.revision) return known;
    let account = await accounts.find(name);
    if (account !== undefined && account.id !== known?.account.id) {
      // Found for the first time: only what is read after its revision is sure to be no older.
      revision = await accounts.revision(account);
      if (revision !== undefined) account = await accounts.find(name);
    }
    return this.#take(name, account, revision);
  }

  #take(name: string, account: Account | undefined, revision: string | undefined): Remembered | undefined {
    const known = this.#remembered.get(name);
    // Not for others: the library clears all of its places for the last one that goes, ten thousand here.
    if (account === undefined) {
      this.#remembered.delete(name);
      return undefined;
    }
    const stamp = stampOf(account);
    const found = {
      account,
      stamp,
      identity: this.#identify(account, stamp),
      revision,
      verified: known?.stamp === stamp && known.account.id === account.id ? known.verified : undefined,
    };
    this.#remembered.set(name, found);
    return found;
  }
}
