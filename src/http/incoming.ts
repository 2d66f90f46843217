import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { ClientContext, HttpContext } from '#resource/index.ts';

/** Headers, address and target of a request, read off Node's own message: building web objects for them costs more than a query. */
export interface Incoming {
  /** @param name in lower case */
  readonly header: (name: string) => string | undefined;
  /** Percent-encoded, without the parameters. */
  readonly path: string;
  readonly search: URLSearchParams;
  /** Scheme, host and port that the client speaks to; empty when its Host header is none. */
  readonly origin: string;
  readonly client: ClientContext;
  /** Its parts are made when a script first looks at them. */
  readonly http: HttpContext;
}

const NOTHING = new URLSearchParams();

export function readIncoming(incoming: IncomingMessage): Incoming {
  const { headers, socket } = incoming;
  const target = targetOf(incoming);
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const search = mark === -1 ? NOTHING : new URLSearchParams(target.slice(mark));
  const isSecure = (socket as TLSSocket).encrypted === true;
  const scheme = isSecure ? 'https' : 'http';
  return {
    header: (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    path,
    search,
    get origin() {
      return originOf(scheme, headers.host);
    },
    client: {
      isExternal: true,
      remoteAddress: socket.remoteAddress ?? '',
      remotePort: socket.remotePort ?? -1,
      userAgent: headers['user-agent'] ?? '',
      isSecure,
    },
    http: {
      method: incoming.method ?? '',
      get path() {
        return originOf(scheme, headers.host) + target;
      },
      get headers() {
        return withoutSecrets(headers);
      },
      get parameters() {
        return Object.fromEntries(search);
      },
    },
  };
}

/** A proxy may send the whole URL instead of its path. */
function targetOf({ url = '/' }: IncomingMessage): string {
  if (url.startsWith('/')) return url;
  const absolute = URL.parse(url);
  return absolute === null ? '/' : absolute.pathname + absolute.search;
}

function originOf(scheme: string, host: string | undefined): string {
  return URL.parse(`${scheme}://${host ?? ''}`)?.origin ?? '';
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
