/**
 * How long what is asked of the database waits. Whoever called has mostly gone by then, and whatever the database does, a
 * request is answered: 503 with nothing changed, or that it is not known whether it was.
 */

/** For a connection, its log-in included. */
export const CONNECT_MS = 3_000;
/** For an answer, where the database cannot be asked whether it is still at work on it. */
export const SILENCE_MS = 6_000;
/** For a row that somebody else has locked: less than for a commit, which may have to lock it. */
export const LOCK_MS = 10_000;
/** For the right to open a transaction, of which there are only so many at once. */
export const TURN_MS = 12_000;
/** What failed because the database could not be reached is tried again, if that was no longer ago. */
export const RETRY_MS = 5_000;
/** For the rollback of what has waited for too long; then its connection ends. */
export const GIVE_UP_MS = 500;
