import { createRemoteJWKSet, customFetch } from 'jose';
import { type AddressGuard, sendRequest } from '#egress/index.ts';
import { UnauthorizedError } from '#errors/index.ts';
import { type BearerSettings, isSafeIssuerUrl } from './module-settings-schema.ts';

export type IssuerKeys = ReturnType<typeof createRemoteJWKSet>;

const TIMEOUT_MS = 5_000;
/** Key sets have some kilobytes. */
const MAX_BYTES = 500_000;

/**
 * The keys of an issuer, which are fetched at first use and again when an unknown one is named. Whatever is asked of the
 * issuer goes where the guard lets it, and follows no redirect.
 *
 * @throws UnauthorizedError `AUTH_ISSUER_UNREACHABLE` when it does not say where its keys are
 */
export async function openIssuerKeys(
  { issuer, jwksUri }: Pick<BearerSettings, 'issuer' | 'jwksUri'>,
  guard: AddressGuard,
): Promise<IssuerKeys> {
  const url = jwksUri ?? (await discover(issuer, guard));
  return createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    [customFetch]: async (asked) => {
      const { status, body } = await get(asked, guard);
      return new Response(body, { status });
    },
  });
}

async function discover(issuer: string, guard: AddressGuard): Promise<string> {
  try {
    const { status, body } = await get(
      `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
      guard,
    );
    const about = JSON.parse(body) as { issuer?: unknown; jwks_uri?: unknown };
    const { jwks_uri: uri } = about;
    // Whoever answers for another issuer has been put in its place.
    if (status === 200 && about.issuer === issuer && typeof uri === 'string' && isSafeIssuerUrl(uri))
      return uri;
  } catch (cause) {
    throw new UnauthorizedError('Access Denied', { id: 'AUTH_ISSUER_UNREACHABLE', cause });
  }
  throw new UnauthorizedError('Access Denied', { id: 'AUTH_ISSUER_UNREACHABLE' });
}

function get(url: string, guard: AddressGuard) {
  const request = {
    method: 'GET',
    url,
    headers: { Accept: 'application/json' },
    body: null,
    timeoutMs: TIMEOUT_MS,
    followsRedirects: false,
    maxBytes: MAX_BYTES,
  };
  return sendRequest(request, guard);
}
