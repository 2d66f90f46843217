import {
  ConflictError,
  type ErrorFacts,
  PayloadTooLargeError,
  PreconditionFailedError,
  ResourceError,
  ServiceUnavailableError,
  wordsOf,
} from '#errors/index.ts';
import { isOfConnect, isOfDatabase, troubled } from './database-error.ts';

/** What Postgres, or the connection to it, said about a failed statement. */
interface DriverError {
  readonly code?: unknown;
  readonly constraint?: unknown;
}

/** What Postgres calls the failure, or the machine that of a connection to it; undefined for errors of anything else. */
export function sqlStateOf(error: unknown): string | undefined {
  const { code }: DriverError = isOfDatabase(error) ? error : {};
  return typeof code === 'string' ? code : undefined;
}

export function constraintOf(error: unknown): string | undefined {
  const { constraint }: DriverError = isOfDatabase(error) ? error : {};
  return typeof constraint === 'string' ? constraint : undefined;
}

/** Somebody else was faster; a unit of work that runs again from the start will see what they did. */
export class LostRace extends Error {}

/** Serialization failure, deadlock and a lost race: what was done is rolled back, and it is worth to try again. */
export function isConflict(error: unknown): boolean {
  if (error instanceof LostRace) return true;
  const state = sqlStateOf(error);
  return state === '40001' || state === '40P01';
}

/** A row with this key is there already. */
export function isTaken(error: unknown): boolean {
  return sqlStateOf(error) === '23505';
}

/**
 * What ends a session that had begun. What keeps one from beginning is told by where it comes from, for it may say
 * anything.
 */
const CONNECTION_STATES =
  /^(?:08...|57P0[1-5]|25P0[34]|ECONN(?:RESET|ABORTED)|EPIPE|ETIMEDOUT|E(?:HOST|NET)(?:UNREACH|DOWN)|ERR_SSL_\w+)$/;
const CONNECTION_MESSAGES =
  /Connection terminated|Client has encountered a connection error|server login has been failing|no more connections allowed|query_wait_timeout/i;

/** The connection broke or could not be had; the statement may be tried again on another one. */
export function isConnectionLost(error: unknown): boolean {
  if (isOfConnect(error)) return true;
  const state = sqlStateOf(error);
  if (state !== undefined && CONNECTION_STATES.test(state)) return true;
  return isOfDatabase(error) && CONNECTION_MESSAGES.test(wordsOf(error));
}

/** Read-only, as after a fail-over to a replica; out of disk, memory or another resource; an error of its disk. */
const UNABLE_STATES = /^(?:25006|53100|53200|53400|58030)$/;
/** What is wrong with the moment and not with the statement: resources, locks, operators, the system. */
const PASSING_STATES = /^(?:25006$|53|55|57|58)/;

/** The database answers, and takes no changes for now: nothing was changed, and later it will be. */
export function isUnable(error: unknown): boolean {
  return UNABLE_STATES.test(sqlStateOf(error) ?? '');
}

/** The database cannot be used for now; what was asked may be asked again. */
export function isUnavailable(error: unknown): boolean {
  return isConnectionLost(error) || isUnable(error);
}

/** The same statement may succeed later, as it is. */
export function isPassing(error: unknown): boolean {
  return isConflict(error) || isConnectionLost(error) || PASSING_STATES.test(sqlStateOf(error) ?? '');
}

/** A database error as an answer to the caller; anything that is no database error is returned as it is. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof ResourceError) return error;
  if (isConnectionLost(error)) {
    const answer = new ServiceUnavailableError('The database cannot be reached; nothing was changed', {
      id: 'DB_UNREACHABLE',
      hint: 'Try again in a moment',
      cause: error,
    });
    return troubled(answer, 'unreachable');
  }
  if (isUnable(error)) {
    const why = wordsOf(error);
    const answer = new ServiceUnavailableError(
      `The database takes no changes at the moment (${why}); nothing was changed`,
      { id: 'DB_UNREACHABLE', hint: 'Try again when it does', cause: error },
    );
    return troubled(answer, 'unreachable');
  }
  if (error instanceof LostRace) {
    return new ConflictError(error.message, { id: 'DB_RACE', hint: 'Try again', cause: error });
  }
  const facts: ErrorFacts = { cause: error };
  switch (sqlStateOf(error)) {
    case '23505':
      return new PreconditionFailedError('An object with this identity exists already', {
        ...facts,
        id: 'DB_DUPLICATE',
      });
    case '40001':
    case '40P01':
      return troubled(
        new ServiceUnavailableError('The change collided with others too many times; nothing was changed', {
          ...facts,
          id: 'DB_CONFLICT',
          hint: 'Try again',
        }),
        'conflict',
      );
    case '55P03':
      return troubled(
        new ServiceUnavailableError('Somebody else has locked what this would change; nothing was changed', {
          ...facts,
          id: 'DB_LOCKED',
          hint: 'Try again in a moment',
        }),
        'conflict',
      );
    case '57014':
      return new ServiceUnavailableError('The database cancelled the statement: it took too long', {
        ...facts,
        id: 'DB_STATEMENT_TIMEOUT',
      });
    case '22P02':
    case '22P05':
    case '22021':
      return new ResourceError(
        400,
        'A text holds a character that cannot be stored (NUL, or half a character)',
        {
          ...facts,
          id: 'DB_BAD_TEXT',
        },
      );
    case '54000':
      return new PayloadTooLargeError(
        'A text is too long for what it stands for: a name, or a key to look up by',
        {
          ...facts,
          id: 'DB_TEXT_TOO_LONG',
          hint: 'Keep it below 600 characters',
        },
      );
    case '54001':
      return new PayloadTooLargeError('The question is too long or too deep for the database', {
        ...facts,
        id: 'DB_TOO_COMPLEX',
        hint: 'Ask in several parts',
      });
    default:
      return error;
  }
}
