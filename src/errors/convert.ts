import { InternalServerError, NAMED_ERRORS } from './named-errors.ts';
import { type Json, ResourceError } from './resource-error.ts';

/**
 * Whatever was thrown, as a ResourceError. An unexpected error becomes a 500 whose message says nothing of
 * the inside; the original stays its `cause`, for the log.
 */
export function toResourceError(thrown: unknown): ResourceError {
  if (thrown instanceof ResourceError) return thrown;
  return new InternalServerError('The server could not complete the request', { cause: thrown });
}

/**
 * Rebuilds an error from the body that `ResourceError.toJSON` made, for instance in another thread: with the class of
 * its code, by which callers recognise it.
 */
export function fromErrorBody(body: { code: number; message: string; detail?: Json }): ResourceError {
  const facts = body.detail === undefined ? {} : { detail: body.detail };
  const Named = NAMED_ERRORS.get(body.code);
  return Named === undefined
    ? new ResourceError(body.code, body.message, facts)
    : new Named(body.message, facts);
}
