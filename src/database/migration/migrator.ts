import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import { ActivationError, wordsOf } from '#errors/index.ts';
import { backOff } from '#lifecycle/index.ts';
import { oneRow } from '../one-row.ts';
import type { Db } from '../pool/database.ts';
import { isConflict, isConnectionLost, sqlStateOf } from '../pool/sql-state.ts';
import { type AppliedMigration, findUnnoted, forgiveBreaking, noteApplied } from './before-release.ts';
import { type InTheWay, inWords, waitForThose } from './in-the-way.ts';

/** A numbered SQL file; its first line says whether older nodes may go on running against the new schema. */
export interface SqlMigration {
  readonly name: string;
  readonly text: string;
  /** Why an older node must not run on it; undefined when it may. */
  readonly breaking: string | undefined;
}

/**
 * A change of a table waits for all that use it, and all that come later wait behind it: rather let them pass and try
 * again. Nodes that work may also hold what the migration wants and want what it holds.
 */
const LOCK_TIMEOUT_MS = { first: 100, longest: 250 };
const ATTEMPTS = 120;

const FIRST_LINE = /^-- (?:compatible|breaking: (.+))$/;

export async function readMigrations(folder: string): Promise<SqlMigration[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      const match = FIRST_LINE.exec(text.slice(0, text.indexOf('\n')).trimEnd());
      if (match === null) {
        throw new Error(`${file}: the first line must be '-- compatible' or '-- breaking: <why>'`);
      }
      return { name: basename(file, '.sql'), text, breaking: match[1] };
    }),
  );
}

class SqlMigrationProvider implements MigrationProvider {
  readonly #migrations: readonly SqlMigration[];
  readonly #unknown: readonly string[];
  readonly #attempt: number;

  /** @param unknown those of a newer version that are applied: Kysely insists on all, and stand-ins satisfy it */
  constructor(migrations: readonly SqlMigration[], unknown: readonly string[], attempt: number) {
    this.#migrations = migrations;
    this.#unknown = unknown;
    this.#attempt = attempt;
  }

