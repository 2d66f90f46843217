import type { JsonObject, JsonValue } from '#json/index.ts';

/** What was asked for over HTTP, and by whom. */
export interface AnsweredRequest {
  /** The kind of the request, one of seven, in lower case. */
  readonly operation: string;
  readonly resource: string;
  readonly action: string | null;
  readonly userId: string;
  readonly roles: readonly string[];
  readonly client: { readonly ip: string; readonly port: number };
  /** `{server, http}`: what the audit shows of the message; made only when it is asked for, or told by another thread. */
  readonly message: JsonObject | (() => JsonObject);
  /** The body of the answer when it failed. */
  readonly error: JsonValue;
  /** `{operation, resource, detail}` of each request that was refused among several that came as one. */
  readonly refused: readonly JsonObject[];
}
