import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { JsonValue } from '#json/index.ts';
import type { Login } from './login-failure-repository.ts';
import { RateLimit, type RateWords } from './rate-limit.ts';

const MOST_RIGHT = 10_000;
/** How many wrong passwords of an account from where it has come in before. */
const WRONG_PER_MINUTE = 60;

interface Right {
  readonly password: string;
  /** The password with what is stored of it. */
  readonly pair: string;
}

/**
 * Passwords that were right, as keyed hashes, by account and network. Guesses beside them are counted; where too many come, a
 * right one is not told from them.
 */
export class RightPasswords {
  readonly #key = randomBytes(32).toString('hex');
  readonly #right = new LRUCache<string, Right>({ max: MOST_RIGHT });
  readonly #wrong: RateLimit;

  /** @param wrong where guesses are counted, by all threads together */
  constructor(wrong?: RateWords) {
    this.#wrong = new RateLimit(WRONG_PER_MINUTE, wrong);
  }

  /** Whether the account has come in from there with this password. */
  recalls(login: Login, password: string): boolean {
    const key = keyOf(login);
    return this.#right.get(key)?.password === this.#digest(password) && this.#wrong.has(key);
  }

  /** Counts it where it is a guess beside a right one. */
  heed(login: Login, password: string): void {
    const key = keyOf(login);
    const right = this.#right.get(key);
    if (right !== undefined && right.password !== this.#digest(password)) this.#wrong.take(key);
  }

  /** Whether it was right with what is stored now. */
  fits(login: Login, password: string, stored: JsonValue): boolean {
    return this.#right.get(keyOf(login))?.pair === this.pairOf(password, stored);
  }

  note(login: Login, password: string, stored: JsonValue): void {
    this.#right.set(keyOf(login), {
      password: this.#digest(password),
      pair: this.pairOf(password, stored),
    });
  }

  pairOf(password: string, stored: JsonValue): string {
    return this.#digest(JSON.stringify([password, stored]));
  }

  #digest(text: string): string {
    return hash('sha256', this.#key + text);
  }
}

function keyOf({ account, network }: Login): string {
  return `${account} ${network}`;
}
