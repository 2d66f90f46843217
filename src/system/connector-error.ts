export type ConnectorErrorKind =
  | 'unavailable'
  | 'timeout'
  | 'throttled'
  | 'busy'
  | 'misconfigured'
  | 'invalidCredentials'
  | 'denied'
  | 'notFound'
  | 'alreadyExists'
  | 'conflict'
  | 'invalid'
  | 'dependencyMissing'
  | 'notSupported'
  | 'tokenExpired'
  | 'protocol';

/** The one error of connectors. Its message holds the offending value unless that is secret. */
export class ConnectorError extends Error {
  override readonly name = 'ConnectorError';
  readonly kind: ConnectorErrorKind;
  readonly attribute: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** The id of the object that is there, for `alreadyExists`. */
  readonly existingId: string | undefined;
  /** The code of the other side, such as a result code. */
  readonly nativeCode: string | undefined;
  /** False where nothing was asked of it: it has done nothing. */
  readonly wasAsked: boolean;

  constructor(
    kind: ConnectorErrorKind,
    message: string,
    facts: {
      readonly attribute?: string;
      readonly retryAfterMs?: number;
      readonly nativeCode?: string;
      readonly existingId?: string;
      readonly wasAsked?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = kind;
    this.attribute = facts.attribute;
    this.retryAfterMs = facts.retryAfterMs;
    this.nativeCode = facts.nativeCode;
    this.wasAsked = facts.wasAsked ?? true;
    this.existingId = facts.existingId;
  }
}

/** The same of what went wrong before anything was asked. */
export function unasked(error: unknown): unknown {
  if (!(error instanceof ConnectorError)) return error;
  const { kind, message, attribute, retryAfterMs, nativeCode, existingId } = error;
  return new ConnectorError(kind, message, {
    wasAsked: false,
    cause: error.cause,
    ...(attribute === undefined ? {} : { attribute }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(nativeCode === undefined ? {} : { nativeCode }),
    ...(existingId === undefined ? {} : { existingId }),
  });
}
