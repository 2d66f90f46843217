import { randomBytes } from 'node:crypto';
import type { RoleNames } from '#config/index.ts';
import { hashPassword } from '#crypto/index.ts';
import { type Database, runUnitOfWork } from '#database/index.ts';
import { findObject, insertObject, objectStore } from '#repo/index.ts';

export const ADMIN = 'svc-admin';
const USERS = objectStore(['internal', 'user']);
const ROLES = objectStore(['internal', 'role']);

const shippedRoles = (roles: RoleNames): Readonly<Record<string, string>> => ({
  [roles.admin]: 'Full administrative access',
  [roles.authorized]: 'Basic access of a user who is logged in',
  [roles.reg]: 'Anonymous access',
  [roles.cert]: 'Callers with a client certificate',
  'svc-scim': 'Clients of SCIM',
  [roles.tasksManager]: 'Management of workflow tasks',
});

/**
 * Makes the internal roles and the administrator of an empty database. Several nodes may do it at once; one of
 * them creates the user.
 *
 * @returns the password when it was generated now, null when it was given, undefined when the user existed
 */
export async function createAdministrator(
  database: Database,
  givenPassword: string | undefined,
  roles: RoleNames,
): Promise<string | null | undefined> {
  const password = givenPassword ?? randomBytes(18).toString('base64url');
  return runUnitOfWork(database, {}, async (unitOfWork) => {
    const db = await unitOfWork.db();
    if ((await findObject(db, USERS, ADMIN)) !== undefined) return undefined;
    for (const [role, description] of Object.entries(shippedRoles(roles))) {
      await insertObject(db, ROLES, role, { description });
    }
    const created = await insertObject(db, USERS, ADMIN, {
      userName: ADMIN,
      password: await hashPassword(password),
      roles: [roles.admin, roles.authorized].map((role) => ({ _ref: `repo/internal/role/${role}` })),
    });
    if (!created) return undefined;
    return givenPassword === undefined ? password : null;
  });
}
