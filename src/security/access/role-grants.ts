import { type AuthenticationConfig, internalRole } from '#config/index.ts';
import { ForbiddenError } from '#errors/index.ts';
import type { Context } from '#resource/index.ts';
import { augmentScript } from '../authentication/augmentation.ts';
import { builtModules } from '../authentication/built-modules.ts';
import { foldRole, isBuiltIn, roleNames } from '../authentication/role-names.ts';
import type { AccessRules } from './access-rules.ts';

/** Where accounts have the roles that they log in with, what those have who come in by a module, and by which properties they do. */
interface RolePlace {
  readonly property: string;
  /** Undefined where others say what all have. */
  readonly defaults?: readonly string[];
  readonly waysIn: readonly string[];
}

/**
 * What the script of a module may make of whoever comes in, as the shipped ones do (`auth/asManagedUser`): the managed user of their name, or
 * the one that their account leads to.
 */
const BY_SCRIPTS = {
  collection: 'managed/user',
  place: { property: 'authzRoles', waysIn: ['userName'] },
  link: 'user',
} as const;

export interface RoleGrantsParts {
  readonly config: () => AuthenticationConfig;
  readonly rules: Pick<AccessRules, 'name'>;
  /** The roles to which the server itself gives a meaning, as the properties of the project name them. */
  readonly ownRoles: readonly string[];
  /** The roles for whose accounts policies make exceptions. */
  readonly exceptedRoles: () => readonly string[];
  /** Whether a caller may evaluate scripts, and so do everything. */
  readonly maySeeScripts: (context: Context) => Promise<boolean>;
}

/**
 * What callers may grant, and take, of the roles that accounts log in with. Whoever may write accounts would else make an administrator
 * of themselves, or come in as one: an internal role, and any other that `script/access.js` or `grantsAnyRole` names, is the matter of
 * those who have it, of those who may evaluate scripts, and of those whom `grantsAnyRole` names. What nothing names opens nothing, and is
 * for whoever may write it.
 *
 * What is refused is compared folded, and what somebody has as it stands: nobody has a role because theirs looks like it.
 */
export class RoleGrants {
  readonly #parts: RoleGrantsParts;

  constructor(parts: RoleGrantsParts) {
    this.#parts = parts;
  }

  /** The properties of objects of a collection that hold the roles with which they log in. */
  propertiesAt(collection: string): readonly string[] {
    return [...new Set(this.#placesAt(collection).map(({ property }) => property))];
  }

  /** The relationship by which accounts of a collection may come in as others; undefined where none does. */
  linkAt(collection: string): { readonly property: string; readonly leadsTo: string } | undefined {
    const isLinked = this.#scripted().some(({ known: { settings } }) => {
      return 'queryOnResource' in settings && settings.queryOnResource === collection;
    });
    return isLinked ? { property: BY_SCRIPTS.link, leadsTo: BY_SCRIPTS.collection } : undefined;
  }

