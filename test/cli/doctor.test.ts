import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skewOf } from '../../src/cli/doctor.ts';
import {
  findConnectionTrouble,
  findHeldSnapshots,
  findLockTrouble,
  findVacuumTrouble,
} from '../../src/cli/doctor-repository.ts';
import { commandLineOf } from '../support/command-line.ts';
import { COMMON_RING } from '../support/key-ring.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { findPgBouncer, NO_PGBOUNCER, startPgBouncer } from '../support/pgbouncer.ts';
import { createTestDatabase, databaseEnvironment } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const pgBouncer = await findPgBouncer();
if (pgBouncer === undefined) console.warn(NO_PGBOUNCER);

describe('svc doctor', () => {
  let server: TestServer;
  let database: Awaited<ReturnType<typeof createSchemaDatabase>>;
  const svc = commandLineOf(() => server);
  const examine = (more: Record<string, string> = {}) =>
    svc(['doctor', '--json', '--project', server.project.location], {
      ...databaseEnvironment(database.url),
      SVC_KEYS: COMMON_RING,
      SVC_DATA_DIR: server.project.location,
      ...more,
    });
  const found = async (more: Record<string, string> = {}) => {
    const { code, out } = await examine(more);
    const { ok, findings } = JSON.parse(out);
    expect([code, ok]).toEqual(findings.length === 0 ? [0, true] : [1, false]);
    const lines = findings.map(({ id, subject }: { id: string; subject: string }) => `${id} ${subject}`);
    // How the node of this test is, others test.
    return lines.filter((line: string) => !/ (?:cluster|scheduler)\//.test(line));
  };
  const change = (...statements: string[]) =>
    Promise.all(statements.map((statement) => server.database.pool.query(statement)));

  beforeAll(async () => {
    database = await createSchemaDatabase();
    server = await startTestServer({ database });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it('finds nothing to do where all is well, and says what it has looked at', async () => {
    expect(await found()).toEqual([]);
    expect(await found({ SVC_KEYS: '' })).toEqual([`NO_KEYS ${server.project.location}`]);
    const { out } = await svc(['doctor', '--project', server.project.location], {
      ...databaseEnvironment(database.url),
      SVC_KEYS: COMMON_RING,
      SVC_DATA_DIR: server.project.location,
    });
    expect(out).toMatch(/^✓ settings\n✓ keys\n✓ versions +\S.* Postgres \d+/);
    expect(out).toMatch(/\n✓ autovacuum\n✓ locks\n[\s\S]* (?:is|are) to be done\.\n$/);
  });

  it('finds an index that is broken, a table that is not vacuumed, and a setting that is misspelt', async () => {
    await change(
      'create table doctored (n integer) with (autovacuum_enabled = false)',
      'create index doctored_n on managed_object (rev)',
    );
    try {
      await change("update pg_index set indisvalid = false where indexrelid = 'doctored_n'::regclass");
      expect(await found({ SVC_LOGLEVEL: 'debug' })).toEqual([
        'UNKNOWN_SETTING the environment',
        'INDEX_INVALID doctored_n',
        'AUTOVACUUM_OFF doctored',
      ]);
    } finally {
      await change('drop table doctored', 'drop index doctored_n');
    }
  });

  it('finds who waits for a lock of a transaction that does nothing', async () => {
    const [one, other] = await Promise.all([server.database.pool.connect(), server.database.pool.connect()]);
    let waiting: Promise<unknown> = Promise.resolve();
    try {
      await one.query('begin; lock table personal_item in access exclusive mode');
      waiting = other.query('select from personal_item');
      await expect
        .poll(async () => (await found()).map((line: string) => line.split(' ')[0]), {
          timeout: 20_000,
          interval: 1_000,
        })
        .toEqual(['LOCK_WAIT']);
    } finally {
      await one.query('rollback');
      await waiting;
      one.release();
      other.release();
    }
  });

  it('finds who holds a snapshot for long, and with it all that is deleted meanwhile', async () => {
    const holder = await server.database.pool.connect();
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    const held = async (afterMs?: number) =>
      (await findHeldSnapshots(server.database.db, afterMs)).filter(
        ({ subject }) => subject === `process ${rows[0]!.pid}`,
      );
    try {
      await holder.query('begin; select 1');
      expect(await held(0)).toEqual([]);
      await holder.query('rollback; begin isolation level repeatable read; select 1');
      expect(await held(0)).toMatchObject([
        { id: 'SNAPSHOT_HELD', hint: expect.stringContaining('wait for') },
      ]);
      expect(await held()).toEqual([]);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });

  it('finds a table of which most is dead, and that nothing is counted of it', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const holder = await server.database.pool.connect();
    try {
      // Else autovacuum may be faster.
      await holder.query('begin isolation level repeatable read; select 1');
      await server.database.pool.query('create table doctored as select generate_series(1, 60000) as n');
      await server.database.pool.query('delete from doctored; select pg_stat_force_next_flush()');
      await expect.poll(() => found(), { timeout: 20_000, interval: 500 }).toContain('TABLE_BLOAT doctored');
      await change(`alter database "${name}" set track_counts = off`);
      expect(await found()).toContain('AUTOVACUUM_OFF autovacuum');
    } finally {
      await change(`alter database "${name}" reset track_counts`, 'drop table if exists doctored');
      await holder.query('rollback');
      holder.release();
    }
  });

  it('finds a transaction that does nothing, ids and connections that run short', async () => {
    const { db, pool } = server.database;
    const idle = await pool.connect();
    try {
      const { rows } = await idle.query<{ pid: number }>('begin; select pg_backend_pid() as pid').then(
        // Of two statements there are two answers.
        (answers) => (Array.isArray(answers) ? answers[1] : answers),
      );
      const subject = `process ${rows[0]!.pid}`;
      expect((await findLockTrouble(db)).map((each) => each.subject)).not.toContain(subject);
      await expect
        .poll(() => findLockTrouble(db, 1))
        .toContainEqual(expect.objectContaining({ id: 'TRANSACTION_OPEN', subject }));
    } finally {
      await idle.query('rollback');
      idle.release();
    }
    expect(await findVacuumTrouble(db)).toEqual([]);
    expect(await findVacuumTrouble(db, 0)).toMatchObject([{ id: 'TRANSACTION_IDS' }]);
    expect(await findConnectionTrouble(db, 0)).toMatchObject([
      { id: 'CONNECTIONS_SHORT', text: expect.stringMatching(/^\d+ of \d+ are in use$/) },
    ]);
  });

  it('finds that the ring of this machine lacks a key under which something is stored', async () => {
    const source = "svc.encrypt('kept', null, 'svc-sym-default')";
    const body = { type: 'text/javascript', source };
    expect((await server.api('POST', 'script?_action=eval', { body })).status).toBe(200);
    const others = JSON.stringify(
      Object.fromEntries(
        Object.keys(JSON.parse(COMMON_RING)).map((alias) => [
          alias,
          [Buffer.alloc(32, 9).toString('base64')],
        ]),
      ),
    );
    expect(await found({ SVC_KEYS: others })).toContain('CRYPTO_KEY_MISSING SVC_KEYS');
  });

  it('finds a schema that is not up to date', async () => {
    await using empty = await createTestDatabase();
    const { code, out } = await examine(databaseEnvironment(empty.url));
    expect([code, JSON.parse(out).findings]).toMatchObject([
      1,
      [{ id: 'SCHEMA_PENDING', hint: 'svc migrate' }],
    ]);
  });

  it.skipIf(pgBouncer === undefined)('finds a pooler that lends its sessions', async () => {
    await using pooler = await startPgBouncer(pgBouncer ?? '', database.url);
    expect(await found(databaseEnvironment(pooler.through(database.url)))).toContain(
      'POOLED_SESSIONS DATABASE_URL',
    );
  });

  it('finds a clock that is wrong, by more than a second', () => {
    expect(skewOf(10_000, 10_900)).toEqual([]);
    expect(skewOf(10_000, 12_000)).toMatchObject([
      { id: 'CLOCK_SKEW', text: 'is 2000 ms ahead of that of the database' },
    ]);
  });
});
