import type { IncomingMessage } from 'node:http';
import type { Context as HonoContext } from 'hono';
import type { ClientContext, HttpContext } from '#resource/index.ts';

/** Headers and addresses of a request, read off Node's own message: building web objects for them costs more than a query. */
export interface Incoming {
  /** @param name in lower case */
  readonly header: (name: string) => string | undefined;
  readonly hasBody: boolean;
  readonly client: ClientContext;
  /** Its parts are made when a script first looks at them. */
  readonly http: HttpContext;
}

export function readIncoming(hono: HonoContext, url: URL): Incoming {
  const { incoming } = hono.env as { incoming: IncomingMessage };
  const { headers, socket } = incoming;
  const header = (name: string) => {
    const value = headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  return {
    header,
    hasBody: headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined,
    client: {
      isExternal: true,
      remoteAddress: socket.remoteAddress ?? '',
      remotePort: socket.remotePort ?? -1,
      userAgent: header('user-agent') ?? '',
      isSecure: url.protocol === 'https:',
    },
    http: {
      method: incoming.method ?? '',
      path: url.href,
      get headers() {
        return withoutSecrets(headers);
      },
      get parameters() {
        return Object.fromEntries(url.searchParams);
      },
    },
  };
}

const SECRET_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'x-svc-password']);

/** Scripts see the headers of a request, but not what it was authenticated with. */
function withoutSecrets(headers: IncomingMessage['headers']): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !SECRET_HEADERS.has(name)) shown[name] = String(value);
  }
  return shown;
}
