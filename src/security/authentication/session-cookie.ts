import type { SessionSettings } from '#config/index.ts';

const NAME = 'session-jwt';
/** A browser takes it over TLS only, for this host alone and all of its paths: no other host can set one for us. */
const HOST_NAME = `__Host-${NAME}`;

/** What a browser keeps of a session, and how long. */
export interface SessionCookie {
  readonly token: string;
  /** Seconds; undefined: until the browser ends. */
  readonly maxAge: number | undefined;
}

/** The value of `Set-Cookie`. @param overTls whether the cookie may be sent over TLS only */
export function writeCookie({ token, maxAge }: SessionCookie, overTls: boolean): string {
  return [
    `${overTls ? HOST_NAME : NAME}=${token}`,
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
export function readCookie(header: string | undefined, overTls: boolean): string | undefined {
  const name = overTls ? HOST_NAME : NAME;
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
