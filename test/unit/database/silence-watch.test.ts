import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import { DatabaseClient } from '#database/pool/database-client.ts';
import { SilenceWatch } from '#database/pool/silence-watch.ts';
import { noteSession } from '#database/wire/pg-client.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import '../../support/takes-long.ts';

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

  it('is not judged by the session that has its number on another server, and ends none of that', async () => {
    const url = new URL(test.url);
    url.host = `127.0.0.1:${proxy.port}`;
    const watch = new SilenceWatch(test.url, 'svc');
    const aside = openDatabase({ url: test.url, poolSize: 2 });
    await using _ = { [Symbol.asyncDispose]: () => aside.close() };
    const open = async () => {
      const client = new DatabaseClient({ connectionString: url.href, application_name: 'svc' });
      client.on('error', () => {});
      await client.connect();
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      noteSession(client, rows[0]?.pid);
      // As if it were of a server before: containers count processes from 1, each time.
      watch.add(client, '1');
      return { client, pid: rows[0]?.pid };
    };
    const [busy, idle] = [await open(), await open()];
    const waits = busy.client.query('select pg_sleep(600)');
    const there = async (state = '') => {
      const { rows } = await aside.pool.query<{ pid: number }>(
        "select pid from pg_stat_activity where pid = any($1) and state like $2 || '%'",
        [[busy.pid, idle.pid], state],
      );
      return rows.map(({ pid }) => pid);
    };
    await expect.poll(() => there('active')).toEqual([busy.pid]);
    proxy.endAll('forget');
    // Were it of this server, it would be seen to be at work, and left alone; and the idle one would be ended.
    await expect(waits).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await there()).toSorted()).toEqual([busy.pid, idle.pid].toSorted());
    await aside.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where pid = any($1)', [
      [busy.pid, idle.pid],
    ]);
  });
});
