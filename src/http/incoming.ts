import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { ClientContext, HttpContext } from '#resource/index.ts';
import { callerAddress, TrustedProxies } from '#security/index.ts';

const LOOPBACK = new TrustedProxies(['127.0.0.0/8', '::1']);
const NOTHING = new URLSearchParams();

/**
 * Headers, address and target of a request, read off Node's own message: building web objects for them costs more than
 * a query. What only scripts look at is made when they do.
 */
export class Incoming {
  readonly message: IncomingMessage;
  /** As it came: path and parameters, percent-encoded. */
  readonly target: string;
  /** Percent-encoded, without the parameters. */
  readonly path: string;
  readonly search: URLSearchParams;
  /** Their word about callers counts. */
  readonly proxies: TrustedProxies;

  constructor(message: IncomingMessage, proxies: TrustedProxies) {
    this.message = message;
    this.proxies = proxies;
    this.target = targetOf(message);
    const mark = this.target.indexOf('?');
    this.path = mark === -1 ? this.target : this.target.slice(0, mark);
    this.search = mark === -1 ? NOTHING : new URLSearchParams(this.target.slice(mark));
  }

  /** @param name in lower case */
  readonly header = (name: string): string | undefined => {
    const value = this.message.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };

  get method(): string {
    return this.message.method ?? '';
  }

  /** All headers but those that it was authenticated with and the given ones, each a list. */
  shownHeaders(leftOut: ReadonlySet<string>): Record<string, string[]> {
    const shown: Record<string, string[]> = {};
    for (const [name, value] of Object.entries(this.message.headers)) {
      if (value === undefined || SECRET_HEADERS.has(name) || leftOut.has(name)) continue;
      shown[name] = Array.isArray(value) ? value : [value];
    }
    return shown;
  }

  get isSecure(): boolean {
    return isSecure(this.message, this.proxies);
  }

  /** Scheme, host and port that the client speaks to; empty when its Host header is none. */
  get origin(): string {
    return originOf(`${this.isSecure ? 'https' : 'http'}://${this.message.headers.host ?? ''}`);
  }
}

/** Nearly all requests of a server name the same one. */
let lastAddressed = { url: '', origin: '' };

function originOf(url: string): string {
  if (lastAddressed.url !== url) lastAddressed = { url, origin: URL.parse(url)?.origin ?? '' };
  return lastAddressed.origin;
}

/** Whether the caller's own connection is encrypted, which a trusted proxy that ends TLS says of it. */
export function isSecure({ socket, headers }: IncomingMessage, proxies: TrustedProxies): boolean {
  if ((socket as TLSSocket).encrypted === true) return true;
  const scheme = headers['x-forwarded-proto'];
  if (scheme === undefined || !proxies.include(socket.remoteAddress ?? '')) return false;
  // What stands before the last was sent by somebody further away.
  return String(scheme).split(',').at(-1)!.trim().toLowerCase() === 'https';
}

/** A proxy may send the whole URL instead of its path. */
function targetOf({ url = '/' }: IncomingMessage): string {
  if (url.startsWith('/')) return url;
  const absolute = URL.parse(url);
  return absolute === null ? '/' : absolute.pathname + absolute.search;
}

export class IncomingClient implements ClientContext {
  readonly #incoming: Incoming;
  readonly isExternal = true;

  constructor(incoming: Incoming) {
    this.#incoming = incoming;
  }

  get remoteAddress(): string {
    const { header, proxies } = this.#incoming;
    return callerAddress(this.peerAddress, header('x-forwarded-for'), proxies);
  }

  get peerAddress(): string {
    return this.#incoming.message.socket.remoteAddress ?? '';
  }

  /** On this machine, and not merely handed on by a proxy that runs on it. */
  get isLocal(): boolean {
    const { headers } = this.#incoming.message;
    if (headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined) return false;
    return LOOPBACK.include(this.peerAddress);
  }

  get remotePort(): number {
    return this.#incoming.message.socket.remotePort ?? -1;
  }

  get userAgent(): string {
    return this.#incoming.header('user-agent') ?? '';
  }

  get isSecure(): boolean {
    return this.#incoming.isSecure;
  }
}

export class IncomingHttp implements HttpContext {
  readonly #incoming: Incoming;

  constructor(incoming: Incoming) {
    this.#incoming = incoming;
  }

  get method(): string {
    return this.#incoming.method;
  }

  get path(): string {
    return this.#incoming.origin + this.#incoming.target;
  }

  get headers(): Record<string, string> {
    return withoutSecrets(this.#incoming.message.headers);
  }

  /** One that was given more than once has all its values, separated by commas. */
  get parameters(): Record<string, string> {
    const values = new Map<string, string>();
    for (const [name, value] of this.#incoming.search) {
      const before = values.get(name);
      values.set(name, before === undefined ? value : `${before},${value}`);
    }
    return Object.fromEntries(values);
  }
}

const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-svc-password',
  'x-svc-reauth-password',
  'x-svc-api-key',
]);

/** Scripts see the headers of a request, but not what it was authenticated with. */
function withoutSecrets(headers: IncomingMessage['headers']): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !SECRET_HEADERS.has(name)) shown[name] = String(value);
  }
  return shown;
}
