import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { TooManyRequestsError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import { FairQueue } from '#lifecycle/index.ts';
import type { Attempt } from './authentication-module.ts';
import type { Login } from './login-failure-repository.ts';
import { type LoginThrottle, loginOf, mustWait } from './login-throttle.ts';
import { RateLimit } from './rate-limit.ts';

export interface PasswordComparisonsOptions {
  readonly throttle: LoginThrottle;
  readonly matches: (password: string, stored: JsonValue) => Promise<boolean>;
  /** A hash that no password matches, made as those of accounts are. */
  readonly decoy: () => Promise<JsonValue>;
  readonly atOnce: number;
}

const MOST_WAITING = { urgent: 128, other: 32 };
const MOST_RIGHT = 10_000;
const BUSY_RETRY_SECONDS = 2;
/** Of an account, from where it came in. */
const WRONG_PER_MINUTE = 60;

interface Right {
  readonly password: string;
  /** The password with what is stored of it. */
  readonly pair: string;
}

/**
 * The one place where passwords are compared, which is slow on purpose: after the throttle has counted the attempt, a few
 * at a time, one for all that ask the same. Who waits is answered in turn, by address; those who have come in from
 * there before come first, and beyond a few others are refused at once rather than kept waiting.
 *
 * A password that was right is remembered, as a keyed hash, for as long as the stored one stays: who shows it again
 * from there is neither counted nor kept waiting, whatever others do elsewhere. Anywhere else, and where too many wrong
 * ones come beside it, it is compared in turn like any other, or else it would be told from guesses that have to wait.
 */
export class PasswordComparisons {
  readonly #options: PasswordComparisonsOptions;
  readonly #queue: FairQueue;
  readonly #key = randomBytes(32).toString('hex');
  /** By account and network. */
  readonly #right = new LRUCache<string, Right>({ max: MOST_RIGHT });
  /** Guesses beside a password that is remembered. */
  readonly #wrong = new RateLimit(WRONG_PER_MINUTE);
  readonly #recalled = new WeakMap<Attempt, boolean>();
  readonly #underWay = new Map<string, Promise<boolean>>();
  readonly #known = new WeakMap<Attempt, boolean>();
  readonly #compared = new WeakSet<Attempt>();
  readonly #wereRight = new WeakSet<Attempt>();

  constructor(options: PasswordComparisonsOptions) {
    this.#options = options;
    this.#queue = new FairQueue({ atOnce: options.atOnce, mostWaiting: MOST_WAITING, refuse: tooBusy });
  }

  /** Comparisons that wait for their turn. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Whether the account has come in from there with this password, as far as is remembered. */
  recalls(attempt: Attempt): boolean {
    const known = this.#recalled.get(attempt);
    if (known !== undefined || attempt.credentials === undefined) return known ?? false;
    const { username, password } = attempt.credentials;
    const key = keyOf(loginOf(username, attempt.client.remoteAddress));
    const right = this.#right.get(key);
    const isRight = right?.password === this.#digest(password);
    if (right !== undefined && !isRight) this.#wrong.take(key);
    const recalled = isRight && this.#wrong.has(key);
    this.#recalled.set(attempt, recalled);
    return recalled;
  }

  /**
   * Asked before anything is looked up for an attempt.
   *
   * @throws TooManyRequestsError when it would not be compared anyway
   */
  async admit(attempt: Attempt): Promise<void> {
    const { credentials } = attempt;
    if (credentials === undefined || this.#known.has(attempt)) return;
    const login = loginOf(credentials.username, attempt.client.remoteAddress);
    if (this.recalls(attempt)) return;
    const { waitMs, isKnown } = await this.#options.throttle.standing(login);
    if (waitMs > 0) throw mustWait(waitMs);
    if (!this.#queue.hasRoom(login.network, isKnown)) throw tooBusy();
    this.#known.set(attempt, isKnown);
  }

  /** @throws TooManyRequestsError when the caller has to wait, or too many do */
  async compare(attempt: Attempt, stored: JsonValue): Promise<boolean> {
    const { username, password } = attempt.credentials!;
    const login = loginOf(username, attempt.client.remoteAddress);
    this.#compared.add(attempt);
    const pair = this.#digest(JSON.stringify([password, stored]));
    if (this.recalls(attempt) && this.#right.get(keyOf(login))?.pair === pair) {
      this.#wereRight.add(attempt);
      return true;
    }
    await this.admit(attempt);
    const isRight = await this.#once(`${pair} ${login.account} ${login.network}`, () =>
      this.#compareInTurn(login, password, stored, this.#known.get(attempt) === true),
    );
    if (isRight) {
      this.#right.set(keyOf(login), { password: this.#digest(password), pair });
      this.#wereRight.add(attempt);
    }
    return isRight;
  }

  /** Whether the password was right, though somebody else may have refused the login. */
  wasRight(attempt: Attempt): boolean {
    return this.#wereRight.has(attempt);
  }

  /** A name that nobody has costs what a wrong password costs. */
  async pretend(attempt: Attempt): Promise<void> {
    if (attempt.credentials === undefined || this.#compared.has(attempt)) return;
    await this.compare(attempt, await this.#options.decoy());
  }

  #compareInTurn(login: Login, password: string, stored: JsonValue, isKnown: boolean): Promise<boolean> {
    const { throttle, matches } = this.#options;
    return this.#queue.run(login.network, isKnown, async () => {
      await throttle.reserve(login);
      const isRight = await matches(password, stored);
      if (isRight) await throttle.giveBack(login);
      return isRight;
    });
  }

  #once(key: string, compare: () => Promise<boolean>): Promise<boolean> {
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    const comparing = compare().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, comparing);
    return comparing;
  }

  #digest(text: string): string {
    return hash('sha256', this.#key + text);
  }
}

function keyOf({ account, network }: Login): string {
  return `${account} ${network}`;
}

function tooBusy(): TooManyRequestsError {
  return new TooManyRequestsError('Too many logins at once', {
    id: 'AUTH_BUSY',
    hint: `Try again in ${BUSY_RETRY_SECONDS} s`,
    detail: { retryAfterSeconds: BUSY_RETRY_SECONDS },
  });
}
