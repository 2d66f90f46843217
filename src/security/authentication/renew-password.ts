import { type Crypto, isQuickHash } from '#crypto/index.ts';
import type { Database } from '#database/index.ts';
import type { JsonValue } from '#json/index.ts';
import { storeAt } from '#repo/index.ts';
import { parsePath } from '#resource/index.ts';
import type { Account } from './account.ts';
import { replacePassword } from './account-repository.ts';

export interface RenewalParts {
  readonly database: Database;
  readonly crypto: Pick<Crypto, 'hash' | 'isHashed'>;
  /** Where the password is. */
  readonly property: string;
  /** The algorithm by which the project has that property of a collection hashed; undefined where it does not say. */
  readonly hashOf: (collection: string, property: string) => string | undefined;
}

/**
 * Hashes that came with accounts of another server are compared quickly, and so are guesses at a stolen copy of them. Who comes in with
 * one has the password hashed as it would be today. It is the same password: the object keeps its revision, nobody is told
 * of a change. Where the project itself asks for a quick hash, it stays.
 *
 * @returns what stores a password that was right, and answers with what is stored then; with undefined where that stays
 */
export function passwordRenewal({ database, crypto, property, hashOf }: RenewalParts) {
  return async (
    { component, id, password: stored }: Account,
    password: string,
  ): Promise<JsonValue | undefined> => {
    if (stored === undefined || !crypto.isHashed(stored) || !isQuickHash(stored)) return undefined;
    const renewed = await crypto.hash(password, hashOf(component, property) ?? null);
    if (isQuickHash(renewed)) return undefined;
    await replacePassword(database.db, { ...storeAt(parsePath(component)), id }, property, {
      stored,
      renewed,
    });
    return renewed;
  };
}
