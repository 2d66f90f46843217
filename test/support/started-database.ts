import { argon2Sync, randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import type { Database } from '#database/index.ts';
import { createAdministrator } from '#security/index.ts';
import { roleNamesOf } from '../../src/config/compat.ts';
import { ADMIN_PASSWORD } from './api.ts';
import { makeTemplate, schemaTemplate } from './migrated-database.ts';
import { createTestDatabase, startedTemplateOf, type TestDatabase } from './postgres.ts';

const SHIPPED_NAMES = roleNamesOf({ get: () => undefined });
/** The least that the algorithm takes. What a hash costs stands in it. */
const CHEAP = { memory: 8, passes: 1, parallelism: 1 };

let template: Promise<string> | undefined;

/**
 * A database with what the first node on it makes, too. The administrator's password has a hash that costs nothing, since each of
 * hundreds of servers compares it.
 */
export async function createStartedDatabase(): Promise<TestDatabase> {
  template ??= makeTemplate(startedTemplateOf(inject('schemaTemplate')), await schemaTemplate(), fill);
  return createTestDatabase({ template: await template });
}

async function fill(database: Database): Promise<void> {
  await createAdministrator(database, ADMIN_PASSWORD, SHIPPED_NAMES);
  const nonce = randomBytes(16);
  const data = argon2Sync('argon2id', {
    message: Buffer.from(ADMIN_PASSWORD),
    nonce,
    ...CHEAP,
    tagLength: 32,
  });
  const hash = { ...CHEAP, salt: nonce.toString('base64'), data: data.toString('base64') };
  const { rowCount } = await database.pool.query(
    `update repo_object set data = jsonb_set(data, '{password,$crypto,value}', data #> '{password,$crypto,value}' || $1)
     where type = 'internal/user' and data #>> '{password,$crypto,value,algorithm}' = 'ARGON2ID'`,
    [hash],
  );
  if (rowCount !== 1) throw new Error('There is no administrator with a password');
}
