import { expect, test } from 'vitest';
import { migrate, openDatabase, readMigrations } from '#database/index.ts';
import { startTestServer } from '../support/server.ts';
import { type Pair, startPair } from '../support/standby.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import '../support/takes-long.ts';

const MIGRATIONS = new URL('../../migrations', import.meta.url).pathname;

test('a node whose database is a primary and a standby goes on where the standby takes over', async () => {
  await using pair = await startPair();
  const primary = openDatabase({ url: pair.primary.url, poolSize: 2 });
  await migrate(primary.db, await readMigrations(MIGRATIONS));
  await primary.close();
  await using server = await startTestServer({
    database: { name: 'postgres', url: pair.url, [Symbol.asyncDispose]: async () => {} },
  });
  const user = (userName: string) => ({
    userName,
    givenName: 'Kim',
    sn: 'Lee',
    mail: `${userName}@example.com`,
  });
  const make = (userName: string) =>
    server.api('POST', 'managed/user?_action=create', { body: user(userName) });
  expect(await make('before')).toMatchObject({ status: 201 });
  await expect
    .poll(async () => {
      const standby = openDatabase({ url: pair.standby.url, poolSize: 2 });
      const { rows } = await standby.pool
        .query('select data from managed_object')
        .finally(() => standby.close());
      return rows.map(({ data }) => data.userName);
    })
    .toContain('before');

  const guess = () => server.api('GET', 'info/login', { user: 'guessed-at', password: 'wrong' });
  const failures = async ({ url }: { readonly url: string }) => {
    const { pool, close } = openDatabase({ url, poolSize: 2 });
    const asked = pool.query(
      "select failures from svc_login_throttle where kind = 'account' and account = login_account('guessed-at')",
    );
    return (await asked.finally(close)).rows[0]?.failures;
  };
  for (const _ of [1, 2, 3]) expect(await guess()).toMatchObject({ status: 401 });
  await expect.poll(() => failures(pair.standby)).toBe(3);

  await pair.primary.stop();
  await expect
    .poll(() => make('meanwhile'))
    .toMatchObject({ status: 503, body: { detail: { id: 'DB_UNREACHABLE' } } });
  await pair.promote();
  await expect.poll(() => make('after')).toMatchObject({ status: 201 });
  // Whoever guesses does not begin anew.
  expect(await guess()).toMatchObject({ status: 401 });
  expect(await failures(pair.standby)).toBe(4);
  const names = (await server.api('GET', 'managed/user?_queryFilter=true&_fields=userName')).body.result;
  expect(names.map(({ userName }: { userName: string }) => userName)).toEqual(
    expect.arrayContaining(['before', 'after']),
  );
  const promoted = openDatabase({ url: pair.standby.url, poolSize: 2 });
  await using _ = { [Symbol.asyncDispose]: () => promoted.close() };
  await expect
    .poll(async () => (await promoted.pool.query('select state from svc_node')).rows)
    .toEqual([{ state: 'running' }]);
  await expectNoWayBack(pair);
});

test('a fail-over that has lost something says so, and what at least', async () => {
  await using pair = await startPair();
  const primary = openDatabase({ url: pair.primary.url, poolSize: 2, onError: () => {} });
  await migrate(primary.db, await readMigrations(MIGRATIONS));
  await using server = await startTestServer({
    database: { name: 'postgres', url: pair.url, [Symbol.asyncDispose]: async () => {} },
  });
  const { rows } = await primary.pool.query('select pg_current_wal_insert_lsn()::text as lsn');
  await expect
    .poll(async () => {
      const standby = openDatabase({ url: pair.standby.url, poolSize: 2 });
      const asked = standby.pool.query('select pg_last_wal_replay_lsn() >= $1 as has_it', [rows[0].lsn]);
      return (await asked.finally(() => standby.close())).rows[0].has_it;
    })
    .toBe(true);
  await pair.cutOff();
  await primary.pool.query("select pg_logical_emit_message(false, 'test', repeat('x', 100000))");
  const beat = async () =>
    (await primary.pool.query("select seen_at from cluster_node where state = 'running'")).rows[0].seen_at;
  // The first may have been on its way before; the second has seen what was written.
  for (let last = await beat(), more = 2; more > 0; more--) {
    await expect.poll(async () => (await beat()).getTime()).toBeGreaterThan(last.getTime());
    last = await beat();
  }
  await primary.close();
  await pair.primary.stop();
  await pair.promote();
  const told = await server.observed('database.rolledBack');
  expect(told.bytes).toBeGreaterThan(100_000);
  expect(told.seconds).toBeGreaterThan(0);
  const promoted = openDatabase({ url: pair.standby.url, poolSize: 2 });
  await using _ = { [Symbol.asyncDispose]: () => promoted.close() };
  expect((await promoted.pool.query('select kind, detail from svc_incident')).rows).toMatchObject([
    { kind: 'rolledBack', detail: { bytes: told.bytes, timeline: 2 } },
  ]);
  expect((await server.api('GET', 'status')).body.findings).toContainEqual(
    expect.objectContaining({ id: 'DATABASE_ROLLED_BACK', severity: 'error' }),
  );
  expect((await promoted.pool.query('select timeline from database_place')).rows).toEqual([{ timeline: 2 }]);
});

/** Whoever has seen the one that was promoted goes to no other, neither by a list of hosts nor behind a balancer. */
async function expectNoWayBack(pair: Pair): Promise<void> {
  await using scope = new AsyncDisposableStack();
  const open = (url: string) => {
    const { pool, close } = openDatabase({ url, poolSize: 4, onError: () => {} });
    scope.defer(close);
    return pool;
  };
  const portOf = ({ url }: { readonly url: string }) => Number(new URL(url).port);
  const askPort = async (pool: ReturnType<typeof open>) =>
    (await pool.query<{ port: number }>('select inet_server_port() as port')).rows[0]?.port;
  const whole = new URL(pair.url.replace(/@[^/]+/, '@one'));
  const addresses = [pair.primary, pair.standby].map(({ url }) => new URL(url).host);
  const listed = open(pair.url.replace(/@[^/]+/, `@${addresses.join(',')}`));
  expect(await askPort(listed)).toBe(portOf(pair.standby));

  const old = await pair.comeBack();
  let target = old;
  const proxy = scope.use(
    await TcpProxy.open(() => ({ host: '127.0.0.1', port: portOf(target) }), Math.random),
  );
  whole.host = `127.0.0.1:${proxy.port}`;
  const balanced = open(whole.href);
  expect(await askPort(balanced)).toBe(portOf(old));
  const held = balanced.query('select pg_sleep(3600)').then(String, String);
  target = pair.standby;
  // A session of the new one, while the other is held.
  await using fresh = await balanced.connect().then((client) => ({
    client,
    [Symbol.asyncDispose]: async () => client.release(),
  }));
  await fresh.client.query('select 1');
  await expect.poll(() => askPort(balanced)).toBe(portOf(pair.standby));
  expect(await held).toMatch(/another server has taken over/);

  target = old;
  proxy.endAll('reset');
  await expect
    .poll(() => askPort(balanced).catch(String))
    .toMatch(/a primary that was replaced: on timeline 1, not 2/);
  target = pair.standby;
  await expect.poll(() => askPort(balanced).catch(String)).toBe(portOf(pair.standby));
  await open(pair.standby.url).query(
    'select pg_terminate_backend(pid, 5000) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null',
  );
  await expect.poll(() => askPort(listed).catch(String)).toBe(portOf(pair.standby));
}
