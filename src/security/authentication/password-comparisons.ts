import type { JsonValue } from '#json/index.ts';
import type { Attempt } from './authentication-module.ts';
import type { ComparisonDesk } from './comparison-desk.ts';
import { loginOf } from './login-throttle.ts';
import type { RightPasswords } from './right-passwords.ts';

export interface PasswordComparisonsOptions {
  readonly desk: ComparisonDesk;
  /** What was right in this thread. */
  readonly right: RightPasswords;
  /** A hash that no password matches, made as those of accounts are. */
  readonly decoy: () => Promise<JsonValue>;
}

/**
 * The one way to a comparison of passwords, which is slow on purpose, at the desk of this node.
 *
 * A password that was right is remembered, as a keyed hash, for as long as the stored one stays: who shows it again
 * from there is neither counted nor kept waiting, whatever others do elsewhere. Anywhere else, and where too many wrong
 * ones come beside it, it is compared in turn like any other, or else it would be told from guesses that have to wait.
 */
export class PasswordComparisons {
  readonly #options: PasswordComparisonsOptions;
  readonly #recalled = new WeakMap<Attempt, boolean>();
  readonly #known = new WeakMap<Attempt, boolean>();
  readonly #compared = new WeakSet<Attempt>();
  readonly #wereRight = new WeakSet<Attempt>();

  constructor(options: PasswordComparisonsOptions) {
    this.#options = options;
  }

  /** Comparisons that wait for their turn. */
  get waiting(): number {
    return this.#options.desk.waiting;
  }

  /** Whether the account has come in from there with this password, as far as is remembered. */
  recalls(attempt: Attempt): boolean {
    const known = this.#recalled.get(attempt);
    if (known !== undefined || attempt.credentials === undefined) return known ?? false;
    const { username, password } = attempt.credentials;
    const recalled = this.#options.right.recalls(loginOf(username, attempt.client.remoteAddress), password);
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
    if (credentials === undefined || this.#known.has(attempt) || this.recalls(attempt)) return;
    const login = loginOf(credentials.username, attempt.client.remoteAddress);
    const isKnown = await this.#options.desk.admit({ login, password: credentials.password });
    this.#known.set(attempt, isKnown);
  }

  /** @throws TooManyRequestsError when the caller has to wait, or too many do */
  async compare(attempt: Attempt, stored: JsonValue): Promise<boolean> {
    const { username, password } = attempt.credentials!;
    const { right, desk } = this.#options;
    const login = loginOf(username, attempt.client.remoteAddress);
    this.#compared.add(attempt);
    if (!(this.recalls(attempt) && right.fits(login, password, stored))) {
      await this.admit(attempt);
      const isKnown = this.#known.get(attempt) === true;
      if (!(await desk.compare({ login, password }, stored, isKnown))) return false;
      right.note(login, password, stored);
    }
    this.#wereRight.add(attempt);
    return true;
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
}
