import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#database/index.ts';
import { eventually } from '../support/eventually.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import '../support/takes-long.ts';

/** Each case waits for seconds by nature: a caller is spared from waiting longer. */
describe('a request is answered, whatever the database does:', () => {
  const scope = new AsyncDisposableStack();
  let proxy: TcpProxy;
  let server: TestServer;
  let direct: ReturnType<typeof openDatabase>;

  beforeAll(async () => {
    const test = scope.use(await createSchemaDatabase());
    const target = new URL(test.url);
    proxy = scope.use(
      await TcpProxy.open(() => ({ host: target.hostname, port: Number(target.port) }), Math.random),
    );
    const url = new URL(test.url);
    url.host = `127.0.0.1:${proxy.port}`;
    direct = openDatabase({ url: test.url, poolSize: 3 });
    scope.defer(() => direct.close());
    server = scope.use(
      await startTestServer({
        database: { ...test, url: url.href },
        environment: { SVC_REQUEST_DEADLINE: '11' },
        files: { 'conf/managed.json': { objects: [{ name: 'plain' }, { name: 'slow' }] } },
      }),
    );
    await sql`create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(12); return null; end $$`.execute(
      direct.db,
    );
    await sql`create constraint trigger linger after insert on managed_object deferrable initially deferred
      for each row when (new.type = 'slow') execute function linger()`.execute(direct.db);
    expect((await server.api('PUT', 'managed/plain/held', { body: { by: 'nobody' } })).status).toBe(201);
  });
  afterAll(() => scope.disposeAsync());

  it('somebody else holds the row, and nothing is changed', async () => {
    const holder = await direct.db.startTransaction().execute();
    await sql`select from managed_object where id = 'held' for update`.execute(holder);
    const { status, headers, body } = await server
      .api('PUT', 'managed/plain/held', { body: { by: 'me' } })
      .finally(() => holder.rollback().execute());
    expect([status, headers.get('retry-after'), body.detail?.id]).toEqual([503, '1', 'DB_LOCKED']);
    expect((await server.api('GET', 'managed/plain/held')).body).toMatchObject({ by: 'nobody' });
  });

  it('it does not end the commit, and that is no reason to take it for undone', async () => {
    const { status, headers, body } = await server.api('PUT', 'managed/slow/one', { body: {} });
    expect([status, headers.get('retry-after'), body.detail?.id]).toEqual([503, '1', 'DB_COMMIT_UNKNOWN']);
    expect(body.message).toBe(
      'The database has kept the request waiting for 11 s, at last with its commit: the change may or may not have been stored',
    );
    await eventually(
      () => server.api('GET', 'managed/slow/one'),
      ({ status }) => status === 200,
    );
  });
});

describe('a request that may wait for two seconds', () => {
  const scope = new AsyncDisposableStack();
  let test: Awaited<ReturnType<typeof createSchemaDatabase>>;
  let server: TestServer;
  let direct: ReturnType<typeof openDatabase>;
  const HOOKED = {
    name: 'hooked',
    onUpdate: {
      type: 'text/javascript',
      source: "svc.update('managed/plain/held', null, {by: 'hook'})",
      timeout: 1_000,
    },
  };

  beforeAll(async () => {
    test = scope.use(await createSchemaDatabase());
    direct = openDatabase({ url: test.url, poolSize: 3 });
    scope.defer(() => direct.close());
    server = scope.use(
      await startTestServer({
        database: test,
        environment: { SVC_REQUEST_DEADLINE: '2' },
        files: { 'conf/managed.json': { objects: [{ name: 'plain' }, HOOKED] } },
      }),
    );
    for (const path of ['plain/held', 'hooked/one'])
      expect((await server.api('PUT', `managed/${path}`, { body: { by: 'nobody' } })).status).toBe(201);
  });
  afterAll(() => scope.disposeAsync());

  const whileHeld = async <T>(work: () => Promise<T>): Promise<T> => {
    const holder = await direct.db.startTransaction().execute();
    await sql`select from managed_object where id = 'held' for update`.execute(holder);
    return work().finally(() => holder.rollback().execute());
  };

  it.each(['plain/held?_fields=by', 'plain/held?_dryRun=true'])(
    'is told that nothing has changed when somebody holds the row for longer, and nothing has: %s',
    async (path) => {
      const { status, headers, body } = await whileHeld(() =>
        server.api('PUT', `managed/${path}`, { body: { by: 'me' } }),
      );
      expect([status, headers.get('retry-after'), body.detail?.id]).toEqual([503, '1', 'DB_SLOW']);
      expect(body.message).toBe('The database has kept the request waiting for 2 s; nothing was changed');
      expect((await server.api('PUT', 'managed/plain/held', { body: { by: 'next' } })).status).toBe(200);
      expect((await server.api('GET', 'managed/plain/held')).body).toMatchObject({ by: 'next' });
    },
  );

  it('is 503, too, where it waits in a script whose own time is over', async () => {
    const { status, body } = await whileHeld(() =>
      server.api('PUT', 'managed/hooked/one', { body: { by: 'me' } }),
    );
    expect([status, body.detail?.id]).toEqual([503, 'DB_SLOW']);
    expect((await server.api('GET', 'managed/hooked/one')).body).toMatchObject({ by: 'nobody' });
  });
});

