import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Database,
  inspectSchema,
  migrate,
  openDatabase,
  prepareSchema,
  readMigrations,
} from '#database/index.ts';
import { BEFORE_RELEASE, FIRST_RELEASE } from '#database/migration/before-release.ts';
import { ActivationError } from '#errors/index.ts';
import { createSchemaDatabase } from '../../support/migrated-database.ts';
import type { TestDatabase } from '../../support/postgres.ts';

const SHIPPED = new URL('../../../migrations', import.meta.url).pathname;
const TO_COME = { name: '9990_to_come', text: 'create table to_come (id int)', breaking: undefined };

describe('a database that was made before the first release', () => {
  let test: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    test = await createSchemaDatabase();
    database = openDatabase({ url: test.url });
  });
  afterEach(async () => {
    await database.close();
    await test[Symbol.asyncDispose]();
  });

  const isLater = ({ name }: { readonly name: string }) =>
    !BEFORE_RELEASE.includes(name) && !FIRST_RELEASE.includes(name);

  /** The tables are those of today, so what has come since the first release is noted. */
  async function rename(names: readonly string[]): Promise<void> {
    await sql`delete from schema_version`.execute(database.db);
    await sql`delete from schema_migration`.execute(database.db);
    const later = (await readMigrations(SHIPPED)).filter(isLater).map(({ name }) => name);
    for (const name of [...names, ...later]) {
      const breaking = name === '0073_work' ? 'jobs of queues are in tables of their own' : null;
      await sql`insert into schema_version (name, breaking) values (${name}, ${breaking})`.execute(
        database.db,
      );
      await sql`insert into schema_migration values (${name}, '2026-01-01T00:00:00.000Z')`.execute(
        database.db,
      );
    }
  }

  async function noted(): Promise<unknown[]> {
    const { rows } = await sql<{ name: string }>`
      select name from schema_version intersect select name from schema_migration order by name`.execute(
      database.db,
    );
    return rows.filter((row) => !isLater(row)).map(({ name }) => name);
  }

  const start = () =>
    prepareSchema({ databaseUrl: test.url, migrations: SHIPPED, upgrade: false, observe: () => {} });

  it('is taken over by the next start, which only notes the names of today', async () => {
    await rename(BEFORE_RELEASE);
    await sql`insert into managed_object (type, id, data) values ('user', 'ada', '{}')`.execute(database.db);
    await Promise.all([start(), start()]);
    expect(await noted()).toEqual([...BEFORE_RELEASE, ...FIRST_RELEASE].toSorted());
    const { rows } = await sql`select type, id from managed_object`.execute(database.db);
    expect(rows).toEqual([{ type: 'user', id: 'ada' }]);
    await start();
  });

  it('lacks nothing, as is told without changing it', async () => {
    await rename(BEFORE_RELEASE);
    const state = await inspectSchema(database.db, await readMigrations(SHIPPED));
    expect(state.pending).toEqual([]);
    expect(await noted()).toEqual([...BEFORE_RELEASE]);
  });

  it('takes the migrations that come after the first release', async () => {
    await rename(BEFORE_RELEASE);
    const migrations = [...(await readMigrations(SHIPPED)), TO_COME];
    expect(await migrate(database.db, migrations)).toEqual(['9990_to_come']);
    expect(await migrate(database.db, migrations)).toEqual([]);
  });

  it('is refused, and left as it is, where it is not up to the first release', async () => {
    await rename(BEFORE_RELEASE.slice(0, -1));
    await expect(start()).rejects.toThrow(ActivationError);
    await expect(start()).rejects.toMatchObject({
      findings: [
        {
          id: 'DB_SCHEMA_BEFORE_RELEASE',
          message: expect.stringContaining(BEFORE_RELEASE.at(-1)!),
          hint: expect.stringContaining('--migrate'),
        },
      ],
    });
    await expect(migrate(database.db, await readMigrations(SHIPPED))).rejects.toThrow(
      /before the first release/,
    );
    expect(await noted()).toEqual(BEFORE_RELEASE.slice(0, -1));
  });

  it('shares no name with one that is made today', async () => {
    expect(FIRST_RELEASE.filter((name) => BEFORE_RELEASE.includes(name))).toEqual([]);
    const shipped = (await readMigrations(SHIPPED)).map(({ name }) => name);
    expect(shipped.slice(0, FIRST_RELEASE.length)).toEqual(FIRST_RELEASE);
  });
});
