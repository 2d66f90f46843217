import { type AuthenticationConfig, internalRole } from '#config/index.ts';
import { ForbiddenError } from '#errors/index.ts';
import type { Context } from '#resource/index.ts';
import { builtModules } from '../authentication/built-modules.ts';
import { foldRole, isBuiltIn, roleNames } from '../authentication/role-names.ts';
import type { AccessRules } from './access-rules.ts';

/** Where accounts have the roles that they log in with, and what all of them have. */
interface RolePlace {
  readonly property: string;
  readonly everybodys: readonly string[];
}

export interface RoleGrantsParts {
  readonly config: () => AuthenticationConfig;
  readonly rules: Pick<AccessRules, 'name'>;
  /** Whether a caller may evaluate scripts, and so do everything. */
  readonly maySeeScripts: (context: Context) => Promise<boolean>;
}

/**
 * What callers may grant of the roles that accounts log in with. Whoever may write accounts would else make an administrator of
 * themselves: an internal role, and any other that `script/access.js` names, is granted by those who have it, by those who may
 * evaluate scripts, and by those whom `grantsAnyRole` names. What no rule names opens nothing, and whoever may write it grants it.
 */
export class RoleGrants {
  readonly #parts: RoleGrantsParts;

  constructor(parts: RoleGrantsParts) {
    this.#parts = parts;
  }

  /** The properties of objects of a collection that hold the roles with which they log in. */
  propertiesAt(collection: string): readonly string[] {
    return this.#placesAt(collection).map(({ property }) => property);
  }

  /**
   * @param collection of the accounts
   * @param roles references, or names, of what is granted anew
   * @param field JSON pointer of where that was sent
   * @throws ForbiddenError `ROLE_NOT_YOURS`
   */
  async require(
    context: Context,
    collection: string,
    roles: readonly string[],
    field: string,
  ): Promise<void> {
    const { roles: own } = context.security.authorization;
    const everybodys = this.#placesAt(collection).flatMap((place) => place.everybodys);
    const held = new Set([...own, ...everybodys].map(foldRole));
    const wanted = roles.find((role) => this.#opensMore(role, held));
    if (wanted === undefined || this.#grantsAny(held) || (await this.#parts.maySeeScripts(context))) return;
    throw new ForbiddenError(`The role '${wanted}' opens what your own roles do not`, {
      id: 'ROLE_NOT_YOURS',
      field,
      hint: 'Those grant it who have it, administrators, and whose roles stand in grantsAnyRole of authentication.json',
    });
  }

  #opensMore(role: string, held: ReadonlySet<string>): boolean {
    // An object goes by its id, or by its whole reference where its id is the name of another role.
    const names = [role, ...roleNames([role], NO_INTERNAL_NAMES)];
    const isInternal = internalRole(role) !== undefined || (!role.includes('/') && isBuiltIn(role, held));
    if (!isInternal && !names.some((name) => this.#parts.rules.name(name))) return false;
    return !names.some((name) => held.has(foldRole(name)));
  }

  #grantsAny(held: ReadonlySet<string>): boolean {
    const { grantsAnyRole } = this.#parts.config().serverAuthContext;
    return grantsAnyRole.some((role) => role === '*' || held.has(foldRole(role)));
  }

  #placesAt(collection: string): readonly RolePlace[] {
    return builtModules(this.#parts.config()).flatMap(({ module: { known } }) => {
      switch (known.name) {
        case 'MANAGED_USER':
        case 'INTERNAL_USER':
        case 'OPENID_CONNECT':
        case 'TRUSTED_ATTRIBUTE': {
          const { queryOnResource, propertyMapping, defaultUserRoles } = known.settings;
          if (queryOnResource !== collection) return [];
          return [{ property: propertyMapping.userRoles, everybodys: defaultUserRoles }];
        }
        default:
          return [];
      }
    });
  }
}

const NO_INTERNAL_NAMES: ReadonlySet<string> = new Set();
