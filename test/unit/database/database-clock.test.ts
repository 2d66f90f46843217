import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, DatabaseClock, openDatabase } from '#database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';

describe("the database's clock, seen from afar", () => {
  let test: TestDatabase;
  let proxy: TcpProxy;
  let near: Database;
  let far: Database;

  beforeAll(async () => {
    test = await createTestDatabase();
    near = openDatabase({ url: test.url, poolSize: 2 });
    await near.pool.query('select 1');
    const url = new URL(test.url);
    const target = { host: url.hostname, port: Number(url.port) };
    proxy = await TcpProxy.open(() => target, Math.random);
    url.host = `127.0.0.1:${proxy.port}`;
    far = openDatabase({ url: url.href, poolSize: 2 });
  });
  afterAll(async () => {
    await Promise.all([near.close(), far.close()]);
    await proxy[Symbol.asyncDispose]();
    await test[Symbol.asyncDispose]();
  });

  it('is never ahead of what it is there, also when questions travel longer than answers', async () => {
    const clock = new DatabaseClock(far);
    proxy.setWeather({ delayMs: 50, delaysQuestions: true });
    await clock.measure();
    const seen = clock.now();
    const { rows } = await near.pool.query<{ ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    );
    expect(seen).toBeLessThanOrEqual(rows[0]!.ms);
  });

  it('is not made worse by answers that take long', async () => {
    const clock = new DatabaseClock(far);
    proxy.setWeather();
    await clock.measure();
    const before = offsetOf(clock);
    proxy.setWeather({ delayMs: 20 });
    await clock.measure();
    expect(offsetOf(clock)).toBeCloseTo(before, 0);
  });

  it('is asked for less often where what is known of it still holds', async () => {
    const clock = new DatabaseClock(near);
    let asked = 0;
    near.pool.on('release', () => {
      asked += 1;
    });
    await clock.measure();
    // The earliest of all answers so far is what is known, and soon none comes earlier.
    await expect
      .poll(async () => {
        asked = 0;
        await clock.measure();
        return asked;
      })
      .toBe(3);
  });

  it('is that of another server, ahead or behind, as soon as that has opened a session', async () => {
    await using after = await createTestDatabase();
    const asked = openDatabase({ url: after.url, poolSize: 2 });
    // Its sessions end with the server.
    await using _ = { [Symbol.asyncDispose]: () => asked.close() };
    const clock = new DatabaseClock(asked);
    await clock.measure();
    for (const [since, seconds] of [
      ['2026-01-01', 20],
      ['2026-01-02', -20],
    ] as const) {
      await becomeServer(after, since, seconds);
      await expect.poll(() => asked.pool.totalCount).toBe(0);
      const { rows } = await asked.pool.query<{ ms: number }>(
        'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
      );
      const seen = clock.now();
      expect(Math.abs(seen - rows[0]!.ms)).toBeLessThan(5_000);
      expect(Math.abs(seen - Date.now())).toBeGreaterThan(15_000);
    }
  });
});

/** A database becomes one of a server that began then and whose clock is so many seconds ahead; all its sessions end. */
async function becomeServer({ url, name }: TestDatabase, since: string, seconds: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    create schema if not exists simulated;
    create or replace function simulated.clock_timestamp() returns timestamptz language sql volatile
      as $$ select pg_catalog.clock_timestamp() + interval '${seconds} s' $$;
    create or replace function simulated.pg_postmaster_start_time() returns timestamptz language sql stable
      as $$ select timestamptz '${since} UTC' $$;
    alter database ${name} set search_path = simulated, pg_catalog, public`);
  await client.query(
    'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
    [name],
  );
  await client.end();
}

/** The least of many looks, because we may be held up between the two clocks. */
function offsetOf(clock: DatabaseClock): number {
  const looks = Array.from({ length: 1_000 }, () => {
    const here = performance.now();
    return clock.now() - here;
  });
  return Math.min(...looks);
}
