import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    database = openDatabase({ url: url.href, poolSize: 3 });
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

  it('is told from one whose statement takes its time', async () => {
    const { rows } = await database.pool.query('select 3 as three from pg_sleep(5.5)');
    expect(rows).toEqual([{ three: 3 }]);
  });
});
