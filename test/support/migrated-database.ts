import { type Database, migrate, openDatabase, readMigrations } from '#database/index.ts';
import { createTestDatabase } from './postgres.ts';

const MIGRATIONS = new URL('../../migrations', import.meta.url).pathname;

/** A database with the shipped schema, for tests that need no server. */
export async function createMigratedDatabase(): Promise<Database & AsyncDisposable> {
  const test = await createTestDatabase();
  const database = openDatabase({ url: test.url });
  await migrate(database.db, await readMigrations(MIGRATIONS));
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database.close();
      await test[Symbol.asyncDispose]();
    },
  };
}
