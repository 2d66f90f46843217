import { randomBytes } from 'node:crypto';
import { hashPassword } from '#crypto/index.ts';
import { type Database, runUnitOfWork } from '#database/index.ts';
import { findObject, insertObject, objectStore } from '#repo/index.ts';

export const ADMIN = 'svc-admin';
const USERS = objectStore(['internal', 'user']);
const ROLES = objectStore(['internal', 'role']);

const SHIPPED_ROLES: Readonly<Record<string, string>> = {
  'svc-admin': 'Full administrative access',
  'svc-authorized': 'Basic access of a user who is logged in',
  'svc-reg': 'Anonymous access',
  'svc-cert': 'Callers with a client certificate',
  'svc-scim': 'Clients of SCIM',
  'svc-tasks-manager': 'Management of workflow tasks',
};

/**
 * Makes the internal roles and the administrator of an empty database. Several nodes may do it at once; one of
 * them creates the user.
 *
 * @returns the password when it was generated now, null when it was given, undefined when the user existed
 */
export async function createAdministrator(
  database: Database,
  givenPassword: string | undefined,
): Promise<string | null | undefined> {
  const password = givenPassword ?? randomBytes(18).toString('base64url');
  return runUnitOfWork(database, {}, async (unitOfWork) => {
    const db = await unitOfWork.db();
    if ((await findObject(db, USERS, ADMIN)) !== undefined) return undefined;
    for (const [role, description] of Object.entries(SHIPPED_ROLES)) {
      await insertObject(db, ROLES, role, { description });
    }
    const created = await insertObject(db, USERS, ADMIN, {
      userName: ADMIN,
      password: await hashPassword(password),
      roles: [{ _ref: 'repo/internal/role/svc-admin' }, { _ref: 'repo/internal/role/svc-authorized' }],
    });
    if (!created) return undefined;
    return givenPassword === undefined ? password : null;
  });
}
