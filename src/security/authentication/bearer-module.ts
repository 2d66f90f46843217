import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { BearerSettings } from '#config/index.ts';
import type { AddressGuard } from '#egress/index.ts';
import { UnauthorizedError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { type Account, stampOf } from './account.ts';
import { type AuthenticationModule, type Identity, identity, wayOf } from './authentication-module.ts';
import { codeLogin } from './code-login.ts';
import { discoverIssuer, type IssuerKeys, keptAnswer, openIssuerKeys } from './issuer-keys.ts';
import type { KnownOwners } from './known-owners.ts';

export interface BearerModuleOptions {
  readonly name: string;
  readonly settings: BearerSettings;
  /** Looks the caller up where the settings say. */
  readonly find: ((authenticationId: string) => Promise<Account | undefined>) | undefined;
  /** Where the issuer may be. */
  readonly guard: AddressGuard;
  readonly owners: Pick<KnownOwners, 'note'>;
}

/** Bearer tokens of an OpenID Connect issuer. */
export function bearerModule({
  name,
  settings,
  find,
  guard,
  owners,
}: BearerModuleOptions): AuthenticationModule {
  const way = wayTo(settings);
  const { issuer, authenticationIdClaim, component: named = 'openid' } = settings;
  const people = { component: named, by: `${authenticationIdClaim} of ${issuer}` };
  /** Finds out who has the name now, with these roles of a token. */
  const identify = async (subject: string, claimed: readonly string[]): Promise<Identity | undefined> => {
    const roles = [...settings.defaultUserRoles, ...claimed];
    if (find === undefined) {
      return identity({ name: subject, module: name, component: named, id: subject, roles, way }, '');
    }
    const account = await find(subject);
    if (account === undefined || !account.isActive) return undefined;
    const { component, id } = account;
    return identity(
      { name: account.name, module: name, component, id, roles: [...roles, ...account.roles], way },
      stampOf(account),
    );
  };
  const places = keptAnswer(() => discoverIssuer(issuer, guard));
  const openKeys = keptAnswer(async () => {
    const { jwksUri = (await places()).jwksUri } = settings;
    return openIssuerKeys({ ...settings, jwksUri }, guard);
  });
  /** The subject that a token of the issuer names. */
  const subjectOf = async (claims: JWTPayload) => {
    const subject = claims[authenticationIdClaim];
    if (typeof subject !== 'string' || subject === '') return undefined;
    const claimedRoles = accepted(listedRoles(claims, settings), settings);
    const found = await identify(subject, claimedRoles);
    if (find === undefined) await owners.note(people.component, people.by);
    return found && { found, claimedRoles };
  };
  const { login } = settings;
  return {
    name,
    way,
    ...(login === undefined
      ? {}
      : {
          codeLogin: codeLogin({ login, issuer, places, guard }, async (token, nonce) => {
            const expected = { ...settings, audience: login.clientId, tokenTypes: ['JWT'] };
            const claims = await verify(token, await openKeys(), expected);
            const isOurs = claims !== undefined && (claims['azp'] ?? login.clientId) === login.clientId;
            if (!isOurs || claims['nonce'] !== nonce) return undefined;
            const named = await subjectOf(claims);
            return named && withFacts(named.found, { claimedRoles: named.claimedRoles });
          }),
        }),
    ...(find === undefined ? { people } : {}),
    async authenticate({ header }) {
      const token = /^bearer +([\w-]+\.[\w-]+\.[\w-]*)$/i.exec(header('authorization') ?? '')?.[1];
      if (token === undefined) return undefined;
      const claims = await verify(token, await openKeys(), settings);
      if (claims === undefined) return undefined;
      const named = await subjectOf(claims);
      if (named === undefined) return undefined;
      return withFacts(named.found, {
        claimedRoles: named.claimedRoles,
        expiresAt: claims.exp! * 1000,
        ...(isFresh(claims, settings) ? { reauthenticated: true } : {}),
      });
    },
    refresh: ({ authenticationId, claimedRoles }) =>
      identify(authenticationId, accepted(claimedRoles, settings)),
  };
}

function withFacts(found: Identity, facts: JsonObject): Identity {
  const { authenticationId, authorization } = found.security;
  return { ...found, security: { authenticationId, authorization: { ...authorization, ...facts } } };
}

/** Another issuer under the same name of a module means other people by the same names, and another audience others of them. */
function wayTo(settings: BearerSettings): string {
  const { issuer, audience, jwksUri = null, algorithms, minimumRsaBits, tokenTypes, login } = settings;
  const { authenticationIdClaim, queryOnResource = null, propertyMapping } = settings;
  const { authenticationId, userCredential } = propertyMapping;
  const tokens = [issuer, audience, jwksUri, algorithms, minimumRsaBits, tokenTypes];
  const client = login === undefined ? [] : [login.clientId];
  return wayOf([
    ...tokens,
    authenticationIdClaim,
    queryOnResource,
    authenticationId,
    userCredential,
    ...client,
  ]);
}

/** Whether the caller has shown the issuer who it is just now, in a way that counts. */
function isFresh(claims: JWTPayload, { reauthentication, clockToleranceSeconds }: BearerSettings): boolean {
  if (reauthentication === undefined) return false;
  const { maxAgeSeconds, acrValues } = reauthentication;
  const { auth_time: at, acr } = claims;
  const age = typeof at === 'number' ? Date.now() / 1000 - at : Number.POSITIVE_INFINITY;
  const isRecent = age <= maxAgeSeconds && age >= -clockToleranceSeconds;
  return isRecent && (acrValues === undefined || (typeof acr === 'string' && acrValues.includes(acr)));
}

/** @returns undefined for a token that does not hold; what keeps us from knowing is an error */
async function verify(
  token: string,
  keys: IssuerKeys,
  settings: BearerSettings,
): Promise<JWTPayload | undefined> {
  const { issuer, audience, algorithms, clockToleranceSeconds, tokenTypes } = settings;
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: [...algorithms],
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['exp'],
    });
    const holds =
      isOfType(protectedHeader.typ, tokenTypes) && hasPlausibleTimes(payload, clockToleranceSeconds);
    return holds ? payload : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) return undefined;
    throw new UnauthorizedError('Access Denied', { id: 'AUTH_ISSUER_UNREACHABLE', cause: error });
  }
}

/** The last second that a date can name. */
const LAST_SECOND = 8.64e12;

/** What ends at no time that there is never ends, and what is issued in the future was not by a clock that counts. */
function hasPlausibleTimes({ exp, iat }: JWTPayload, toleranceSeconds: number): boolean {
  const isIssued =
    iat === undefined || (typeof iat === 'number' && iat <= Date.now() / 1000 + toleranceSeconds);
  return isIssued && exp! <= LAST_SECOND;
}

/** A log-out token, a proof or an event is signed with the same key, and lets nobody in. A token without a type is a JWT. */
function isOfType(typ: string | undefined, accepted: readonly string[]): boolean {
  const plain = (type: string) => type.toLowerCase().replace(/^application\//, '');
  return accepted.map(plain).includes(plain(typ ?? 'JWT'));
}

function listedRoles(claims: JWTPayload, { rolesClaim }: BearerSettings): string[] {
  const value = rolesClaim === undefined ? undefined : claims[rolesClaim];
  if (typeof value === 'string') return value.split(/[ ,]+/);
  return Array.isArray(value) ? value.map(String) : [];
}

function accepted(roles: readonly string[], { acceptedRoles }: BearerSettings): string[] {
  return roles.filter((role) => acceptedRoles.includes(role));
}
