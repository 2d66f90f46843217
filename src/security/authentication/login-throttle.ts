import { hash } from 'node:crypto';
import type { Database } from '#database/index.ts';
import { TooManyRequestsError } from '#errors/index.ts';
import type { Attempt } from './authentication-module.ts';
import { forgetFailures, longestBlock, recordFailure } from './login-failure-repository.ts';

/** From how many failures in a row on attempts have to wait; the wait doubles with each. */
const FREE_FAILURES = { pair: 5, address: 50, account: 100 } as const;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15 * 60_000;

type Kind = keyof typeof FREE_FAILURES;

/**
 * Slows down guessing on all nodes together: by account and address, by address, and by account. The last is lenient,
 * so that nobody can lock another out easily. A wrong and an unknown name count alike.
 */
export class LoginThrottle {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @throws TooManyRequestsError while the caller has to wait */
  async admit(attempt: Attempt): Promise<void> {
    const keys = keysOf(attempt).map(({ key }) => key);
    const waitMs = await longestBlock(this.#database.db, keys);
    if (waitMs > 0) {
      throw new TooManyRequestsError('Too many failed logins', {
        id: 'AUTH_THROTTLED',
        hint: `Try again in ${Math.ceil(waitMs / 1000)} s`,
        detail: { retryAfterSeconds: Math.ceil(waitMs / 1000) },
      });
    }
  }

  async failed(attempt: Attempt): Promise<void> {
    for (const { kind, key } of keysOf(attempt)) {
      await recordFailure(this.#database.db, key, {
        free: FREE_FAILURES[kind],
        firstMs: FIRST_WAIT_MS,
        longestMs: LONGEST_WAIT_MS,
      });
    }
  }

  /** The address keeps its count: who guesses many accounts may know one of them. */
  async succeeded(attempt: Attempt): Promise<void> {
    const keys = keysOf(attempt).filter(({ kind }) => kind === 'pair');
    await forgetFailures(
      this.#database.db,
      keys.map(({ key }) => key),
    );
  }
}

function keysOf({ credentials, client }: Attempt): { kind: Kind; key: string }[] {
  const address = client.remoteAddress;
  const account = hash('sha256', credentials?.username.toLowerCase() ?? '', 'base64url').slice(0, 22);
  return [
    { kind: 'pair', key: `pair ${account} ${address}` },
    { kind: 'address', key: `address ${address}` },
    ...(credentials === undefined ? [] : [{ kind: 'account', key: `account ${account}` } as const]),
  ];
}
