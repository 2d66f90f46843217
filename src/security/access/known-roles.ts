import { type AuthenticationConfig, internalRole, type Objection } from '#config/index.ts';
import type { Db } from '#database/index.ts';
import { didYouMean } from '#errors/index.ts';
import { listInternalRoles, listManagedNamesakes } from '../authentication/account-repository.ts';
import { builtModules } from '../authentication/built-modules.ts';
import { foldRole, roleNames } from '../authentication/role-names.ts';
import type { AccessRules } from './access-rules.ts';

export interface KnownRolesParts {
  readonly config: () => AuthenticationConfig;
  readonly rules: Pick<AccessRules, 'name' | 'all' | 'areRead'>;
  /** The roles to which the server itself gives a meaning, and those for whose accounts policies make exceptions. */
  readonly furtherRoles: () => readonly string[];
  readonly managedTypes: () => readonly string[];
}

/** A role that nothing here knows. */
export interface RoleDoubt {
  readonly role: string;
  readonly message: string;
  readonly hint?: string;
}

/**
 * Which roles are names of something: a rule of `script/access.js` names them, a configuration does, or there is such an object. Any
 * other opens nothing, and is most often a slip. A process or a script may still ask for it, so it is told and not refused.
 */
export class KnownRoles {
  readonly #parts: KnownRolesParts;

  constructor(parts: KnownRolesParts) {
    this.#parts = parts;
  }

  /** @param roles names, or references */
  async doubts(db: Db, roles: readonly string[]): Promise<readonly RoleDoubt[]> {
    const named = this.#named();
    const folded = new Set(named.map(foldRole));
    const unknown = [...new Set(roles)].filter((role) => {
      const name = internalRole(role) ?? role;
      return !folded.has(foldRole(name)) && !this.#parts.rules.name(name);
    });
    if (unknown.length === 0) return [];
    const internal = await listInternalRoles(db);
    const objects = await this.#objectsCalled(db, unknown);
    return unknown
      .filter((role) => !internal.includes(internalRole(role) ?? role) && !objects.has(idOf(role)))
      .map((role) => {
        const hint = didYouMean(internalRole(role) ?? role, [...named, ...internal]);
        return {
          role,
          message: `No rule of script/access.js, no configuration and no role has the name '${role}'`,
          ...(hint === undefined ? {} : { hint }),
        };
      });
  }

  /** The same in words, one text for each. */
  async warnings(db: Db, roles: readonly string[]): Promise<readonly string[]> {
    return (await this.doubts(db, roles)).map(({ message, hint }) =>
      [message, hint].filter((words) => words !== undefined).join('. '),
    );
  }

  /** The doubts about roles that an `authentication.json` gives to whoever comes in by a module. */
  async objections(db: Db, value: AuthenticationConfig): Promise<readonly Objection[]> {
    // A node that starts reads its configuration first.
    if (!this.#parts.rules.areRead) return [];
    const given = builtModules(value).flatMap(({ index, module: { known } }) => {
      const at = `/serverAuthContext/authModules/${index}/properties`;
      const keys = known.name === 'API_KEY' ? known.settings.keys : [];
      return [
        { at: `${at}/defaultUserRoles`, roles: known.settings.defaultUserRoles },
        ...keys.map(({ roles }, key) => ({ at: `${at}/keys/${key}/roles`, roles })),
      ];
    });
    const doubts = await this.doubts(
      db,
      given.flatMap(({ roles }) => roles),
    );
    return given.flatMap(({ at, roles }) =>
      doubts
        .filter(({ role }) => roles.includes(role))
        .map(({ role: _, ...said }) => ({ ...said, id: 'AUTH_UNKNOWN_ROLE', field: at, isWarning: true })),
    );
  }

  /** As they are spelt where they are written. */
  #named(): readonly string[] {
    const { rules, furtherRoles, config } = this.#parts;
    const { grantsAnyRole } = config().serverAuthContext;
    const ofRules = rules.all.flatMap((rule) => [...rule.roles]);
    return [...new Set([...furtherRoles(), ...ofRules, ...grantsAnyRole])].filter((role) => role !== '*');
  }

  async #objectsCalled(db: Db, roles: readonly string[]): Promise<ReadonlySet<string>> {
    const types = this.#parts.managedTypes();
    if (types.length === 0) return new Set();
    const found = await listManagedNamesakes(db, types, roles.map(idOf));
    return new Set(found.map(({ id }) => id));
  }
}

/** The id of the object that is meant. */
function idOf(role: string): string {
  return roleNames([role], new Set())[0]?.replace(/^.*\//, '') ?? role;
}
