/**
 * The vocabulary of what can go wrong. A `ResourceError` is an answer to a caller; an `ActivationError` keeps
 * something from starting. Messages say what was wrong with the value, hints say what to do.
 */
export { ActivationError, type Finding, formatFinding } from './activation-error.ts';
export { answerTooLarge } from './answer-too-large.ts';
export { fromErrorBody, toResourceError } from './convert.ts';
export {
  BadRequestError,
  BystanderError,
  ConflictError,
  ForbiddenError,
  InternalServerError,
  NotFoundError,
  NotSupportedError,
  PayloadTooLargeError,
  PreconditionFailedError,
  ServiceUnavailableError,
  TimeoutError,
  TooManyRequestsError,
  UnauthorizedError,
} from './named-errors.ts';
export { reasonOf } from './reason.ts';
export { type ErrorFacts, errorIdOf, factsOf, ResourceError } from './resource-error.ts';
export { didYouMean, nearest } from './suggestion.ts';
export { systemCodeOf, wordsOf } from './words-of.ts';
