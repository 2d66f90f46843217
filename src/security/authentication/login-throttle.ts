import { hash } from 'node:crypto';
import { Batcher, type Database } from '#database/index.ts';
import { TooManyRequestsError } from '#errors/index.ts';
import { networkOf } from '#resource/index.ts';
import {
  findStandings,
  giveBackFailure,
  type Login,
  reserveFailure,
  type Standing,
  type ThrottlePolicy,
} from './login-failure-repository.ts';
import { foldName } from './login-name.ts';

const POLICY: ThrottlePolicy = {
  pairFree: 5,
  firstMs: 1_000,
  longestMs: 15 * 60_000,
  longestKnownMs: 60_000,
  accountFree: 120,
  addressFree: 60,
  everyMs: 5_000,
};

/** What a page says before somebody logs in: after so many failures from one address they wait, longer each time. */
export const LOCKOUT = {
  failures: POLICY.pairFree,
  firstWaitSeconds: POLICY.firstMs / 1_000,
  longestWaitSeconds: POLICY.longestMs / 1_000,
} as const;

/**
 * Slows down guessing on all nodes together. A failure is counted before the password is compared and taken back when
 * that was right, so however many guesses come at once, no more are compared than may be.
 *
 * Three counts: of an account from one address, which has to wait longer and longer; of an account, and of an address,
 * which never stop altogether: beyond so many failures one attempt in a few seconds goes on. Where an account has come
 * in from within a month only the first count holds, so nobody elsewhere, nor beside it, keeps it out. A wrong and
 * an unknown name count alike.
 */
export class LoginThrottle {
  readonly #database: Database;
  readonly #standings: Batcher<Login, Standing>;

  constructor(database: Database) {
    this.#database = database;
    this.#standings = new Batcher({
      maxInFlight: 2,
      maxBatch: 500,
      run: (logins) => findStandings(database.db, logins),
    });
  }

  /** Counts nothing: for those who would be refused anyway. */
  standing(login: Login): Promise<Standing> {
    return this.#standings.add(login);
  }

  /** @throws TooManyRequestsError while the caller has to wait; then nothing is counted */
  async reserve(login: Login): Promise<void> {
    const { waitMs } = await reserveFailure(this.#database.db, login, POLICY);
    if (waitMs > 0) throw mustWait(waitMs);
  }

  async giveBack(login: Login): Promise<void> {
    await giveBackFailure(this.#database.db, login, POLICY.everyMs);
  }
}

export function loginOf(username: string, address: string): Login {
  return { account: accountKey(username), network: networkOf(address) };
}

/** However the name is written, as it is looked up. Hashed, since passwords are typed as names by mistake. */
export function accountKey(username: string): string {
  return hash('sha256', foldName(username), 'base64url').slice(0, 22);
}

export function mustWait(waitMs: number): TooManyRequestsError {
  const seconds = Math.ceil(waitMs / 1000);
  return new TooManyRequestsError('Too many failed logins', {
    id: 'AUTH_THROTTLED',
    hint: `Try again in ${seconds} s`,
    detail: { retryAfterSeconds: seconds },
  });
}
