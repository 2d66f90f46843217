import type { SessionSettings } from '#config/index.ts';

const SESSION = 'session-jwt';
/** The cookie of a login that has begun at an issuer. */
export const PENDING_LOGIN = 'svc-login';

/** A browser takes it over TLS only, for this host alone and all of its paths: no other host can set one for us. */
const hostName = (name: string) => `__Host-${name}`;

/** What a browser keeps, and how long. */
export interface SessionCookie {
  readonly token: string;
  /** Seconds; undefined: until the browser ends. */
  readonly maxAge: number | undefined;
}

/** The value of `Set-Cookie`. @param overTls whether the cookie may be sent over TLS only */
export function writeCookie(
  { token, maxAge }: SessionCookie,
  overTls: boolean,
  name: string = SESSION,
): string {
  return [
    `${overTls ? hostName(name) : name}=${token}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    ...(overTls ? ['Secure'] : []),
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
  ].join('; ');
}

/** Whether the cookie goes over TLS only. */
export function isForTls({ isSecure }: SessionSettings, cameOverTls: boolean): boolean {
  return isSecure === true || (isSecure === 'auto' && cameOverTls);
}

/**
 * The token of a request. What came over TLS counts under the name that is for TLS alone: under the plain one somebody
 * in between, or another host of the domain, could have put a session of their own.
 */
export function readCookie(
  header: string | undefined,
  overTls: boolean,
  plainName: string = SESSION,
): string | undefined {
  const name = overTls ? hostName(plainName) : plainName;
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
