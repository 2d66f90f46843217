/** The body of an error as the server sends it. */
export interface ErrorBody {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly detail?: ErrorDetail;
}

interface ErrorDetail {
  readonly id?: string;
  readonly hint?: string;
  readonly field?: string;
  readonly revision?: string;
  readonly retryAfterSeconds?: number;
  readonly failedPolicyRequirements?: readonly unknown[];
  readonly [further: string]: unknown;
}

/** An error that the server has answered with: nothing was changed. `docs/reference/errors.md` has all ids. */
export class SvcError extends Error {
  override readonly name: string = 'SvcError';
  readonly body: ErrorBody;
  /** The id by which the log and the audit of the server know the request. */
  readonly requestId: string | undefined;

  constructor(body: ErrorBody, requestId?: string) {
    super(body.message);
    this.body = body;
    this.requestId = requestId;
  }

  get code(): number {
    return this.body.code;
  }

  /** Stable, such as `SCHED_UNKNOWN_TIME_ZONE`. */
  get id(): string | undefined {
    return this.body.detail?.id;
  }

  /** What to do about it. */
  get hint(): string | undefined {
    return this.body.detail?.hint;
  }

  /** JSON pointer of the offending field. */
  get field(): string | undefined {
    return this.body.detail?.field;
  }
}

/** The request is wrong in itself: 400, 413, 422 and the like. */
export class BadRequestError extends SvcError {
  override readonly name = 'BadRequestError';
}

/** What was sent breaks rules of its type; `failures` has them. The status is 403, as clients of the family know it. */
export class PolicyError extends SvcError {
  override readonly name = 'PolicyError';

  get failures(): readonly unknown[] {
    return this.body.detail?.failedPolicyRequirements ?? [];
  }
}

/** 401 and 403, but for policies. */
export class NotAllowedError extends SvcError {
  override readonly name: string = 'NotAllowedError';
}

/** What is to be changed asks for the password once more (`ClientOptions.reauthenticate`). */
export class NeedsReauthenticationError extends NotAllowedError {
  override readonly name = 'NeedsReauthenticationError';
}

/** 404. */
export class NotFoundError extends SvcError {
  override readonly name = 'NotFoundError';
}

/** 409 and 412: somebody else was faster, or it is there already. */
export class ConflictError extends SvcError {
  override readonly name = 'ConflictError';

  /** The revision of the object now, where that was the matter. */
  get revision(): string | undefined {
    return this.body.detail?.revision;
  }
}

/** 429: too much at once. */
export class ThrottledError extends SvcError {
  override readonly name = 'ThrottledError';

  get retryAfterSeconds(): number | undefined {
    return this.body.detail?.retryAfterSeconds;
  }
}

/** 502, 503 and 504: the server, or what it needs, is not there now. */
export class UnavailableError extends SvcError {
  override readonly name = 'UnavailableError';
}

/** There was no answer, or none of this server. What was sent may have been done. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

type ErrorClass = new (body: ErrorBody, requestId?: string) => SvcError;

/** An id says more than a status. */
const BY_ID: ReadonlyMap<string | undefined, ErrorClass> = new Map([
  ['ACCESS_NEEDS_REAUTHENTICATION', NeedsReauthenticationError],
]);

const BY_CODE: ReadonlyMap<number, ErrorClass> = new Map<number, ErrorClass>([
  [401, NotAllowedError],
  [403, NotAllowedError],
  [404, NotFoundError],
  [409, ConflictError],
  [412, ConflictError],
  [429, ThrottledError],
  [502, UnavailableError],
  [503, UnavailableError],
  [504, UnavailableError],
]);

export function errorOf(body: ErrorBody, requestId?: string): SvcError {
  const { code, detail } = body;
  const isRequest = code >= 400 && code < 500;
  if (detail?.failedPolicyRequirements !== undefined) return new PolicyError(body, requestId);
  const Named = BY_ID.get(detail?.id) ?? BY_CODE.get(code) ?? (isRequest ? BadRequestError : SvcError);
  return new Named(body, requestId);
}
