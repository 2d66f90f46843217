import type { AuthenticationConfig } from '#config/index.ts';
import { ADMIN } from './create-administrator.ts';
import { nameKey } from './login-name.ts';
import type { LoginName } from './login-name-repository.ts';

/** The properties of an account that say how somebody logs in. */
export interface LoginProperties {
  /** The properties by which modules find it, each by its own; null where the id of an account is its name. */
  readonly names: ReadonlySet<string | null>;
  readonly credentials: ReadonlySet<string>;
}

/** Where accounts stand that log in, and names that none of them may have. */
export interface LoginPlaces {
  readonly propertiesOf: ReadonlyMap<string, LoginProperties>;
  /** Keys of names. */
  readonly reserved: ReadonlySet<string>;
}

/** Callers that are nobody, and the server itself. */
const OWN_NAMES = ['anonymous', 'system', ADMIN];

const NONE: LoginProperties = { names: new Set(), credentials: new Set() };

/** Whether a name is nobody's to have. The administrator has its own. */
export function isReserved({ reserved }: LoginPlaces, { key, collection, id }: LoginName): boolean {
  return reserved.has(key) && !(collection === 'repo/internal/user' && id === ADMIN);
}

export function loginPlaces({ serverAuthContext: { authModules } }: AuthenticationConfig): LoginPlaces {
  const propertiesOf = new Map<string, LoginProperties>();
  const reserved = new Set(OWN_NAMES.map(nameKey));
  for (const { known } of authModules) {
    switch (known?.name) {
      case 'STATIC_USER':
        reserved.add(nameKey(known.settings.username));
        break;
      case 'MANAGED_USER':
      case 'INTERNAL_USER':
      case 'OPENID_CONNECT':
      case 'TRUSTED_ATTRIBUTE': {
        const { queryOnResource, propertyMapping } = known.settings;
        if (queryOnResource === undefined || !/^(?:managed|repo)\//.test(queryOnResource)) break;
        const { authenticationId, userCredential: credential } = propertyMapping;
        const name = queryOnResource.startsWith('repo/') ? null : authenticationId;
        const { names, credentials } = propertiesOf.get(queryOnResource) ?? NONE;
        propertiesOf.set(queryOnResource, {
          names: new Set([...names, name]),
          credentials: new Set([...credentials, credential]),
        });
      }
    }
  }
  return { propertiesOf, reserved };
}
