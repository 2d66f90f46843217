import type { AuthenticationConfig } from '#config/index.ts';
import type { JsonObject } from '#json/index.ts';
import { ADMIN } from './create-administrator.ts';
import { withOwnNames } from './field-modules.ts';
import { nameKey } from './login-name.ts';
import type { LoginName } from './login-name-repository.ts';

/** The properties of an account that say how somebody logs in. */
export interface LoginProperties {
  /** Null where an account is called as its id is. */
  readonly name: string | null;
  readonly credential: string;
}

/** Where accounts stand that log in, and names that none of them may have. */
export interface LoginPlaces {
  readonly propertiesOf: ReadonlyMap<string, LoginProperties>;
  /** Keys of names. */
  readonly reserved: ReadonlySet<string>;
}

/** Callers that are nobody, and the server itself. */
const OWN_NAMES = ['anonymous', 'system', ADMIN];

/** Whether a name is nobody's to have. The administrator has its own. */
export function isReserved({ reserved }: LoginPlaces, { key, collection, id }: LoginName): boolean {
  return reserved.has(key) && !(collection === 'repo/internal/user' && id === ADMIN);
}

/** Of a configuration that `buildModules` has found right. */
export function loginPlaces({ serverAuthContext: { authModules } }: AuthenticationConfig): LoginPlaces {
  const propertiesOf = new Map<string, LoginProperties>();
  const reserved = new Set(OWN_NAMES.map(nameKey));
  for (const { enabled, properties } of authModules) {
    if (!enabled) continue;
    const { username, queryOnResource, propertyMapping } = withOwnNames(properties as JsonObject) as {
      username?: unknown;
      queryOnResource?: unknown;
      propertyMapping?: { authenticationId?: string; userCredential?: string };
    };
    if (typeof username === 'string') reserved.add(nameKey(username));
    else if (typeof queryOnResource === 'string' && /^(?:managed|repo)\//.test(queryOnResource)) {
      const { authenticationId = 'userName', userCredential: credential = 'password' } =
        propertyMapping ?? {};
      const name = queryOnResource.startsWith('repo/') ? null : authenticationId;
      propertiesOf.set(queryOnResource, { name, credential });
    }
  }
  return { propertiesOf, reserved };
}
