import type { SessionSettings } from '#config/index.ts';
import type { ClientContext } from '#resource/index.ts';

const SESSION = 'session-jwt';
/** The cookie of a login that has begun at an issuer. */
export const PENDING_LOGIN = 'svc-login';

/** Where a browser sends a cookie. */
export interface CookieScope {
  readonly overTls: boolean;
  /** The path below which the server is; empty: it has the host for itself. */
  readonly publicPath: string;
}

/**
 * A browser takes `__Host-` over TLS only, for this host alone and all of its paths: no other host can set one for us. Below a
 * path there are other servers on the host, which are not to be shown the sessions of this one: such a cookie is for its path.
 */
function fullName(name: string, { overTls, publicPath }: CookieScope): string {
  if (!overTls) return name;
  return publicPath === '' ? `__Host-${name}` : `__Secure-${name}`;
}

/** What a browser keeps, and how long. */
export interface SessionCookie {
  readonly token: string;
  /** Seconds; undefined: until the browser ends. */
  readonly maxAge: number | undefined;
}

/** The value of `Set-Cookie`. */
export function writeCookie(
  { token, maxAge }: SessionCookie,
  scope: CookieScope,
  name: string = SESSION,
): string {
  return [
    `${fullName(name, scope)}=${token}`,
    `Path=${scope.publicPath}/`,
    'HttpOnly',
    'SameSite=Strict',
    ...(scope.overTls ? ['Secure'] : []),
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
  ].join('; ');
}

/** Where the cookies of this server go, and whether over TLS only. */
export function cookieScope(
  { isSecure }: SessionSettings,
  { isSecure: cameOverTls, publicPath = '' }: ClientContext,
): CookieScope {
  return { overTls: isSecure === true || (isSecure === 'auto' && cameOverTls), publicPath };
}

/**
 * The token of a request. What came over TLS counts under the name that is for TLS alone: under the plain one somebody
 * in between, or another host of the domain, could have put a session of their own.
 */
export function readCookie(
  header: string | undefined,
  scope: CookieScope,
  plainName: string = SESSION,
): string | undefined {
  const name = fullName(plainName, scope);
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
