import { inject } from 'vitest';
import { createAdministrator } from '#security/index.ts';
import { roleNamesOf } from '../../src/config/compat.ts';
import { ADMIN_PASSWORD } from './api.ts';
import { makeTemplate, schemaTemplate } from './migrated-database.ts';
import { createTestDatabase, startedTemplateOf, type TestDatabase } from './postgres.ts';

const SHIPPED_NAMES = roleNamesOf({ get: () => undefined });

let template: Promise<string> | undefined;

/** A database with what the first node on it makes, too: a slow hash is made once for the run and not by each server. */
export async function createStartedDatabase(): Promise<TestDatabase> {
  template ??= makeTemplate(startedTemplateOf(inject('schemaTemplate')), await schemaTemplate(), (database) =>
    createAdministrator(database, ADMIN_PASSWORD, SHIPPED_NAMES),
  );
  return createTestDatabase({ template: await template });
}
