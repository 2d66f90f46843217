/**
 * What the database, or a connection to it, has said. Codes such as ECONNREFUSED come from everywhere, and a script may throw
 * whatever it likes: only an error that was seen here on its way out of the driver is one of the database.
 */
const raised = new WeakSet<object>();
/** Errors that kept somebody from having a connection at all, whatever was wrong: a name, a route, TLS, a password. */
const unreached = new WeakSet<object>();

/** Said of whatever a client or pool rejects with. @returns the same error */
export function ofDatabase<T>(error: T): T {
  if (typeof error === 'object' && error !== null) raised.add(error);
  return error;
}

/** Said of whatever has ended an attempt to connect. @returns the same error */
export function ofConnect<T>(error: T): T {
  if (typeof error === 'object' && error !== null) unreached.add(error);
  return ofDatabase(error);
}

export function isOfConnect(error: unknown): boolean {
  return typeof error === 'object' && error !== null && unreached.has(error);
}

export function isOfDatabase(error: unknown): error is object {
  return typeof error === 'object' && error !== null && raised.has(error);
}

/**
 * How the database has failed a piece of work: it was `unreachable` or took no changes; it lost the answer to a commit
 * (`unknownOutcome`); others were in the way again and again (`conflict`).
 */
export type Trouble = 'unreachable' | 'unknownOutcome' | 'conflict';

const troubles = new WeakMap<object, Trouble>();

/** @returns the same error, known as what the database has done to the work */
export function troubled<E extends object>(error: E, trouble: Trouble | undefined): E {
  if (trouble !== undefined) troubles.set(error, trouble);
  return error;
}

/**
 * The trouble behind an error of a unit of work. Its id says less: scripts and other servers have errors with the
 * same ids.
 */
export function troubleOf(error: unknown): Trouble | undefined {
  return typeof error === 'object' && error !== null ? troubles.get(error) : undefined;
}
