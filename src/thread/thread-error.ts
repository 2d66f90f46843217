import { type Trouble, translateDatabaseError, troubled, troubleOf } from '#database/index.ts';
import { fromErrorBody, type ResourceError, toResourceError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';

export interface ErrorMessage {
  readonly code: number;
  readonly message: string;
  readonly detail?: JsonValue;
  /** The inner error's text, for the log only. */
  readonly cause?: string;
  /** What the database has done to the work. */
  readonly trouble?: Trouble;
}

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
  if (cause !== undefined) {
    const inner = new Error(cause);
    // The stack of the place where it happened, also when the error is passed on to a third thread.
    inner.stack = cause;
    error.cause = inner;
  }
  return troubled(error, trouble);
}
