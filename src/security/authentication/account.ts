import { hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { roleNames } from './role-names.ts';

/** Somebody with a password, as a module finds them. */
export interface Account {
  readonly id: string;
  readonly component: string;
  /** The name as the account itself writes it, however the caller has. */
  readonly name: string;
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

export const STATUS = 'accountStatus';

/** What an account is made from. */
export interface AccountFacts {
  readonly component: string;
  readonly name: string;
  readonly mapping: PropertyMapping;
  readonly defaultRoles: readonly string[];
  /** The folded names of internal roles. */
  readonly internalRoles: ReadonlySet<string>;
}

/** The account that a stored user is. `accountStatus`, where there is one, must say `active`. */
export function toAccount(user: JsonObject, facts: AccountFacts): Account {
  const { component, name, mapping, defaultRoles, internalRoles } = facts;
  return {
    id: String(user['_id']),
    component,
    name,
    password: user[mapping.userCredential],
    roles: [...defaultRoles, ...roleNames(user[mapping.userRoles], internalRoles)],
    isActive: isActive(user),
  };
}

export function isActive(user: JsonObject): boolean {
  const status = user[STATUS];
  return status === undefined || status === null || status === 'active';
}

/** Tells one stored password from another, and nothing about it. */
export function stampOf(account: Account): string {
  return hash('sha256', JSON.stringify(account.password ?? null), 'base64url').slice(0, 22);
}
