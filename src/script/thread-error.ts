import { translateDatabaseError, troubled, troubleOf } from '#database/index.ts';
import { fromErrorBody, type ResourceError, toResourceError } from '#errors/index.ts';
import type { ErrorMessage } from './thread-protocol.ts';

/** An error as it is told to another thread. */
export function toMessage(thrown: unknown): ErrorMessage {
  // Here it is known as one of the database; on the other side it would be any error.
  const error = toResourceError(translateDatabaseError(thrown));
  const body = error.toJSON();
  const cause = error.cause instanceof Error ? (error.cause.stack ?? error.cause.message) : undefined;
  const trouble = troubleOf(error);
  return {
    code: body.code,
    message: body.message,
    ...(body.detail === undefined ? {} : { detail: body.detail }),
    ...(cause === undefined ? {} : { cause }),
    ...(trouble === undefined ? {} : { trouble }),
  };
}

/** What `toMessage` has been made of. */
export function toError({ cause, trouble, ...body }: ErrorMessage): ResourceError {
  const error = fromErrorBody(body);
  if (cause !== undefined) error.cause = new Error(cause);
  return troubled(error, trouble);
}
