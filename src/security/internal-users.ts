import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { hashPassword, matchesPassword } from '#crypto/index.ts';
import { type Database, runUnitOfWork } from '#database/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { findObject, insertObject, objectStore } from '#repo/index.ts';
import type { SecurityContext } from '#resource/index.ts';
import { accessDenied, type Credentials } from './credentials.ts';

export const ADMIN = 'svc-admin';
const USERS = objectStore(['internal', 'user']);
const ROLES = objectStore(['internal', 'role']);

const SHIPPED_ROLES: Readonly<Record<string, string>> = {
  'svc-admin': 'Full administrative access',
  'svc-authorized': 'Basic access of a user who is logged in',
  'svc-reg': 'Anonymous access',
  'svc-cert': 'Callers with a client certificate',
  'svc-tasks-manager': 'Management of workflow tasks',
};

const USER_TTL_MS = 1_000;
const MAX_CACHED = 1_000;

interface KnownUser {
  readonly data: JsonObject;
  readonly security: SecurityContext;
  readonly rev: number;
  readonly readAt: number;
  /** The password that matched this revision, hashed under a key of this process. */
  verified?: Buffer;
}

/**
 * Users below `repo/internal/user`. Their passwords are argon2id hashes, which are slow on purpose, so a password
 * that matched is remembered, as a keyed hash, for as long as the user's revision stays the same.
 */
export class InternalUsers {
  readonly #database: Database;
  readonly #key = randomBytes(32).toString('hex');
  readonly #known = new Map<string, KnownUser>();
  /** Compared against when there is no such user, so that the answer takes as long. */
  readonly #decoy = hashPassword(randomBytes(16).toString('hex'));

  constructor(database: Database) {
    this.#database = database;
  }

  /** @throws UnauthorizedError, the same one for a wrong password and an unknown user */
  async authenticate({ username, password }: Credentials): Promise<SecurityContext> {
    const user = await this.#find(username);
    if (user === undefined) {
      await matchesPassword(password, await this.#decoy);
      throw accessDenied();
    }
    const fingerprint = hash('sha256', this.#key + password, 'buffer');
    if (user.verified === undefined || !timingSafeEqual(user.verified, fingerprint)) {
      if (!(await matchesPassword(password, user.data['password']))) throw accessDenied();
      user.verified = fingerprint;
    }
    return user.security;
  }

  async #find(username: string): Promise<KnownUser | undefined> {
    const known = this.#known.get(username);
    if (known !== undefined && performance.now() - known.readAt < USER_TTL_MS) return known;
    const stored = await findObject(this.#database.db, USERS, username);
    this.#known.delete(username);
    if (stored === undefined) return undefined;
    const user: KnownUser = {
      data: stored.data,
      security: securityOf(username, stored.data),
      rev: stored.rev,
      readAt: performance.now(),
      ...(known?.verified !== undefined && known.rev === stored.rev ? { verified: known.verified } : {}),
    };
    if (this.#known.size >= MAX_CACHED) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(username, user);
    return user;
  }
}

function securityOf(username: string, user: JsonObject): SecurityContext {
  return {
    authenticationId: username,
    authorization: {
      id: username,
      component: 'internal/user',
      roles: rolesOf(user['roles']),
      moduleId: 'INTERNAL_USER',
    },
  };
}

/** The last path segment of each role reference counts; plain names and comma lists are accepted. */
function rolesOf(value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return value.split(',').map((role) => role.trim());
  if (!Array.isArray(value)) return [];
  return value.flatMap((role) => {
    const name = isObject(role) ? role['_ref'] : role;
    return typeof name === 'string' ? [name.slice(name.lastIndexOf('/') + 1)] : [];
  });
}

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
  const password = givenPassword ?? randomBytes(12).toString('base64url');
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
