import { hash } from 'node:crypto';
import type { BearerSettings } from '#config/index.ts';
import type { AddressGuard } from '#egress/index.ts';
import { ServiceUnavailableError, UnauthorizedError } from '#errors/index.ts';
import { isObject } from '#json/index.ts';
import type { CodeLogin, Identity } from './authentication-module.ts';
import { askIssuer, type IssuerPlaces } from './issuer-keys.ts';

export interface CodeLoginOptions {
  readonly login: NonNullable<BearerSettings['login']>;
  readonly issuer: string;
  readonly places: () => Promise<IssuerPlaces>;
  readonly guard: AddressGuard;
}

/**
 * OpenID Connect Core 1.0, 3.1, with PKCE (RFC 7636): the browser is sent to the issuer and comes back with a code, which this
 * server redeems for an ID token.
 *
 * @param identify whom an ID token names that was issued for us in answer to the nonce
 */
export function codeLogin(
  { login, issuer, places, guard }: CodeLoginOptions,
  identify: (idToken: string, nonce: string) => Promise<Identity | undefined>,
): CodeLogin {
  const { provider, title = provider, clientId, clientSecret, redirectUri, scope } = login;
  const find = async (name: 'authorizationEndpoint' | 'tokenEndpoint'): Promise<string> => {
    const place = (await places())[name];
    if (place !== undefined) return place;
    throw new UnauthorizedError('Access Denied', { id: 'AUTH_ISSUER_UNREACHABLE' });
  };
  return {
    provider,
    issuer,
    title,
    takesPort: isAnyPort(redirectUri),
    async location({ state, nonce, verifier, port }) {
      const url = new URL(await find('authorizationEndpoint'));
      const asked = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: atPort(redirectUri, port),
        scope,
        state,
        nonce,
        code_challenge: hash('sha256', verifier, 'base64url'),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
      return url.href;
    },
    async redeem(code, { verifier, nonce, port }) {
      const url = await find('tokenEndpoint');
      const form = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: atPort(redirectUri, port),
        client_id: clientId,
        code_verifier: verifier,
      });
      const headers = {
        'Content-Type': 'application/x-www-form-urlencoded',
        ...(clientSecret === undefined ? {} : { Authorization: basic(clientId, clientSecret) }),
      };
      const { status, body } = await askIssuer(
        { method: 'POST', url, headers, body: form.toString() },
        guard,
      ).catch((cause: unknown) => {
        throw new UnauthorizedError('Access Denied', { id: 'AUTH_ISSUER_UNREACHABLE', cause });
      });
      const answer = membersOf(body);
      // RFC 6749, 5.2: of all that may be wrong, this alone is about the code.
      if (status !== 200 && answer['error'] === 'invalid_grant') return undefined;
      const token = status === 200 ? answer['id_token'] : undefined;
      if (typeof token === 'string') return identify(token, nonce);
      throw refused(provider, status, answer['error']);
    },
  };
}

/** Programs come back to a port of their machine that they find free: RFC 8252, 7.3. */
function isAnyPort(redirectUri: string): boolean {
  const { hostname, port, protocol } = new URL(redirectUri);
  return protocol === 'http:' && port === '' && /^(?:127\.0\.0\.1|\[::1\]|localhost)$/.test(hostname);
}

function atPort(redirectUri: string, port: number | undefined): string {
  if (port === undefined) return redirectUri;
  const url = new URL(redirectUri);
  url.port = String(port);
  return url.href;
}

/** Whoever has logged in there can do nothing about it. What the issuer says besides may repeat what it was sent. */
function refused(provider: string, status: number, error: unknown): ServiceUnavailableError {
  const why = typeof error === 'string' && /^[\w.-]{1,60}$/.test(error) ? ` ${error}` : '';
  const what = status === 200 ? 'without an ID token' : `${status}${why}`;
  return new ServiceUnavailableError(`Nobody can log in by '${provider}' now`, {
    id: 'AUTH_ISSUER_REFUSES',
    hint: 'The log tells what the issuer has against this server (issuer.refuses): clientId and clientSecret, or the issuer itself',
    cause: new Error(`The token endpoint of '${provider}' answered ${what}`),
  });
}

/** RFC 6749, 2.3.1: both are encoded as in forms first. */
function basic(clientId: string, clientSecret: string): string {
  const encoded = [clientId, clientSecret].map((part) => new URLSearchParams({ part }).toString().slice(5));
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`;
}

function membersOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const answer: unknown = JSON.parse(body);
    return isObject(answer) ? answer : {};
  } catch {
    return {};
  }
}
