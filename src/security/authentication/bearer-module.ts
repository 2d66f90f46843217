import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { UnauthorizedError } from '#errors/index.ts';
import type { Account } from './account.ts';
import { type AuthenticationModule, identity } from './authentication-module.ts';
import type { BearerSettings } from './module-settings-schema.ts';

export interface BearerModuleOptions {
  readonly name: string;
  readonly settings: BearerSettings;
  /** Looks the caller up where the settings say. */
  readonly find: ((authenticationId: string) => Promise<Account | undefined>) | undefined;
}

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** Bearer tokens of an OpenID Connect issuer. Its keys are fetched at first use, and again when an unknown one is named. */
export function bearerModule({ name, settings, find }: BearerModuleOptions): AuthenticationModule {
  let keys: KeySet | undefined;
  return {
    name,
    async authenticate({ header }) {
      const token = /^bearer +([\w-]+\.[\w-]+\.[\w-]*)$/i.exec(header('authorization') ?? '')?.[1];
      if (token === undefined) return undefined;
      keys ??= createRemoteJWKSet(new URL(settings.jwksUri ?? (await discover(settings.issuer))));
      const claims = await verify(token, keys, settings);
      const authenticationId = claims?.[settings.authenticationIdClaim];
      if (claims === undefined || typeof authenticationId !== 'string' || authenticationId === '')
        return undefined;
      const roles = [...settings.defaultUserRoles, ...claimedRoles(claims, settings)];
      if (find === undefined) {
        return identity({
          name: authenticationId,
          module: name,
          component: 'openid',
          id: authenticationId,
          roles,
        });
      }
      const account = await find(authenticationId);
      if (account === undefined || !account.isActive) return undefined;
      const { component, id } = account;
      return identity({
        name: authenticationId,
        module: name,
        component,
        id,
        roles: [...roles, ...account.roles],
      });
    },
  };
}

/** @returns undefined for a token that does not hold; what keeps us from knowing is an error */
async function verify(
  token: string,
  keys: KeySet,
  settings: BearerSettings,
): Promise<JWTPayload | undefined> {
  const { issuer, audience, algorithms, clockToleranceSeconds } = settings;
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: [...algorithms],
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['exp'],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) return undefined;
    throw new UnauthorizedError('Access Denied', { id: 'AUTH_ISSUER_UNREACHABLE', cause: error });
  }
}

async function discover(issuer: string): Promise<string> {
  try {
    const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
      signal: AbortSignal.timeout(5_000),
    });
    const about = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
    // Whoever answers for another issuer has been put in its place.
    if (response.ok && about.issuer === issuer && typeof about.jwks_uri === 'string') return about.jwks_uri;
  } catch (cause) {
    throw new UnauthorizedError('Access Denied', { id: 'AUTH_ISSUER_UNREACHABLE', cause });
  }
  throw new UnauthorizedError('Access Denied', { id: 'AUTH_ISSUER_UNREACHABLE' });
}

function claimedRoles(claims: JWTPayload, { rolesClaim, acceptedRoles }: BearerSettings): string[] {
  const value = rolesClaim === undefined ? undefined : claims[rolesClaim];
  const claimed =
    typeof value === 'string' ? value.split(/[ ,]+/) : Array.isArray(value) ? value.map(String) : [];
  return claimed.filter((role) => acceptedRoles.includes(role));
}
