import { inTime, withDatabaseWait } from '#database/index.ts';
import { TooManyRequestsError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import { FairQueue } from '#lifecycle/index.ts';
import { type Line, question } from '#thread/index.ts';
import type { Login } from './login-failure-repository.ts';
import { type LoginThrottle, mustWait } from './login-throttle.ts';
import { RightPasswords } from './right-passwords.ts';

/** Somebody who shows a password. */
export interface Shown {
  readonly login: Login;
  readonly password: string;
}

/** Where passwords are compared; one for all threads that people come in by. */
export interface ComparisonDesk {
  /**
   * Asked before anything is looked up.
   *
   * @returns whether they have come in from there before, so that they come first
   * @throws TooManyRequestsError when it would not be compared anyway
   */
  admit(shown: Shown): Promise<boolean>;
  /** @throws TooManyRequestsError when the caller has to wait, or too many do */
  compare(shown: Shown, stored: JsonValue, isKnown: boolean): Promise<boolean>;
  /** Comparisons that wait for their turn here. */
  readonly waiting: number;
}

export interface LocalDeskOptions {
  readonly throttle: LoginThrottle;
  readonly matches: (password: string, stored: JsonValue) => Promise<boolean>;
  readonly atOnce: number;
  /** Default: what this desk has found. */
  readonly right?: RightPasswords;
}

const MOST_WAITING = { urgent: 128, other: 32 };
const BUSY_RETRY_SECONDS = 2;

/**
 * Compares here: after the throttle has counted the attempt, a few at a time, one for all that ask the same. Who waits is
 * answered in turn, by address; those who have come in from there before come first, and beyond a few others are refused at
 * once rather than kept waiting.
 */
export function localDesk({
  throttle,
  matches,
  atOnce,
  right = new RightPasswords(),
}: LocalDeskOptions): ComparisonDesk {
  const queue = new FairQueue({ atOnce, mostWaiting: MOST_WAITING, refuse: tooBusy });
  const underWay = new Map<string, Promise<boolean>>();

  function compareInTurn({ login, password }: Shown, stored: JsonValue, isKnown: boolean): Promise<boolean> {
    return queue.run(login.network, isKnown, async () => {
      await throttle.reserve(login);
      const isRight = await matches(password, stored);
      if (isRight) await throttle.giveBack(login);
      return isRight;
    });
  }

  function once(key: string, compare: () => Promise<boolean>): Promise<boolean> {
    const known = underWay.get(key);
    if (known !== undefined) return known;
    const comparing = compare().finally(() => underWay.delete(key));
    underWay.set(key, comparing);
    return comparing;
  }

  return {
    get waiting() {
      return queue.waiting;
    },
    async admit({ login, password }) {
      right.heed(login, password);
      if (right.recalls(login, password)) return false;
      const { waitMs, isKnown } = await throttle.standing(login);
      if (waitMs > 0) throw mustWait(waitMs);
      if (!queue.hasRoom(login.network, isKnown)) throw tooBusy();
      return isKnown;
    },
    async compare(shown, stored, isKnown) {
      const { login, password } = shown;
      // It may have come in by another thread.
      if (right.recalls(login, password) && right.fits(login, password, stored)) return true;
      const key = `${right.pairOf(password, stored)} ${login.account} ${login.network}`;
      const isRight = await once(key, () => compareInTurn(shown, stored, isKnown));
      if (isRight) right.note(login, password, stored);
      return isRight;
    },
  };
}

const ADMIT = question<Shown, boolean>('admit a password');
const COMPARE = question<
  { readonly shown: Shown; readonly stored: JsonValue; readonly isKnown: boolean },
  boolean
>('compare a password');

/** The desk of another thread. */
export function distantDesk(line: Line): ComparisonDesk {
  return {
    waiting: 0,
    admit: (shown) => line.ask(ADMIT, shown),
    compare: (shown, stored, isKnown) => line.ask(COMPARE, { shown, stored, isKnown }),
  };
}

/** @param mostMs how long a login waits for the database: the request that asks has its clock in the other thread */
export function serveDesk(line: Line, desk: ComparisonDesk, mostMs: number): void {
  const within = <T>(work: () => Promise<T>) => withDatabaseWait(mostMs, () => inTime(work()));
  line.answer(ADMIT, (shown) => within(() => desk.admit(shown)));
  line.answer(COMPARE, ({ shown, stored, isKnown }) => within(() => desk.compare(shown, stored, isKnown)));
}

function tooBusy(): TooManyRequestsError {
  return new TooManyRequestsError('Too many logins at once', {
    id: 'AUTH_BUSY',
    hint: `Try again in ${BUSY_RETRY_SECONDS} s`,
    detail: { retryAfterSeconds: BUSY_RETRY_SECONDS },
  });
}
