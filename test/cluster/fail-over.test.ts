import { expect, test } from 'vitest';
import { migrate, openDatabase, readMigrations } from '#database/index.ts';
import { startTestServer } from '../support/server.ts';
import { startPair } from '../support/standby.ts';

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

  await pair.primary.stop();
  await expect
    .poll(() => make('meanwhile'))
    .toMatchObject({ status: 503, body: { detail: { id: 'DB_UNREACHABLE' } } });
  await pair.promote();
  await expect.poll(() => make('after')).toMatchObject({ status: 201 });
  const names = (await server.api('GET', 'managed/user?_queryFilter=true&_fields=userName')).body.result;
  expect(names.map(({ userName }: { userName: string }) => userName)).toEqual(
    expect.arrayContaining(['before', 'after']),
  );
  const promoted = openDatabase({ url: pair.standby.url, poolSize: 2 });
  await using _ = { [Symbol.asyncDispose]: () => promoted.close() };
  await expect
    .poll(async () => (await promoted.pool.query('select state from svc_node')).rows)
    .toEqual([{ state: 'running' }]);
});
