import { expect, test } from 'vitest';
import { openDatabase } from '#database/index.ts';
import { createTestDatabase } from '../../support/postgres.ts';

test('of several servers none is asked that belongs to another cluster than the first one did', async () => {
  await using test = await createTestDatabase();
  const url = new URL(test.url);
  const both = test.url.replace(url.host, `${url.host},${url.host}`);
  const database = openDatabase({ url: both, poolSize: 2, onError: () => {} });
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  // What answers at these addresses is restored from the backup of another one.
  const direct = openDatabase({ url: test.url, poolSize: 2, onError: () => {} });
  await using __ = { [Symbol.asyncDispose]: () => direct.close() };
  await direct.pool.query(`
    create schema simulated;
    create function simulated.pg_control_system(out system_identifier bigint) language sql as 'select 42::bigint';
    alter database ${test.name} set search_path = simulated, pg_catalog, public`);
  await direct.pool.query(
    'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
    [test.name],
  );
  await expect
    .poll(() => database.pool.query('select 1').then(() => 'answered', String))
    .toMatch(/none of the servers can be used: .*it belongs to another cluster than the one before/);
});
