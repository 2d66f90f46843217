import { hash } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';

/** Somebody with a password, as a module finds them. */
export interface Account {
  readonly id: string;
  readonly component: string;
  /** A `$crypto` envelope. */
  readonly password: JsonValue | undefined;
  readonly roles: readonly string[];
  readonly isActive: boolean;
}

/** Names of properties; see `propertyMapping` of a module. */
export interface PropertyMapping {
  readonly authenticationId: string;
  readonly userCredential: string;
  readonly userRoles: string;
}

/** The account that a stored user is. `accountStatus`, where there is one, must say `active`. */
export function toAccount(
  user: JsonObject,
  component: string,
  mapping: PropertyMapping,
  defaultRoles: readonly string[],
): Account {
  const status = user['accountStatus'];
  return {
    id: String(user['_id']),
    component,
    password: user[mapping.userCredential],
    roles: [...defaultRoles, ...rolesOf(user[mapping.userRoles])],
    isActive: status === undefined || status === null || status === 'active',
  };
}

/** The last path segment of each role reference counts; plain names and comma lists are accepted. */
export function rolesOf(value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return value === '' ? [] : value.split(',').map((role) => role.trim());
  if (!Array.isArray(value)) return [];
  return value.flatMap((role) => {
    const name = isObject(role) ? role['_ref'] : role;
    return typeof name === 'string' ? [name.slice(name.lastIndexOf('/') + 1)] : [];
  });
}

/** Tells one stored password from another, and nothing about it. */
export function stampOf(account: Account): string {
  return hash('sha256', JSON.stringify(account.password ?? null), 'base64url').slice(0, 22);
}
