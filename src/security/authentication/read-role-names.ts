import type { Db } from '#database/index.ts';
import type { JsonValue } from '#json/index.ts';
import { listInternalRoles } from './account-repository.ts';
import { foldRole, roleNames } from './role-names.ts';

/** The names by which rules and processes know the roles of somebody, beside the internal roles that there are now. */
export async function readRoleNames(db: Db, roles: JsonValue | undefined): Promise<readonly string[]> {
  return roleNames(roles, new Set((await listInternalRoles(db)).map(foldRole)));
}
