import { PostgresAdapter, PostgresDialect } from 'kysely';

/** A session that was lost has lost its lock as well, and that it cannot be given back would hide why the session was lost. */
class Adapter extends PostgresAdapter {
  override async releaseMigrationLock(
    ...lock: Parameters<PostgresAdapter['releaseMigrationLock']>
  ): Promise<void> {
    await super.releaseMigrationLock(...lock).catch(() => undefined);
  }
}

/** Kysely's, by which a migration that fails tells its own failure. */
export class Dialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new Adapter();
  }
}
