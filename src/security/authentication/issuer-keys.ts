import { setTimeout as delay } from 'node:timers/promises';
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { type BearerSettings, isSafeIssuerUrl } from '#config/index.ts';
import {
  type AddressGuard,
  type IncomingResponse,
  type OutgoingRequest,
  sendRequest,
} from '#egress/index.ts';
import { UnauthorizedError } from '#errors/index.ts';

export type IssuerKeys = JWTVerifyGetKey;

const TIMEOUT_MS = 5_000;
/** An issuer withdraws a key by leaving it out: after that long it is asked for its keys again, if any are needed. */
const FRESH_MS = 60_000;
/** So long a token waits for that. An issuer that is slower or away has its keys counted on for ten minutes. */
const PATIENCE_MS = 1_000;
type IssuerSettings = Pick<BearerSettings, 'issuer' | 'jwksUri'> &
  Partial<Pick<BearerSettings, 'minimumRsaBits'>>;

/** Key sets have some kilobytes. */
const MAX_BYTES = 500_000;

/**
 * The keys of an issuer, which are fetched at first use, again when an unknown one is named, and when they were fetched a
 * minute ago. Whatever is asked of the
 * issuer goes where the guard lets it, and follows no redirect.
 *
 * @throws UnauthorizedError `AUTH_ISSUER_UNREACHABLE` when it does not say where its keys are
 */
export async function openIssuerKeys(
  { issuer, jwksUri, minimumRsaBits = 2048 }: IssuerSettings,
  guard: AddressGuard,
  now: () => number = Date.now,
): Promise<IssuerKeys> {
  const url = jwksUri ?? (await discoverIssuer(issuer, guard)).jwksUri;
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    [customFetch]: async (asked) => {
      const { status, body } = await get(asked, guard);
      return new Response(body, { status });
    },
  });
  let askedAt = now();
  return async (header, token) => {
    if (keys.jwks() !== undefined && now() - askedAt > FRESH_MS) {
      askedAt = now();
      const reloaded = keys.reload().catch(() => undefined);
      await Promise.race([reloaded, delay(PATIENCE_MS, undefined, { ref: false })]);
    }
    const key = await keys(header, token);
    const { modulusLength } = key.algorithm as { modulusLength?: number };
    if (modulusLength === undefined || modulusLength >= minimumRsaBits) return key;
    throw new errors.JOSENotSupported(`An RSA key of ${modulusLength} bits has less than ${minimumRsaBits}`);
  };
}

/** What an issuer has said once. A failure is no answer to keep: whoever comes next asks again. */
export function keptAnswer<T>(ask: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    const asked = kept ?? ask();
    kept = asked;
    asked.catch(() => {
      if (kept === asked) kept = undefined;
    });
    return asked;
  };
}

/** Where an issuer is asked for what. Endpoints for browsers are there where it has said them. */
export interface IssuerPlaces {
  readonly jwksUri: string;
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint?: string;
}

/** @throws UnauthorizedError `AUTH_ISSUER_UNREACHABLE` when it does not say where its keys are */
export async function discoverIssuer(issuer: string, guard: AddressGuard): Promise<IssuerPlaces> {
  try {
    const { status, body } = await get(
      `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
      guard,
    );
    const about = JSON.parse(body) as Readonly<Record<string, unknown>>;
    const placeOf = (name: string) => {
      const uri = about[name];
      return typeof uri === 'string' && isSafeIssuerUrl(uri) ? uri : undefined;
    };
    const jwksUri = placeOf('jwks_uri');
    const authorizationEndpoint = placeOf('authorization_endpoint');
    const tokenEndpoint = placeOf('token_endpoint');
    // Whoever answers for another issuer has been put in its place.
    if (status === 200 && about['issuer'] === issuer && jwksUri !== undefined)
      return {
        jwksUri,
        ...(authorizationEndpoint === undefined ? {} : { authorizationEndpoint }),
        ...(tokenEndpoint === undefined ? {} : { tokenEndpoint }),
      };
  } catch (cause) {
    throw new UnauthorizedError('Access Denied', { id: 'AUTH_ISSUER_UNREACHABLE', cause });
  }
  throw new UnauthorizedError('Access Denied', { id: 'AUTH_ISSUER_UNREACHABLE' });
}

function get(url: string, guard: AddressGuard) {
  return askIssuer({ method: 'GET', url, headers: {}, body: null }, guard);
}

/** One answer of some kilobytes, soon, from where the guard lets it. */
export function askIssuer(
  request: Pick<OutgoingRequest, 'method' | 'url' | 'headers' | 'body'>,
  guard: AddressGuard,
): Promise<IncomingResponse> {
  const bounds = { timeoutMs: TIMEOUT_MS, followsRedirects: false, maxBytes: MAX_BYTES };
  return sendRequest(
    { ...request, headers: { Accept: 'application/json', ...request.headers }, ...bounds },
    guard,
  );
}
