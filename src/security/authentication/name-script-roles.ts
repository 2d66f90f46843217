import type { Db } from '#database/index.ts';
import { formatPath } from '#resource/index.ts';
import { listInternalRoles, listManagedNamesakes } from './account-repository.ts';
import type { GivenRole } from './augmentation.ts';
import { foldRole, isBuiltIn, roleNames } from './role-names.ts';

/**
 * The roles that a script has given, by the names that rules know them by. Scripts take the ids of roles for their names,
 * which whoever creates a role may choose: a name that means a built-in role, or is written like a reference, and is the
 * id of something managed means that one. `{ _ref: 'repo/internal/role/<id>' }` means the built-in one and nothing else.
 */
export async function nameScriptRoles(
  db: Db,
  managedTypes: readonly string[],
  roles: readonly GivenRole[],
): Promise<readonly string[]> {
  const internal = new Set((await listInternalRoles(db)).map(foldRole));
  const doubtful = roles.filter(
    (role): role is string => typeof role === 'string' && (/[,/]/.test(role) || isBuiltIn(role, internal)),
  );
  const namesakes =
    doubtful.length === 0 || managedTypes.length === 0
      ? []
      : await listManagedNamesakes(db, managedTypes, doubtful);
  const meant = roles.map((role) => {
    if (typeof role !== 'string') return role;
    const namesake = namesakes.find(({ id }) => id === role);
    // Where roles are joined to a list, a comma would make two of one.
    return namesake === undefined
      ? role.replaceAll(',', '%2C')
      : formatPath(['managed', namesake.type, namesake.id]);
  });
  return roleNames(meant, internal);
}
