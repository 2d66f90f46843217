import { type ErrorFacts, ResourceError } from './resource-error.ts';

/** One subclass per reason, so that code and tests can say what went wrong by name. */
function named(name: string, code: number) {
  return class extends ResourceError {
    override readonly name = name;
    constructor(message: string, facts?: ErrorFacts) {
      super(code, message, facts);
    }
  };
}

export class BadRequestError extends named('BadRequestError', 400) {}
export class UnauthorizedError extends named('UnauthorizedError', 401) {}
export class ForbiddenError extends named('ForbiddenError', 403) {}
export class NotFoundError extends named('NotFoundError', 404) {}
export class ConflictError extends named('ConflictError', 409) {}
export class PreconditionFailedError extends named('PreconditionFailedError', 412) {}
export class PayloadTooLargeError extends named('PayloadTooLargeError', 413) {}
export class TooManyRequestsError extends named('TooManyRequestsError', 429) {}
export class InternalServerError extends named('InternalServerError', 500) {}
export class NotSupportedError extends named('NotSupportedError', 501) {}
export class ServiceUnavailableError extends named('ServiceUnavailableError', 503) {}
/** Work was ended because of what other work beside it did: it has done nothing wrong itself. */
export class BystanderError extends ServiceUnavailableError {}
export class TimeoutError extends named('TimeoutError', 504) {}

/** The classes of errors by their code. */
export const NAMED_ERRORS: ReadonlyMap<number, new (message: string, facts?: ErrorFacts) => ResourceError> =
  new Map([
    [400, BadRequestError],
    [401, UnauthorizedError],
    [403, ForbiddenError],
    [404, NotFoundError],
    [409, ConflictError],
    [412, PreconditionFailedError],
    [413, PayloadTooLargeError],
    [429, TooManyRequestsError],
    [500, InternalServerError],
    [501, NotSupportedError],
    [503, ServiceUnavailableError],
    [504, TimeoutError],
  ]);
