import pg from 'pg';
import { inject } from 'vitest';
import { type Database, migrate, openDatabase, readMigrations } from '#database/index.ts';
import { eventually } from './eventually.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

const MIGRATIONS = new URL('../../migrations', import.meta.url).pathname;
/** Of the lock that whoever makes the template holds. */
const TEMPLATE_LOCK = 20_001;

/** A database with the shipped schema, for tests that need no server. */
export async function createMigratedDatabase(): Promise<Database & AsyncDisposable> {
  const test = await createSchemaDatabase();
  const database = openDatabase({ url: test.url });
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database.close();
      await test[Symbol.asyncDispose]();
    },
  };
}

/** A database with the shipped schema, copied from one that was made once for the run: a tenth of the work. */
export async function createSchemaDatabase(): Promise<TestDatabase> {
  return createTestDatabase({ template: await schemaTemplate() });
}

/** @returns the name of a database that has the shipped schema, to be copied */
export function schemaTemplate(): Promise<string> {
  schema ??= makeTemplate(inject('schemaTemplate'), undefined, async ({ db }) =>
    migrate(db, await readMigrations(MIGRATIONS)),
  );
  return schema;
}

let schema: Promise<string> | undefined;

/** Whoever of the run comes first makes it, as a copy of another template or of nothing. */
export async function makeTemplate(
  name: string,
  from: string | undefined,
  fill: (database: Database) => Promise<unknown>,
): Promise<string> {
  const url = new URL(inject('databaseServerUrl'));
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 1) return name;
    const draft = `${name}_draft`;
    const copied = from === undefined ? '' : ` TEMPLATE ${from}`;
    await client.query(`CREATE DATABASE ${draft}${copied} STRATEGY file_copy`);
    url.pathname = `/${draft}`;
    const database = openDatabase({ url: url.href });
    await fill(database);
    await database.close();
    // Sessions end a moment after their connections.
    await eventually(
      () => client.query('SELECT FROM pg_stat_activity WHERE datname = $1', [draft]),
      (sessions) => sessions.rowCount === 0,
    );
    await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
    return name;
  } finally {
    await client.end();
  }
}
