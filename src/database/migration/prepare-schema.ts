import { ActivationError } from '#errors/index.ts';
import type { Observe } from '#observability/index.ts';
import { openDatabase } from '../pool/database.ts';
import { noteApplied } from './before-release.ts';
import {
  inspectSchema,
  migrate,
  readMigrations,
  refuseNewerBreakingSchema,
  refuseOldPostgres,
} from './migrator.ts';

export interface SchemaOptions {
  readonly databaseUrl: string;
  /** Folder of the numbered SQL files. */
  readonly migrations: string;
  /** Whether to upgrade a schema that is there; an empty database is always filled. */
  readonly upgrade: boolean;
  readonly observe: Observe;
}

/**
 * Makes sure that the schema is the one this version needs.
 *
 * @throws ActivationError when it is older and may not be upgraded, or newer and incompatible
 */
export async function prepareSchema(options: SchemaOptions): Promise<void> {
  const { databaseUrl, upgrade, observe } = options;
  await using scope = new AsyncDisposableStack();
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  scope.defer(() => database.close());
  await refuseOldPostgres(database.db);
  const migrations = await readMigrations(options.migrations);
  const state = await inspectSchema(database.db, migrations);
  refuseNewerBreakingSchema(state);
  await noteApplied(database.db, state.unnoted);
  if (state.pending.length === 0) return;
  if (state.applied.length > 0 && !upgrade) {
    throw new ActivationError([
      {
        id: 'DB_SCHEMA_TOO_OLD',
        where: '',
        message: `the database lacks the migrations ${state.pending.join(', ')}`,
        hint: "run 'svc migrate', or start with --migrate",
      },
    ]);
  }
  const applied = await migrate(database.db, migrations);
  if (applied.length > 0) observe({ kind: 'database.migrated', migrations: applied });
}
