import { ADMIN_PASSWORD } from '../../test/support/api.ts';

/** Longest that an answer may take, even of a slow machine; whoever waits longer has been forgotten. */
const PATIENCE_MS = 240_000;

/**
 * `done`: answered with 2xx, so it is in the database. `refused`: answered with an error, so it changed nothing.
 * `unknown`: no answer, or one that says that it is not known.
 */
export type Outcome = 'done' | 'refused' | 'unknown';

export interface Answered {
  readonly outcome: Outcome;
  /** 0 without an answer. */
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the load looks into answers freely
  readonly body: any;
  readonly askedAt: number;
  readonly answeredAt: number;
  /** Why there is no answer, or the id of the error. */
  readonly detail: string | null;
  readonly headers?: Headers;
}

const AS_ADMINISTRATOR = { 'X-Svc-Username': 'svc-admin', 'X-Svc-Password': ADMIN_PASSWORD };

/** One request. Never rejects. @param credentials default: those of the administrator */
export async function ask(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  credentials: Record<string, string> = AS_ADMINISTRATOR,
): Promise<Answered> {
  const askedAt = Date.now();
  try {
    const response = await fetch(`${url}/svc/${path}`, {
      method,
      headers: {
        ...credentials,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    const answer = text === '' ? undefined : JSON.parse(text);
    const id = answer?.detail?.id ?? null;
    const outcome = response.ok ? 'done' : id === 'DB_COMMIT_UNKNOWN' ? 'unknown' : 'refused';
    const { status, headers } = response;
    return { outcome, status, body: answer, askedAt, answeredAt: Date.now(), detail: id, headers };
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: { code?: string } };
    const detail = name === 'TimeoutError' ? 'timeout' : (cause?.code ?? message);
    // Who could not be reached was asked nothing.
    const outcome = cause?.code === 'ECONNREFUSED' ? 'refused' : 'unknown';
    return { outcome, status: 0, body: undefined, askedAt, answeredAt: Date.now(), detail };
  }
}
