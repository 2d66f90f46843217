import { randomBytes } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { BadRequestError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import type { CodeLogin, PendingLogin } from './authentication-module.ts';
import { type CookieScope, PENDING_LOGIN, writeCookie } from './session-cookie.ts';

const MOST_RETURN = 1_000;
const LIFE_SECONDS = 600;
const ISSUER = 'svc-login';
const RANDOM_BYTES = 32;

/**
 * @param port where the browser comes back on its own machine; counts only where the provider's redirectUri names none
 * @throws BadRequestError `AUTH_BAD_RETURN` for a page that is not of this origin, `AUTH_BAD_PORT`
 */
export function beginPending(
  { provider, takesPort }: CodeLogin,
  returnTo: JsonValue | undefined,
  port: JsonValue | undefined,
): PendingLogin {
  const random = () => randomBytes(RANDOM_BYTES).toString('base64url');
  const begun = {
    provider,
    state: random(),
    nonce: random(),
    verifier: random(),
    returnTo: ownPage(returnTo),
  };
  const own = portOf(port);
  return takesPort && own !== undefined ? { ...begun, port: own } : begun;
}

function portOf(port: JsonValue | undefined): number | undefined {
  if (port === undefined) return undefined;
  if (typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new BadRequestError(`${JSON.stringify(port).slice(0, 100)} is no port`, {
    id: 'AUTH_BAD_PORT',
    field: '/port',
    hint: 'A number from 1 to 65535, at which a program of this machine listens for the browser',
  });
}

function ownPage(page: JsonValue = '/'): string {
  const origin = 'http://here.invalid';
  if (typeof page === 'string' && page.startsWith('/') && page.length <= MOST_RETURN) {
    const url = URL.parse(page, origin);
    // Without its dot segments a path may begin as another host does.
    if (url?.origin === origin && !url.pathname.startsWith('//')) {
      return `${url.pathname}${url.search}${url.hash}`;
    }
  }
  throw new BadRequestError(`${JSON.stringify(page).slice(0, 100)} is no page of this server`, {
    id: 'AUTH_BAD_RETURN',
    field: '/returnTo',
    hint: "A path such as '/console/me'",
  });
}

/** What the browser keeps meanwhile, so that nobody comes back to a login that another one has begun. */
export async function pendingCookie(
  pending: PendingLogin,
  secret: Uint8Array,
  scope: CookieScope,
): Promise<string> {
  const token = await new SignJWT({ ...pending })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(ISSUER)
    .setExpirationTime(`${LIFE_SECONDS} seconds`)
    .sign(secret);
  return writeCookie({ token, maxAge: LIFE_SECONDS }, scope, PENDING_LOGIN);
}

/** @returns undefined where none has begun, or it was too long ago */
export async function readPending(
  token: string | undefined,
  secrets: readonly Uint8Array[],
): Promise<PendingLogin | undefined> {
  if (token === undefined) return undefined;
  for (const secret of secrets) {
    try {
      const { payload } = await jwtVerify<PendingLogin>(token, secret, {
        algorithms: ['HS256'],
        issuer: ISSUER,
      });
      const { provider, state, nonce, verifier, returnTo, port } = payload;
      return { provider, state, nonce, verifier, returnTo, ...(port === undefined ? {} : { port }) };
    } catch {
      // Over, or signed with another key of the ring, or with none of ours.
    }
  }
  return undefined;
}