describe('a database that falls silent', () => {
  it('leaves no request waiting, and nothing of what was asked is stored later', async () => {
    await using scope = new AsyncDisposableStack();
    const test = scope.use(await createSchemaDatabase());
    const target = new URL(test.url);
    const proxy = scope.use(
      await TcpProxy.open(() => ({ host: target.hostname, port: Number(target.port) }), Math.random),
    );
    const url = new URL(test.url);
    url.host = `127.0.0.1:${proxy.port}`;
    const server = scope.use(
      await startTestServer({
        database: { ...test, url: url.href },
        environment: { SVC_REQUEST_DEADLINE: '4' },
        files: { 'conf/managed.json': { objects: [{ name: 'plain' }] } },
      }),
    );
    expect((await server.api('PUT', 'managed/plain/before', { body: {} })).status).toBe(201);
    proxy.setWeather({ hole: 'both' });
    const ids = Array.from({ length: 40 }, (_, at) => `during-${at}`);
    const asked = await Promise.all([
      ...ids.map((id) => server.api('PUT', `managed/plain/${id}`, { body: {} })),
      ...ids.map(() => server.api('GET', 'managed/plain/before')),
      server.api('GET', 'managed/plain?_queryFilter=true'),
    ]);
    for (const { status, headers, body } of asked)
      expect([status, headers.get('retry-after'), body.detail?.id]).toEqual([
        503,
        '1',
        expect.stringMatching(/^DB_(?:SLOW|UNREACHABLE|COMMIT_UNKNOWN|BUSY)$/),
      ]);
    proxy.setWeather();
    await eventually(
      () => server.api('PUT', 'managed/plain/after', { body: {} }),
      ({ status }) => status === 201 || status === 200,
    );
    const unknown = ids.filter((_, at) => asked[at]?.body.detail?.id === 'DB_COMMIT_UNKNOWN');
    const { body } = await server.api('GET', 'managed/plain?_queryFilter=true');
    const stored = body.result.map(({ _id }: { _id: string }) => _id);
    expect(stored.filter((id: string) => ids.includes(id) && !unknown.includes(id))).toEqual([]);
  });

  it('where only a pooler does: whoever asks later waits no longer than who has asked first', async () => {
    await using scope = new AsyncDisposableStack();
    const test = scope.use(await createSchemaDatabase());
    const target = new URL(test.url);
    const proxy = scope.use(
      await TcpProxy.open(() => ({ host: target.hostname, port: Number(target.port) }), Math.random),
    );
    const url = new URL(test.url);
    url.host = `127.0.0.1:${proxy.port}`;
    const server = scope.use(
      await startTestServer({
        database: { ...test, url: url.href },
        // The node's own sessions go on, so that it is not lost.
        environment: { SVC_REQUEST_DEADLINE: '2', SVC_DATABASE_DIRECT_URL: test.url },
      }),
    );
    const ask = () => server.api('GET', 'info/login');
    expect((await ask()).status).toBe(200);
    proxy.setWeather({ hole: 'both' });
    for (let time = 1; time <= 4; time++) {
      const begun = performance.now();
      const { status, body } = await ask();
      expect([time, status, body.detail?.id]).toEqual([time, 503, 'DB_SLOW']);
      // Of two seconds; a session that is silent is given up after ten.
      expect(performance.now() - begun).toBeLessThan(9_000);
    }
    proxy.setWeather();
    await eventually(ask, ({ status }) => status === 200);
  });

  it.each(['0', '1'])(
    'by which a password has to be judged is no exception, with %s HTTP threads',
    async (threads) => {
      await using scope = new AsyncDisposableStack();
      const test = scope.use(await createSchemaDatabase());
      const target = new URL(test.url);
      const proxy = scope.use(
        await TcpProxy.open(() => ({ host: target.hostname, port: Number(target.port) }), Math.random),
      );
      const url = new URL(test.url);
      url.host = `127.0.0.1:${proxy.port}`;
      const server = scope.use(
        await startTestServer({
          database: { ...test, url: url.href },
          environment: {
            SVC_REQUEST_DEADLINE: '2',
            SVC_DATABASE_DIRECT_URL: test.url,
            SVC_HTTP_THREADS: threads,
          },
        }),
      );
      const logIn = () => server.api('GET', 'info/login', { user: 'nobody', password: 'Wr0ng-password' });
      expect((await logIn()).status).toBe(401);
      proxy.setWeather({ hole: 'both' });
      const begun = performance.now();
      const { status, body } = await logIn();
      expect([status, body.detail?.id]).toEqual([503, 'DB_SLOW']);
      expect(performance.now() - begun).toBeLessThan(9_000);
      proxy.setWeather();
      await eventually(logIn, ({ status }) => status === 401);
    },
  );
});
