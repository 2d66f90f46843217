import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';

describe('a connection that a firewall has forgotten', () => {
  let test: TestDatabase;
  let proxy: TcpProxy;
  let database: Database;

  beforeAll(async () => {
    test = await createTestDatabase();
    const target = new URL(test.url);
    proxy = await TcpProxy.open(() => ({ host: target.hostname, port: Number(target.port) }), Math.random);
    const url = new URL(test.url);
    url.host = `127.0.0.1:${proxy.port}`;
    database = openDatabase({ url: url.href, poolSize: 3, idleInTransactionMs: 600_000 });
  });
  afterAll(async () => {
    await database.close();
    await proxy[Symbol.asyncDispose]();
    await test[Symbol.asyncDispose]();
  });

  it('is given up, and so are the idle ones beside it', async () => {
    await Promise.all([1, 2, 3].map(() => database.pool.query('select pg_sleep(0.05)')));
    expect(database.pool.totalCount).toBe(3);
    proxy.endAll('forget');
    await expect(database.pool.query('select 1')).rejects.toMatchObject({ code: 'ECONNRESET' });
    const { rows } = await database.pool.query('select 2 as two');
    expect(rows).toEqual([{ two: 2 }]);
    expect(database.pool.totalCount).toBe(1);
  });

  it('leaves no open transaction behind in Postgres', async () => {
    const client = await database.pool.connect();
    await client.query('begin');
    const { rows: mine } = await client.query('select pg_backend_pid() as pid, txid_current()');
    proxy.endAll('forget');
    await expect(client.query('select 1')).rejects.toMatchObject({ code: 'ECONNRESET' });
    client.release(true);
    await vi.waitFor(
      async () => {
        const { rows } = await database.pool.query('select from pg_stat_activity where pid = $1', [
          mine[0].pid,
        ]);
        expect(rows).toEqual([]);
      },
      { timeout: 60_000 },
    );
  });

  it('is told from one whose statement takes its time', async () => {
    const { rows } = await database.pool.query('select 3 as three from pg_sleep(5.5)');
    expect(rows).toEqual([{ three: 3 }]);
  });
});
