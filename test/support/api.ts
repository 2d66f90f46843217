export const ADMIN_PASSWORD = 'Correct-Horse-9';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** Null sends no credentials. */
  readonly user?: string | null;
  readonly password?: string;
}

/** Calls the REST interface of a server as its administrator, unless told otherwise. */
export type Api = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

export function apiOf(url: string): Api {
  return async (method, path, { body, headers = {}, user = 'svc-admin', password = ADMIN_PASSWORD } = {}) => {
    const credentials = user === null ? {} : { 'X-Svc-Username': user, 'X-Svc-Password': password };
    const response = await fetch(`${url}/svc/${path}`, {
      method,
      headers: {
        ...credentials,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
}
