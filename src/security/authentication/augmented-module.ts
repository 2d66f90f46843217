import { hash } from 'node:crypto';
import { errorIdOf, ServiceUnavailableError, toResourceError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { type Augment, type AugmentedSecurity, type GivenRole, readAugmented } from './augmentation.ts';
import { type Asked, type AuthenticationModule, type Identity, isSame } from './authentication-module.ts';

/** Somebody whom a module knows was not let in: the script says no, or says nothing that counts. */
export interface Denial {
  readonly module: string;
  readonly principal: string;
  readonly how: 'refused' | 'failed';
  readonly requestId: string;
  readonly error: unknown;
}

export interface AugmentedModuleOptions {
  readonly module: AuthenticationModule;
  readonly script: JsonValue;
  readonly properties: JsonObject;
  readonly augment: Augment;
  /** The names by which rules know the roles that a script has given. */
  readonly nameRoles: (roles: readonly GivenRole[]) => Promise<readonly string[]>;
  readonly onDenied: (denial: Denial) => void;
}

/** What the server says of somebody. A script can neither give nor take it. */
const OWN: readonly string[] = [
  'moduleId',
  'claimedRoles',
  'expiresAt',
  'reauthenticated',
  'sessionId',
  'loginModuleId',
  'loginName',
];

/**
 * A module with a script that has the last word on each login by it, and on each request of its sessions: what it says is
 * remembered nowhere, since nobody knows what it has looked at. Without its word nobody gets in.
 */
export function augmentedModule(options: AugmentedModuleOptions): AuthenticationModule {
  const { module } = options;
  const { recall, refresh, verifyPassword, codeLogin } = module;
  const augmented = async (asked: Asked, found: Identity | undefined) =>
    found === undefined ? undefined : decide(options, asked, found);
  return {
    name: module.name,
    ...(module.way !== undefined && { way: module.way }),
    ...(module.people !== undefined && { people: module.people }),
    authenticate: async (attempt) => augmented(attempt, await module.authenticate(attempt)),
    ...(recall && { recall: async (attempt) => augmented(attempt, await recall.call(module, attempt)) }),
    ...(refresh && {
      refresh: async (known, asked) => augmented(asked, await refresh.call(module, known, asked)),
    }),
    ...(codeLogin && {
      codeLogin: {
        ...codeLogin,
        redeem: async (code, pending, asked) =>
          augmented(asked, await codeLogin.redeem(code, pending, asked)),
      },
    }),
    ...(verifyPassword && {
      verifyPassword: async (attempt) => augmented(attempt, await verifyPassword.call(module, attempt)),
    }),
  };
}

/** @throws ServiceUnavailableError when the script has nothing to say */
async function decide(
  { module, script, properties, augment, nameRoles, onDenied }: AugmentedModuleOptions,
  { client, http, requestId }: Asked,
  found: Identity,
): Promise<Identity | undefined> {
  const { security } = found;
  const principal = security.authenticationId;
  let said: AugmentedSecurity;
  try {
    said = readAugmented(
      await augment({ script, module: module.name, properties, security, client, http, requestId }),
    );
  } catch (error) {
    const how = isRefusal(error) ? 'refused' : 'failed';
    onDenied({ module: module.name, principal, how, requestId, error });
    if (how === 'refused') return undefined;
    throw new ServiceUnavailableError('Nobody can be let in this way now', {
      id: 'AUTH_SCRIPT_FAILED',
      hint: `The log tells what is wrong with augmentSecurityContext of ${module.name}`,
    });
  }
  const { roles } = security.authorization;
  const kept = roles.filter((role) => said.roles.includes(role));
  const added = said.roles.filter((role) => typeof role !== 'string' || !roles.includes(role));
  const named = added.length === 0 ? [] : await nameRoles(added);
  return merged(found, said, [...new Set([...kept, ...named])]);
}

/** Whoever throws a code of 400 to 499 refuses; a script that is not there or cannot be read has said nothing. */
function isRefusal(error: unknown): boolean {
  const { code } = toResourceError(error);
  return code >= 400 && code < 500 && !String(errorIdOf(error)).startsWith('SCRIPT_');
}

function merged(
  found: Identity,
  { authenticationId, authorization }: AugmentedSecurity,
  roles: readonly string[],
): Identity {
  const { security, stamp } = found;
  const before = security.authorization;
  const others = Object.entries(authorization).filter(([key]) => !OWN.includes(key));
  const own = OWN.flatMap((key) => (before[key] === undefined ? [] : [[key, before[key]]]));
  // By this name the module knows them, whatever the script calls them.
  if (authenticationId !== security.authenticationId) own.push(['loginName', security.authenticationId]);
  return {
    security: {
      authenticationId,
      authorization: {
        ...Object.fromEntries([...others, ...own]),
        id: authorization.id,
        component: authorization.component,
        roles,
      },
    },
    // A session holds while both are the same: whom the module knows, and whom the script makes of them.
    ...(isSame(before, authorization)
      ? stamp !== undefined && { stamp }
      : { stamp: hash('sha256', JSON.stringify([stamp ?? null, before.component, before.id]), 'base64url') }),
  };
}
