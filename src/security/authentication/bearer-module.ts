import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { AddressGuard } from '#egress/index.ts';
import { UnauthorizedError } from '#errors/index.ts';
import type { Account } from './account.ts';
import { type AuthenticationModule, identity } from './authentication-module.ts';
import { type IssuerKeys, openIssuerKeys } from './issuer-keys.ts';
import type { BearerSettings } from './module-settings-schema.ts';

export interface BearerModuleOptions {
  readonly name: string;
  readonly settings: BearerSettings;
  /** Looks the caller up where the settings say. */
  readonly find: ((authenticationId: string) => Promise<Account | undefined>) | undefined;
  /** Where the issuer may be. */
  readonly guard: AddressGuard;
}

/** Bearer tokens of an OpenID Connect issuer. */
export function bearerModule({ name, settings, find, guard }: BearerModuleOptions): AuthenticationModule {
  let keys: Promise<IssuerKeys> | undefined;
  return {
    name,
    async authenticate({ header }) {
      const token = /^bearer +([\w-]+\.[\w-]+\.[\w-]*)$/i.exec(header('authorization') ?? '')?.[1];
      if (token === undefined) return undefined;
      const opened = keys ?? openIssuerKeys(settings, guard);
      keys = opened;
      // A failure is no answer to keep: the next token asks again.
      opened.catch(() => {
        if (keys === opened) keys = undefined;
      });
      const claims = await verify(token, await opened, settings);
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
  keys: IssuerKeys,
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

function claimedRoles(claims: JWTPayload, { rolesClaim, acceptedRoles }: BearerSettings): string[] {
  const value = rolesClaim === undefined ? undefined : claims[rolesClaim];
  const claimed =
    typeof value === 'string' ? value.split(/[ ,]+/) : Array.isArray(value) ? value.map(String) : [];
  return claimed.filter((role) => acceptedRoles.includes(role));
}