  /** The properties of objects of a collection by which they come in: the name, and the password. */
  waysInAt(collection: string): readonly string[] {
    return [...new Set(this.#placesAt(collection).flatMap(({ waysIn }) => waysIn))];
  }

  /**
   * @param collection of the accounts
   * @param roles references, or names, of what is granted anew, or taken
   * @param field JSON pointer of where that was sent
   * @throws ForbiddenError `ROLE_NOT_YOURS`
   */
  async require(
    context: Context,
    collection: string,
    roles: readonly string[],
    field: string,
  ): Promise<void> {
    const foreign = await this.#foreign(context, collection, roles);
    if (foreign === undefined) return;
    throw new ForbiddenError(`The role '${foreign}' opens what your own roles do not`, {
      id: 'ROLE_NOT_YOURS',
      field,
      hint: 'Those grant and take it who have it, administrators, and whose roles stand in grantsAnyRole of authentication.json',
    });
  }

  /**
   * @param roles those of an account of the collection
   * @param field JSON pointer of a property by which that comes in, and which is to be another one
   * @throws ForbiddenError `ACCOUNT_NOT_YOURS`
   */
  async requireAccount(
    context: Context,
    collection: string,
    roles: readonly string[],
    field: string,
  ): Promise<void> {
    // Whoever may write the account need not be told which role that is.
    if ((await this.#foreign(context, collection, roles)) === undefined) return;
    throw new ForbiddenError('The account has roles that open what your own do not', {
      id: 'ACCOUNT_NOT_YOURS',
      field,
      hint: 'Its name and its password are set by itself, by those who have its roles, administrators, and whose roles stand in grantsAnyRole of authentication.json',
    });
  }

  async #foreign(
    context: Context,
    collection: string,
    roles: readonly string[],
  ): Promise<string | undefined> {
    const { roles: own } = context.security.authorization;
    const held = new Set([...own, ...this.#everybodys(collection)]);
    const foreign = roles.find((role) => this.#opensMore(role, held));
    if (foreign === undefined || this.#grantsAny(own)) return undefined;
    return (await this.#parts.maySeeScripts(context)) ? undefined : foreign;
  }

  #opensMore(role: string, held: ReadonlySet<string>): boolean {
    // An object goes by its id, or by its whole reference where its id is the name of another role.
    const internal = internalRole(role);
    const names = internal === undefined ? [role, ...roleNames([role], NO_INTERNAL_NAMES)] : [internal];
    const isInternal = internal !== undefined || (!role.includes('/') && isBuiltIn(role, NO_INTERNAL_NAMES));
    const opening = names.filter((name) => this.#opens(name));
    if (!isInternal && opening.length === 0) return false;
    if (held.has(role)) return false;
    // One that has its id may be another: rules that name the whole reference mean this one.
    return !names.some((name) => held.has(name)) || opening.some((name) => !held.has(name));
  }

  #opens(name: string): boolean {
    const { grantsAnyRole } = this.#parts.config().serverAuthContext;
    const { ownRoles, exceptedRoles } = this.#parts;
    const further = [...ownRoles, ...exceptedRoles(), ...grantsAnyRole].map(foldRole);
    return further.includes(foldRole(name)) || this.#parts.rules.name(name);
  }

  #grantsAny(own: readonly string[]): boolean {
    const { grantsAnyRole } = this.#parts.config().serverAuthContext;
    return grantsAnyRole.some((role) => role === '*' || own.includes(role));
  }

  /** What all accounts of a collection have, by whichever module they come in. */
  #everybodys(collection: string): ReadonlySet<string> {
    const [first = new Set<string>(), ...others] = this.#placesAt(collection).flatMap(({ defaults }) =>
      defaults === undefined ? [] : [new Set(defaults)],
    );
    return others.reduce<ReadonlySet<string>>((common, defaults) => common.intersection(defaults), first);
  }

  #placesAt(collection: string): readonly RolePlace[] {
    const isByScripts = collection === BY_SCRIPTS.collection && this.#scripted().length > 0;
    return [...this.#placesOfModules(collection), ...(isByScripts ? [BY_SCRIPTS.place] : [])];
  }

  /** The modules in which a script has the last word. */
  #scripted() {
    return builtModules(this.#parts.config()).flatMap(({ module }) =>
      augmentScript(module.properties) === undefined ? [] : [module],
    );
  }

  #placesOfModules(collection: string): readonly RolePlace[] {
    return builtModules(this.#parts.config()).flatMap(({ module: { known } }) => {
      switch (known.name) {
        case 'MANAGED_USER':
        case 'INTERNAL_USER':
        case 'OPENID_CONNECT':
        case 'TRUSTED_ATTRIBUTE': {
          const { queryOnResource, propertyMapping, defaultUserRoles } = known.settings;
          if (queryOnResource !== collection) return [];
          const { authenticationId, userCredential, userRoles } = propertyMapping;
          const waysIn = [authenticationId, userCredential].filter((name) => name !== '');
          return [{ property: userRoles, defaults: defaultUserRoles, waysIn }];
        }
        default:
          return [];
      }
    });
  }
}

const NO_INTERNAL_NAMES: ReadonlySet<string> = new Set();
