import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skewOf } from '../../src/cli/doctor.ts';
import { commandLineOf } from '../support/command-line.ts';
import { COMMON_RING } from '../support/key-ring.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { databaseEnvironment } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

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
    await server[Symbol.asyncDispose]();
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
    await change("update pg_index set indisvalid = false where indexrelid = 'doctored_n'::regclass");
    expect(await found({ SVC_LOGLEVEL: 'debug' })).toEqual([
      'UNKNOWN_SETTING the environment',
      'INDEX_INVALID doctored_n',
      'AUTOVACUUM_OFF doctored',
    ]);
    await change('drop table doctored', 'drop index doctored_n');
  });

  it('finds who waits for a lock of a transaction that does nothing', async () => {
    const [one, other] = await Promise.all([server.database.pool.connect(), server.database.pool.connect()]);
    try {
      await one.query('begin; lock table personal_item in access exclusive mode');
      const waiting = other.query('select from personal_item');
      await expect
        .poll(async () => (await found()).map((line: string) => line.split(' ')[0]), {
          timeout: 20_000,
          interval: 1_000,
        })
        .toEqual(['LOCK_WAIT']);
      await one.query('rollback');
      await waiting;
    } finally {
      one.release();
      other.release();
    }
  });

  it('finds a clock that is wrong, by more than a second', () => {
    expect(skewOf(10_000, 10_900)).toEqual([]);
    expect(skewOf(10_000, 12_000)).toMatchObject([
      { id: 'CLOCK_SKEW', text: 'is 2000 ms ahead of that of the database' },
    ]);
  });
});
