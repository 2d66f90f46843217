import { ADMIN_PASSWORD } from './api.ts';
import type { TestServer } from './server.ts';

export interface ScimCall {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** The `Authorization` header; default: the administrator's. Null: none. */
  readonly as?: string | null;
}

const ADMIN = `Basic ${Buffer.from(`svc-admin:${ADMIN_PASSWORD}`).toString('base64')}`;

/** Calls the SCIM service of a server. @param path below its base, with its slash */
export function scimOf(server: () => TestServer) {
  return async (method: string, path: string, { body, headers = {}, as = ADMIN }: ScimCall = {}) => {
    const response = await fetch(`${server().url}/scim/v2${path}`, {
      method,
      headers: {
        ...(as === null ? {} : { Authorization: as }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/scim+json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
    const answer: any = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, body: answer };
  };
}

/** A key for a client of SCIM, as the `Authorization` header has it. */
export async function scimClient({ api }: TestServer, id: string): Promise<string> {
  const { body } = await api('PUT', `apikey/${id}`, { body: { roles: ['svc-scim'] } });
  return `Bearer ${body.key}`;
}
