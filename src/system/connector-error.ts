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

export interface ConnectorFacts {
  readonly attribute?: string;
  readonly retryAfterMs?: number;
  /** The code of the other side, such as a result code. */
  readonly nativeCode?: string;
  /** The id of the object that is there, for `alreadyExists`. */
  readonly existingId?: string;
  /** What it refers to and is not there, for `dependencyMissing`: a name that the object has once it is. */
  readonly missing?: string;
  /** False where nothing was asked of it: it has done nothing. Default: true. */
  readonly wasAsked?: boolean;
  readonly cause?: unknown;
}

/** The one error of connectors. Its message holds the offending value unless that is secret. */
export class ConnectorError extends Error {
  override readonly name = 'ConnectorError';
  readonly kind: ConnectorErrorKind;
  readonly attribute: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly existingId: string | undefined;
  readonly missing: string | undefined;
  readonly nativeCode: string | undefined;
  readonly wasAsked: boolean;
  readonly #facts: ConnectorFacts;

  constructor(kind: ConnectorErrorKind, message: string, facts: ConnectorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.#facts = facts;
    this.kind = kind;
    this.attribute = facts.attribute;
    this.retryAfterMs = facts.retryAfterMs;
    this.nativeCode = facts.nativeCode;
    this.wasAsked = facts.wasAsked ?? true;
    this.existingId = facts.existingId;
    this.missing = facts.missing;
  }

  /** The same error, but for these facts and, where they are given, in other words. */
  but(facts: ConnectorFacts, message = this.message): ConnectorError {
    return new ConnectorError(this.kind, message, { ...this.#facts, ...facts });
  }
}

/** The same of what went wrong before anything was asked. */
export function unasked(error: unknown): unknown {
  return error instanceof ConnectorError ? error.but({ wasAsked: false }) : error;
}
