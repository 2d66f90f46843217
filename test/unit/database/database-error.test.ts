import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Database,
  isConnectionLost,
  isPassing,
  openDatabase,
  runUnitOfWork,
  sqlStateOf,
  translateDatabaseError,
  troubleOf,
} from '#database/index.ts';
import { connectionFinding } from '#database/pool/connection-finding.ts';
import { ServiceUnavailableError } from '#errors/index.ts';
import { toError, toMessage } from '#thread/thread-error.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

/** Nobody listens at port 1. */
const NOWHERE = 'postgres://nobody@127.0.0.1:1/none';

let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  test = await createTestDatabase();
  database = openDatabase({ url: test.url, poolSize: 2 });
});
afterAll(async () => {
  await database.close();
  await test[Symbol.asyncDispose]();
});

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
const urlWith = (other: Partial<Pick<URL, 'pathname' | 'username' | 'password'>>) =>
  Object.assign(new URL(test.url), other).href;
const refusedElsewhere = () =>
  new Promise<Error>((resolve) => connect(1, '127.0.0.1').once('error', resolve));

describe('an error of the database', () => {
  it('is known by who raised it, whichever way it came', async () => {
    const ways = [
      () => database.pool.query('select 1 / 0'),
      async () => {
        const client = await database.pool.connect();
        return client.query('select 1 / 0').finally(() => client.release());
      },
      () =>
        runUnitOfWork(database, {}, async (unit) => {
          const client = await unit.db();
          return client.executeQuery({
            sql: 'select 1 / 0',
            parameters: [],
            query: { kind: 'RawNode' } as never,
            queryId: { queryId: '1' },
          });
        }),
    ];
    for (const way of ways) expect(sqlStateOf(await failureOf(way()))).toBe('22012');
  });

  it.each([
    ['nobody listens', () => NOWHERE],
    ['the name of its host is unknown', () => 'postgres://nobody@no-such-host.invalid/none'],
    ['it is gone', () => urlWith({ pathname: '/gone' })],
    ['the password has changed', () => urlWith({ username: 'nobody_here', password: 'old' })],
  ])('is one also when there is no connection at all, since %s', async (_, url) => {
    const nowhere = openDatabase({ url: url(), poolSize: 2 });
    for (const way of [() => nowhere.pool.query('select 1'), () => nowhere.pool.connect()]) {
      const error = await failureOf(way());
      expect(isConnectionLost(error)).toBe(true);
      expect(connectionFinding(error)?.id).toBe('DB_CANNOT_CONNECT');
    }
    const error = await failureOf(runUnitOfWork(nowhere, { attempts: 1 }, (unit) => unit.db()));
    expect(troubleOf(error)).toBe('unreachable');
    await nowhere.close();
  });

  it.each([
    ['svc', 'to svc'],
    ['svc-role', 'to "svc-role"'],
    [undefined, 'to …'],
  ])('that the role %s lacks a permission says what to grant to it', async (role, expected) => {
    const client = await database.pool.connect();
    await client.query('create role nobody_here nologin; set role nobody_here');
    const error = await failureOf(client.query('create table public.nothing ()'));
    await client.query('reset role; drop role nobody_here');
    client.release();
    const hint = connectionFinding(error, role)?.hint;
    expect(hint).toBe(`the role needs the schema: grant usage, create on schema public ${expected}`);
  });

  it('is none that has the same code and comes from elsewhere', async () => {
    const refused = await refusedElsewhere();
    const wrapped = new ServiceUnavailableError('The other server is away', { cause: refused });
    const like40001 = Object.assign(new Error('no'), { code: '40001' });
    for (const error of [refused, wrapped, like40001, { code: '08006' }]) {
      expect(isConnectionLost(error)).toBe(false);
      expect(isPassing(error)).toBe(false);
      expect(translateDatabaseError(error)).toBe(error);
      expect(connectionFinding(error)).toBeUndefined();
    }
    let runs = 0;
    const failed = await failureOf(
      runUnitOfWork(database, {}, async (unit) => {
        await unit.db();
        runs += 1;
        throw wrapped;
      }),
    );
    expect([failed, runs]).toEqual([wrapped, 1]);
  });

  it('bears no weight by its id, which others use as well', () => {
    const pretended = new ServiceUnavailableError('as if', { id: 'DB_UNREACHABLE' });
    expect(troubleOf(pretended)).toBeUndefined();
  });
});

it('that keeps a thread from its session is known as that in every other thread', async () => {
  const nowhere = openDatabase({ url: NOWHERE, poolSize: 2, onError: () => {} });
  const raw = await failureOf(nowhere.pool.query('select 1'));
  await nowhere.close();
  // There and back, as what a script asks of the main thread.
  const told = toError(toMessage(toError(toMessage(raw))));
  expect(told).toBeInstanceOf(ServiceUnavailableError);
  expect(told.detail).toMatchObject({ id: 'DB_UNREACHABLE' });
  expect(troubleOf(told)).toBe('unreachable');
});
