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
    const clock = new DatabaseClock(far.db);
    proxy.setWeather({ delayMs: 50, delaysQuestions: true });
    await clock.measure();
    const seen = clock.now();
    const { rows } = await near.pool.query<{ ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    );
    expect(seen).toBeLessThanOrEqual(rows[0]!.ms);
  });

  it('is not made worse by answers that take long', async () => {
    const clock = new DatabaseClock(far.db);
    proxy.setWeather();
    await clock.measure();
    const before = offsetOf(clock);
    proxy.setWeather({ delayMs: 20 });
    await clock.measure();
    expect(offsetOf(clock)).toBeCloseTo(before, 0);
  });
});

/** The least of many looks, because we may be held up between the two clocks. */
function offsetOf(clock: DatabaseClock): number {
  const looks = Array.from({ length: 1_000 }, () => {
    const here = performance.now();
    return clock.now() - here;
  });
  return Math.min(...looks);
}
