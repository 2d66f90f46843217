import {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  InternalServerError,
  NotFoundError,
  NotSupportedError,
  PreconditionFailedError,
  type ResourceError,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
} from '#errors/index.ts';
import { missingPrint } from '#resource/index.ts';
import { ConnectorError, type ConnectorErrorKind } from './contract.ts';

type Named = new (message: string, facts?: ConstructorParameters<typeof BadRequestError>[1]) => ResourceError;

/** What callers are told of what a connector has come to; clients of the field know these codes. */
const ANSWERS: Readonly<Record<ConnectorErrorKind, { readonly error: Named; readonly hint?: string }>> = {
  unavailable: { error: ServiceUnavailableError, hint: 'The system is away, or cannot be reached from here' },
  timeout: { error: ServiceUnavailableError, hint: 'operationTimeout of its file says how long it may take' },
  throttled: { error: TooManyRequestsError },
  busy: {
    error: ServiceUnavailableError,
    hint: 'poolConfigOption of its file says how many may ask at once',
  },
  misconfigured: { error: InternalServerError, hint: 'Mend its file; svc config-check looks at all of them' },
  // These are the credentials of the server itself; they say nothing of who asks here.
  invalidCredentials: { error: InternalServerError, hint: 'The credentials in its file are not taken there' },
  denied: { error: ForbiddenError, hint: 'The account by which the server logs in there may not do this' },
  notFound: { error: NotFoundError },
  alreadyExists: { error: PreconditionFailedError },
  conflict: { error: PreconditionFailedError, hint: 'Read it again, and repeat the change' },
  invalid: { error: BadRequestError },
  dependencyMissing: { error: ConflictError, hint: 'Something that it refers to is not there yet' },
  notSupported: { error: NotSupportedError },
  tokenExpired: {
    error: ConflictError,
    hint: 'What has changed since then is not known there any more: reconcile the mappings from this type',
  },
  protocol: { error: InternalServerError },
};

/** What is passed on to callers; what is none of a connector stays what it is. */
export function answerOf(system: string, error: unknown, operation?: string): unknown {
  if (!(error instanceof ConnectorError)) return error;
  const { kind, attribute, retryAfterMs, nativeCode, existingId, message, missing, wasAsked } = error;
  const isLogin = kind === 'invalidCredentials' && operation === 'AUTHENTICATE';
  const { error: Answer, hint } = isLogin ? { error: UnauthorizedError } : ANSWERS[kind];
  return new Answer(`${system}: ${message}`, {
    id: `SYSTEM_${kind.replace(/[A-Z]/g, '_$&').toUpperCase()}`,
    ...(attribute === undefined ? {} : { field: `/${attribute}` }),
    ...(hint === undefined ? {} : { hint }),
    cause: error,
    detail: {
      system,
      ...(nativeCode === undefined ? {} : { nativeCode }),
      ...(existingId === undefined ? {} : { existingId }),
      ...(missing === undefined ? {} : { waitsFor: missingPrint(`system/${system}`, missing) }),
      ...(wasAsked ? {} : { wasAsked }),
      ...(retryAfterMs === undefined ? {} : { retryAfter: Math.ceil(retryAfterMs / 1000) }),
    },
  });
}

export function kindOfError(error: unknown): ConnectorErrorKind | 'ok' | 'failed' {
  return error instanceof ConnectorError ? error.kind : 'failed';
}
