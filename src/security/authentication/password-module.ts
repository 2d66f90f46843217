import { hash, randomBytes } from 'node:crypto';
import type { JsonValue } from '#json/index.ts';
import { type Account, stampOf } from './account.ts';
import { type Attempt, type AuthenticationModule, type Identity, identity } from './authentication-module.ts';

export interface PasswordModuleOptions {
  readonly name: string;
  readonly find: (authenticationId: string) => Promise<Account | undefined>;
  readonly matches: (password: string, stored: JsonValue) => Promise<boolean>;
  /** A hash that no password matches, made as those of accounts are. */
  readonly decoy: Promise<JsonValue>;
  /** Asked before a password is compared the slow way. @throws when this caller must wait */
  readonly admit: (attempt: Attempt) => Promise<void>;
}

interface Known {
  readonly account: Account;
  readonly stamp: string;
  /** Undefined while the account is not active. */
  readonly identity: Identity | undefined;
  readonly readAt: number;
  /** The password that matched this stamp, hashed under a key of this process. */
  readonly verified: string | undefined;
}

const ACCOUNT_TTL_MS = 1_000;
const MAX_KNOWN = 10_000;

/**
 * Name and password. Comparing is slow on purpose, so a password that matched is remembered, as a keyed hash, for as
 * long as the stored one stays the same. Every attempt costs one comparison, whether the name is known or not.
 */
export class PasswordModule implements AuthenticationModule {
  readonly name: string;
  readonly #options: PasswordModuleOptions;
  readonly #key = randomBytes(32).toString('hex');
  readonly #known = new Map<string, Known>();

  constructor(options: PasswordModuleOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** At once, but for once in a while, when the account is read anew. */
  recall({ credentials }: Attempt): Promise<Identity | undefined> | Identity | undefined {
    if (credentials === undefined) return undefined;
    const { username, password } = credentials;
    const known = this.#known.get(username);
    if (known?.verified === undefined) return undefined;
    return isFresh(known)
      ? this.#recognize(known, password)
      : this.#read(username).then((found) => this.#recognize(found, password));
  }

  #recognize(known: Known | undefined, password: string): Identity | undefined {
    // How far two digests agree tells nothing of a password to who does not know the key.
    const isRight = known?.verified !== undefined && known.verified === this.#fingerprint(password);
    return isRight ? known.identity : undefined;
  }

  async authenticate(attempt: Attempt): Promise<Identity | undefined> {
    const { credentials } = attempt;
    if (credentials === undefined) return undefined;
    const { username, password } = credentials;
    // As it is now: the password may have been changed a moment ago, to this one.
    const known = await this.#read(username);
    const { admit, matches, decoy } = this.#options;
    await admit(attempt);
    const isRight = await matches(password, known?.account.password ?? (await decoy));
    if (!isRight || known === undefined || known.account.password === undefined) return undefined;
    this.#remember(username, { ...known, verified: this.#fingerprint(password) });
    return known.identity;
  }

  async refresh(authenticationId: string): Promise<Identity | undefined> {
    const known = this.#known.get(authenticationId);
    return (known !== undefined && isFresh(known) ? known : await this.#read(authenticationId))?.identity;
  }

  #fingerprint(password: string): string {
    return hash('sha256', this.#key + password);
  }

  #identify(name: string, account: Account, stamp: string): Identity | undefined {
    if (!account.isActive) return undefined;
    const { id, component, roles } = account;
    return identity({ name, module: this.name, component, id, roles }, stamp);
  }

  async #read(name: string): Promise<Known | undefined> {
    const account = await this.#options.find(name);
    const known = this.#known.get(name);
    this.#known.delete(name);
    if (account === undefined) return undefined;
    const stamp = stampOf(account);
    const found = {
      account,
      stamp,
      identity: this.#identify(name, account, stamp),
      readAt: performance.now(),
      verified: known?.stamp === stamp ? known.verified : undefined,
    };
    this.#remember(name, found);
    return found;
  }

  #remember(name: string, known: Known): void {
    this.#known.delete(name);
    if (this.#known.size >= MAX_KNOWN) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(name, known);
  }
}

function isFresh({ readAt }: Known): boolean {
  return performance.now() - readAt < ACCOUNT_TTL_MS;
}
