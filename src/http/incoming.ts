import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientContext, HttpContext } from '#resource/index.ts';
import { callerAddress, TrustedProxies } from '#security/index.ts';
import type { HeaderNames } from './header-names.ts';
import { isSecretHeader } from './shown-header.ts';

const LOOPBACK = new TrustedProxies(['127.0.0.0/8', '::1']);
/** What proxies add to requests that they hand on. */
const OF_PROXIES =
  /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-original-.*|x-envoy-.*|(?:.*-)?client-ip|.*-connecting-ip|.*-user-ip)$/;
const NOTHING = new URLSearchParams();

/** What a server knows of where it stands. */
export interface Site {
  /** Their word about callers counts. */
  readonly proxies: TrustedProxies;
  /** Scheme, host, port and path that clients know the server by. */
  readonly publicOrigin: string | undefined;
  /** The path below which clients find the server, such as `/identity`; empty: at the root. */
  readonly publicPath: string;
  /** Other names of headers that are understood. */
  readonly headerNames: HeaderNames;
}

/**
 * Headers, address and target of a request, read off Node's own message: building web objects for them costs more than
 * a query. What only scripts look at is made when they do.
 */
export class Incoming {
  readonly message: IncomingMessage;
  /** Path and parameters, percent-encoded; as it came, but for the path that the server is below. */
  readonly target: string;
  /** Percent-encoded, without the parameters. */
  readonly path: string;
  readonly search: URLSearchParams;
  readonly #site: Site;

  constructor(message: IncomingMessage, site: Site) {
    this.message = message;
    this.#site = site;
    this.target = belowOf(targetOf(message), site.publicPath);
    const mark = this.target.indexOf('?');
    this.path = mark === -1 ? this.target : this.target.slice(0, mark);
    this.search = mark === -1 ? NOTHING : new URLSearchParams(this.target.slice(mark));
  }

  /** @param name in lower case */
  readonly header = (name: string): string | undefined => {
    const { headers } = this.message;
    const value = headers[name] ?? headers[this.#site.headerNames.get(name) ?? name];
    return Array.isArray(value) ? value.join(', ') : value;
  };

  get method(): string {
    return this.message.method ?? '';
  }

  /** Whether a parameter is there, and says the given word. Both are compared ignoring case. */
  says(name: string, word?: string): boolean {
    for (const [given, value] of this.search) {
      if (given.toLowerCase() !== name.toLowerCase()) continue;
      return word === undefined || value.toLowerCase() === word;
    }
    return false;
  }

  /** All headers but those that may hold a secret and the given ones, each a list. */
  shownHeaders(leftOut: ReadonlySet<string>): Record<string, string[]> {
    const shown: Record<string, string[]> = {};
    for (const [name, value] of Object.entries(this.message.headers)) {
      if (value === undefined || isSecretHeader(name) || leftOut.has(name)) continue;
      shown[name] = Array.isArray(value) ? value : [value];
    }
    return shown;
  }

  get isSecure(): boolean {
    return isSecure(this.message, this.#site.proxies);
  }

  /** The caller's address, as a trusted proxy tells it. */
  get callerAddress(): string {
    const peer = this.message.socket.remoteAddress ?? '';
    return callerAddress(peer, this.header('x-forwarded-for'), this.#site.proxies);
  }

  /** Sent by a program on this machine, and not merely handed on by a proxy that runs on it. */
  get isLocal(): boolean {
    const { socket, headers, httpVersion } = this.message;
    const peer = socket.remoteAddress ?? '';
    if (!LOOPBACK.include(peer) || this.#site.proxies.include(peer)) return false;
    // nginx speaks HTTP/1.0 to those behind it unless it is told otherwise, and adds no header of its own accord.
    if (httpVersion === '1.0' || Object.keys(headers).some((name) => OF_PROXIES.test(name))) return false;
    const { hostname } = URL.parse(`http://${headers.host ?? ''}`) ?? { hostname: '' };
    return /^(?:.+\.)?localhost$/.test(hostname) || LOOPBACK.include(hostname.replace(/^\[|\]$/g, ''));
  }

  /** The path below which clients find the server. */
  get publicPath(): string {
    return this.#site.publicPath;
  }

  /**
   * Scheme, host, port and path for links to this server. `Host` is whatever the caller likes, so it counts only when it
   * names the very end of the connection that it came in by; empty when nothing better is known.
   */
  get origin(): string {
    const { publicOrigin, publicPath } = this.#site;
    if (publicOrigin !== undefined) return publicOrigin;
    const { host = '' } = this.message.headers;
    if (!isOwnName(host, this.message.socket)) return publicPath;
    return `${this.isSecure ? 'https' : 'http'}://${host}${publicPath}`;
  }
}

function isOwnName(host: string, { localAddress = '', localPort = 0 }: Socket): boolean {
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/i, '');
  const names = [address.includes(':') ? `[${address}]` : address];
  if (LOOPBACK.include(address)) names.push('localhost');
  return names.some((name) => host === `${name}:${localPort}` || (localPort === 80 && host === name));
}

/** Whether the caller's own connection is encrypted, which a trusted proxy that ends TLS says of it. */
export function isSecure({ socket, headers }: IncomingMessage, proxies: TrustedProxies): boolean {
  if ('encrypted' in socket && socket.encrypted === true) return true;
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

/** A proxy may take the path away that the server is below, or leave it. */
function belowOf(target: string, publicPath: string): string {
  if (publicPath === '' || !target.startsWith(publicPath)) return target;
  const rest = target.slice(publicPath.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : target;
}

export class IncomingClient implements ClientContext {
  readonly #incoming: Incoming;
  readonly isExternal = true;

  constructor(incoming: Incoming) {
    this.#incoming = incoming;
  }

  get remoteAddress(): string {
    return this.#incoming.callerAddress;
  }

  get peerAddress(): string {
    return this.#incoming.message.socket.remoteAddress ?? '';
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

  get publicPath(): string {
    return this.#incoming.publicPath;
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
    const { origin, publicPath, message, target } = this.#incoming;
    if (origin !== publicPath) return origin + target;
    const { localAddress = '', localPort = 0 } = message.socket;
    const scheme = this.#incoming.isSecure ? 'https' : 'http';
    return `${scheme}://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}${publicPath}${target}`;
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

/** Scripts see the headers of a request, but none that may hold a secret. */
function withoutSecrets(headers: IncomingMessage['headers']): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !isSecretHeader(name)) shown[name] = String(value);
  }
  return shown;
}
