import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { onServer } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('when the database cannot do its part', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [
            { name: 'plain' },
            {
              name: 'hooked',
              onCreate: {
                type: 'text/javascript',
                source: `try { svc.create('managed/echo', null, { of: object.key }) }
                         catch (e) { throw { code: 418, message: 'something of my own' } }`,
              },
            },
            { name: 'echo' },
          ],
        },
      },
    });
    await sql`create sequence trouble_count`.execute(server.database.db);
  });
  afterEach(async () => {
    await sql`drop function if exists trouble cascade`.execute(server.database.db);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  /** Writes of objects of the type fail with the state, for the first `times`. */
  async function makeTrouble(type: string, state: string, times: number): Promise<void> {
    const { db } = server.database;
    await sql`select setval('trouble_count', 1, false)`.execute(db);
    await sql
      .raw(
        `create function trouble() returns trigger language plpgsql as $$ begin
           if nextval('trouble_count') <= ${times} then
             raise exception using errcode = '${state}', message = 'no';
           end if;
           return null;
         end $$;
         create trigger trouble after insert on managed_object
           for each row when (new.type = '${type}') execute function trouble()`,
      )
      .execute(db);
  }

  const count = async (type: string) => {
    const { rows } = await sql`select 1 from managed_object where type = ${type}`.execute(server.database.db);
    return rows.length;
  };

  test.each([
    ['25006', 'read-only'],
    ['53100', 'full'],
  ])('a %s (%s) is a 503 that says that nothing was changed', async (state) => {
    await makeTrouble('plain', state, 1_000);
    const { status, headers, body } = await server.api('POST', 'managed/plain', { body: {} });
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(body.message).toMatch(/takes no changes at the moment \(no\); nothing was changed/);
    expect(await count('plain')).toBe(0);
  });

  const ready = async () => {
    const answer = await fetch(`${server.url}/health/ready`);
    const { parts } = (await answer.json()) as { parts: { database: { detail?: string } } };
    return { status: answer.status, detail: parts.database.detail };
  };
  const isReady = () => eventually(ready, ({ status }) => status === 200);

  test('a full disk shows in readiness, for as long as it lasts', async () => {
    await makeTrouble('plain', '53100', 1_000);
    await sql`create trigger trouble before insert on audit_event for each row execute function trouble()`.execute(
      server.database.db,
    );
    expect((await server.api('POST', 'managed/plain', { body: {} })).status).toBe(503);
    const { detail } = await eventually(ready, ({ status }) => status === 503);
    expect(detail).toBe('takes no changes: no (audit trail)');
    await sql`drop function trouble cascade`.execute(server.database.db);
    await isReady();
  });

  // Sessions of a pooler are its own.
  test.skipIf((process.env['SVC_TEST_PGBOUNCER'] ?? '') !== '')(
    'a read-only database shows in readiness, and sessions of that time do not outlive it',
    async () => {
      const { db } = server.database;
      const name = (await sql<{ name: string }>`select current_database() as name`.execute(db)).rows[0]!.name;
      await sql.raw(`alter database ${name} set default_transaction_read_only = on`).execute(db);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = ${name} and application_name like 'svc:%'`.execute(db);
      const { detail } = await eventually(ready, ({ detail }) => detail?.startsWith('takes no') === true);
      expect(detail).toBe('takes no changes: default_transaction_read_only is on');
      const before = await count('plain');
      const create = () => server.api('POST', 'managed/plain', { body: {} });
      const refused = await Promise.all([create(), create(), create()]);
      expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
      expect(refused[0]!.body.message).toMatch(/takes no changes .*read-only.*nothing was changed/);
      await sql.raw(`alter database ${name} reset default_transaction_read_only`).execute(db);
      await isReady();
      const made = await Promise.all(Array.from({ length: 8 }, create));
      expect(made.map(({ status }) => status)).toEqual(Array(8).fill(201));
      expect(await count('plain')).toBe(before + 8);
    },
  );

  // To a pooler it is another matter what the server says.
  test.skipIf((process.env['SVC_TEST_PGBOUNCER'] ?? '') !== '')(
    'a database that lets nobody in is a 503, whatever it says, and no fault of the server',
    async () => {
      const { db } = server.database;
      const name = (await sql<{ name: string }>`select current_database() as name`.execute(db)).rows[0]!.name;
      const before = await count('plain');
      const lines = () => server.observations.filter(({ kind }) => kind === 'http.unavailable').length;
      const told = lines();
      const open = (to: 'on' | 'off') =>
        onServer(inject('databaseServerUrl'), `alter database ${name} allow_connections ${to}`);
      await open('off');
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = ${name} and application_name like 'svc:%'`.execute(db);
      const { status, headers, body } = await eventually(
        () => server.api('POST', 'managed/plain', { body: {} }),
        ({ status }) => status !== 201,
      );
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect(body).toMatchObject({ detail: { id: 'DB_UNREACHABLE' } });
      expect(server.observations.filter(({ kind }) => kind === 'http.failed')).toEqual([]);
      expect(lines()).toBeGreaterThan(told);
      await open('on');
      await isReady();
      expect(await count('plain')).toBe(before);
    },
  );

  test('who waits for a lock shows in the metrics, and for how long', async () => {
    const { db } = server.database;
    expect((await server.api('PUT', 'managed/plain/held', { body: {} })).status).toBe(201);
    const figure = async (name: string) => {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      return Number(new RegExp(`^svc_db_lock_${name} (\\S+)$`, 'm').exec(text)?.[1]);
    };
    const isFree = () =>
      eventually(
        () => figure('waiting'),
        (sessions) => sessions === 0,
      );
    await isFree();
    const holder = await db.startTransaction().execute();
    await sql`select from managed_object where id = 'held' for update`.execute(holder);
    const waiting = server.api('PUT', 'managed/plain/held', { body: { by: 'me' } });
    await eventually(
      () => figure('waiting'),
      (sessions) => sessions > 0,
    );
    await eventually(
      () => figure('wait_seconds'),
      (seconds) => seconds > 0.1,
    );
    await holder.rollback().execute();
    expect((await waiting).status).toBe(200);
    await isFree();
  });

  test('a conflict runs the whole request again, whatever a script makes of it', async () => {
    await makeTrouble('echo', '40P01', 2);
    const { status } = await server.api('POST', 'managed/hooked', { body: { key: 'k' } });
    expect(status).toBe(201);
    expect([await count('hooked'), await count('echo')]).toEqual([1, 1]);
  });
});
