import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Database,
  inspectSchema,
  migrate,
  openDatabase,
  readMigrations,
  refuseOldPostgres,
} from '#database/index.ts';
import { ActivationError } from '#errors/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const SHIPPED = new URL('../../../migrations', import.meta.url).pathname;

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-migrations-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

describe('migrations', () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await createTestDatabase();
    database = openDatabase({ url: test.url });
  });
  afterAll(async () => {
    await database.close();
    await test[Symbol.asyncDispose]();
  });

  it('fill an empty database once, also when several nodes start at the same time', async () => {
    const migrations = await readMigrations(SHIPPED);
    const others = [openDatabase({ url: test.url }), openDatabase({ url: test.url })];
    const applied = await Promise.all([database, ...others].map(({ db }) => migrate(db, migrations)));
    for (const other of others) await other.close();
    expect(applied.flat().toSorted()).toEqual(migrations.map((migration) => migration.name));
    expect((await inspectSchema(database.db, migrations)).pending).toEqual([]);
  });

  it('tell of a session that was lost with them, and not that its lock could not be given back', async () => {
    const text = '-- compatible\nselect pg_terminate_backend(pg_backend_pid())';
    const folder = await folderOf({ '9000_cut_off.sql': text });
    const migrations = [...(await readMigrations(SHIPPED)), ...(await readMigrations(folder))];
    // What Postgres says of it may be lost with the connection.
    await expect(migrate(database.db, migrations)).rejects.toThrow(/terminat|ECONNRESET/);
    expect((await inspectSchema(database.db, migrations)).pending).toEqual(['9000_cut_off']);
  });

  it('leave views with comments for the operator', async () => {
    const { rows } = await sql<{ name: string; comment: string | null }>`
      select c.relname as name, obj_description(c.oid) as comment from pg_class c
      where c.relkind = 'v' and c.relname like 'svc\\_%' order by 1`.execute(database.db);
    expect(rows.map((row) => row.name)).toEqual(
      expect.arrayContaining(['svc_firing', 'svc_node', 'svc_schedule', 'svc_trigger']),
    );
    expect(rows.filter((row) => row.comment === null)).toEqual([]);
  });

  it('leave nothing out of the log of Postgres: a standby would not have it after a fail-over', async () => {
    const { rows } = await sql`select relname from pg_class
      where relkind = 'r' and relpersistence <> 'p' and relnamespace = current_schema()::regnamespace`.execute(
      database.db,
    );
    expect(rows).toEqual([]);
  });

  it('wait a tenth of a second for a lock at first: who comes behind them waits as long', async () => {
    const shipped = await readMigrations(SHIPPED);
    const text = `-- compatible
      create table patience as select current_setting('lock_timeout') as lasts`;
    const [added] = await readMigrations(await folderOf({ '9996_patience.sql': text }));
    await migrate(database.db, [...shipped, added!]);
    const { rows } = await sql`select lasts from patience`.execute(database.db);
    expect(rows).toEqual([{ lasts: '100ms' }]);
    await sql`drop table patience`.execute(database.db);
  });

  it('are tried again when they and a node that works stand in each other’s way', async () => {
    const shipped = await readMigrations(SHIPPED);
    const text = `-- compatible
      alter table scheduler_job add column to_come text; alter table managed_object add column to_come text;`;
    const [added] = await readMigrations(await folderOf({ '9998_in-the-way.sql': text }));
    const node = await database.pool.connect();
    try {
      await node.query(`set deadlock_timeout = '20s'`);
      await node.query('begin; lock table managed_object in access share mode');
      const applied = migrate(database.db, [...shipped, added!]);
      await expect
        .poll(async () => (await database.pool.query('select from pg_locks where not granted')).rowCount)
        .toBe(1);
      // Postgres ends the migration, which waits for us and has what we want now.
      await node.query('select count(*) from scheduler_job');
      await node.query('commit');
      expect(await applied).toEqual(['9998_in-the-way']);
    } finally {
      node.release(true);
    }
  });

  it('do not ask for a table that somebody holds for long, behind which all others would wait, and name them', async () => {
    const shipped = await readMigrations(SHIPPED);
    const text = '-- compatible\nalter table managed_object add column later text;';
    const [added] = await readMigrations(await folderOf({ '9995_later.sql': text }));
    const reader = await database.pool.connect();
    try {
      await reader.query('begin; lock table managed_object in access share mode; select pg_sleep(1.1)');
      const { pid } = (await reader.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!;
      const told = Promise.withResolvers<string>();
      const applied = migrate(database.db, [...shipped, added!], told.resolve);
      expect(await told.promise).toMatch(
        new RegExp(
          `^process ${pid} \\(.+\\) has 'managed_object' in a transaction that is open, for \\d+ s$`,
        ),
      );
      expect((await database.pool.query('select from pg_locks where not granted')).rowCount).toBe(0);
      await reader.query('commit');
      expect(await applied).toEqual(['9995_later']);
    } finally {
      reader.release(true);
    }
  });

  it('that fail are told in a sentence, and leave nothing', async () => {
    const shipped = await readMigrations(SHIPPED);
    const text = '-- compatible\ncreate table half (a int); select nonsense from half;';
    const [broken] = await readMigrations(await folderOf({ '9997_broken.sql': text }));
    const failed: ActivationError = await migrate(database.db, [...shipped, broken!]).then(
      () => expect.unreachable(),
      (error) => error,
    );
    expect(failed).toBeInstanceOf(ActivationError);
    expect(failed.findings).toMatchObject([
      { id: 'DB_MIGRATION_FAILED', message: expect.stringMatching(/'9997_broken' failed.*nonsense/) },
    ]);
    const { rows } = await sql`select to_regclass('half') as half`.execute(database.db);
    expect(rows).toEqual([{ half: null }]);
  });

  it('are for Postgres 15 and newer, which an older one is told by its version', async () => {
    await refuseOldPostgres(database.db);
    await expect(refuseOldPostgres(database.db, 99)).rejects.toThrow(
      /Postgres \d+ is too old: it has to be 99/,
    );
  });

  it('run against a newer schema as long as nothing in it is breaking', async () => {
    const migrations = await readMigrations(SHIPPED);
    await sql`insert into schema_version (name) values ('9998_more_columns')`.execute(database.db);
    await sql`insert into schema_migration (name, timestamp) values ('9998_more_columns', '2030')`.execute(
      database.db,
    );
    expect(await migrate(database.db, migrations)).toEqual([]);
  });

  it('refuse a newer breaking schema and say why', async () => {
    const migrations = await readMigrations(SHIPPED);
    await sql`insert into schema_version values ('9999_renamed', 'managed_object was renamed')`.execute(
      database.db,
    );
    const refused = migrate(database.db, migrations);
    await expect(refused).rejects.toThrow(ActivationError);
    await expect(refused).rejects.toThrow(/9999_renamed.*managed_object was renamed/);
  });

  it('change nothing when one of them fails', async () => {
    await using empty = await createTestDatabase();
    const fresh = openDatabase({ url: empty.url });
    const folder = await folderOf({
      '0001_first.sql':
        '-- compatible\ncreate table schema_version (name text primary key, breaking text);\ncreate table first (id int);',
      '0002_second.sql': '-- breaking: it is broken\ncreate table second (id no_such_type);',
    });
    const migrations = await readMigrations(folder);
    await expect(migrate(fresh.db, migrations)).rejects.toThrow(/no_such_type/);
    const { rows } = await sql<{ there: boolean }>`select to_regclass('first') is not null as there`.execute(
      fresh.db,
    );
    expect(rows[0]).toEqual({ there: false });
    await fresh.close();
  });

  it('must say in their first line whether older nodes can live with them', async () => {
    const folder = await folderOf({ '0001_silent.sql': 'create table t (id int);' });
    await expect(readMigrations(folder)).rejects.toThrow(/0001_silent.sql: the first line must be/);
  });
});