  async getMigrations(): Promise<Record<string, Migration>> {
    const standIns = this.#unknown.map((name) => [name, { up: async () => {} }] as const);
    const own = this.#migrations.map(
      (migration) => [migration.name, { up: (db: Db) => apply(db, migration, this.#attempt) }] as const,
    );
    return Object.fromEntries([...standIns, ...own]);
  }
}

async function apply(db: Db, migration: SqlMigration, attempt: number): Promise<void> {
  const patienceMs = Math.min(LOCK_TIMEOUT_MS.first * attempt, LOCK_TIMEOUT_MS.longest);
  await sql.raw(`set local lock_timeout = ${patienceMs}`).execute(db);
  await sql.raw(migration.text).execute(db);
  await sql`insert into schema_version (name, breaking) values (${migration.name}, ${migration.breaking ?? null})`.execute(
    db,
  );
}

export interface SchemaState {
  /** The migrations in the order in which they were applied. */
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Applied by a newer version of the server; `breaking` says why this one cannot run on it. */
  readonly unknown: readonly AppliedMigration[];
  /** Applied under the names of before the first release, and not noted under their own. */
  readonly unnoted: readonly string[];
}

/**
 * Compares the database with the migrations of this version. Changes nothing.
 *
 * @throws ActivationError `DB_SCHEMA_BEFORE_RELEASE` when it was made before the first release, and is not up to that
 */
export async function inspectSchema(db: Db, migrations: readonly SqlMigration[]): Promise<SchemaState> {
  const noted = await readApplied(db);
  const unnoted = findUnnoted(noted);
  const applied = [...unnoted, ...noted.map(({ name }) => name)];
  const known = new Set(migrations.map(({ name }) => name));
  const done = new Set(applied);
  return {
    applied,
    pending: migrations.map(({ name }) => name).filter((name) => !done.has(name)),
    unknown: noted.filter(({ name }) => !known.has(name)).map(forgiveBreaking),
    unnoted,
  };
}

async function readApplied(db: Db): Promise<readonly AppliedMigration[]> {
  const { rows: found } = await sql<{ exists: boolean }>`
    select to_regclass('schema_version') is not null as exists`.execute(db);
  if (found[0]?.exists !== true) return [];
  const { rows } = await sql<AppliedMigration>`
    select name, breaking from schema_version order by name`.execute(db);
  return rows;
}

/**
 * Brings the schema up to date. Several processes may call it at once: one migrates, the others wait for its
 * lock and find nothing left to do. Nodes may work meanwhile: all is rolled back and tried again when they are in the
 * way. Whoever holds a table for long is waited for before.
 *
 * @param tell of such a one, once
 * @returns the names of the migrations that this call applied
 */
export async function migrate(
  db: Db,
  migrations: readonly SqlMigration[],
  tell: (waitsFor: string) => void = () => {},
): Promise<string[]> {
  const state = await inspectSchema(db, migrations);
  refuseNewerBreakingSchema(state);
  await noteApplied(db, state.unnoted);
  const unknown = state.unknown.map(({ name }) => name);
  const texts = migrations.filter(({ name }) => state.pending.includes(name)).map(({ text }) => text);
  const told = new Set<number>();
  const tellOnce = (one: InTheWay) => {
    if (!told.has(one.pid)) tell(inWords(one));
    told.add(one.pid);
  };
  for (let attempt = 1; ; attempt++) {
    const inTheWay = texts.length === 0 ? [] : await waitForThose(db, texts, tellOnce);
    const migrator = new Migrator({
      db,
      provider: new SqlMigrationProvider(migrations, unknown, attempt),
      migrationTableName: 'schema_migration',
      migrationLockTableName: 'schema_migration_lock',
      // A newer compatible version may have added migrations that this one does not know.
      allowUnorderedMigrations: true,
    });
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error === undefined) {
      return results.filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName);
    }
    const isInTheWay = isConflict(error) || sqlStateOf(error) === '55P03';
    if (!isInTheWay || attempt === ATTEMPTS) {
      const failed = results.find(({ status }) => status === 'Error')?.migrationName;
      throw failed === undefined || isConnectionLost(error)
        ? error
        : migrationFailed(failed, error, inTheWay);
    }
    await backOff(attempt, 50, 1_000);
  }
}

function migrationFailed(name: string, error: unknown, inTheWay: readonly InTheWay[]): ActivationError {
  const why = [wordsOf(error), ...inTheWay.slice(0, 3).map(inWords)].join('; ');
  return new ActivationError([
    {
      id: 'DB_MIGRATION_FAILED',
      where: '',
      message: `the migration '${name}' failed, and nothing of it was kept: ${why}`,
      hint: 'the database may have been changed by hand; see Upgrades in docs/operations.md',
    },
  ]);
}

const OLDEST_POSTGRES = 15;

/** @throws ActivationError `DB_TOO_OLD`: the first statement that it does not know would say less */
export async function refuseOldPostgres(db: Db, oldest: number = OLDEST_POSTGRES): Promise<void> {
  const { rows } = await sql<{
    version: string;
  }>`select current_setting('server_version_num') as version`.execute(db);
  const major = Math.floor(Number(oneRow(rows).version) / 10_000);
  if (major >= oldest) return;
  throw new ActivationError([
    {
      id: 'DB_TOO_OLD',
      where: '',
      message: `Postgres ${major} is too old: it has to be ${oldest} or newer`,
      hint: 'upgrade it, or set DATABASE_URL to another',
    },
  ]);
}

/** @throws ActivationError when a newer version made a change that this one cannot live with */
export function refuseNewerBreakingSchema(state: SchemaState): void {
  const breaking = state.unknown.filter((migration) => migration.breaking !== null);
  if (breaking.length === 0) return;
  throw new ActivationError(
    breaking.map((migration) => ({
      id: 'DB_SCHEMA_TOO_NEW',
      where: '',
      message: `the database has the migration '${migration.name}', which this version does not know: ${migration.breaking}`,
      hint: 'start the newer version of the server, or restore the database from before the upgrade',
    })),
  );
}
