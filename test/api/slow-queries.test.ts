import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rootContext, systemContext } from '../../src/resource/index.ts';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

/** What callers make up keeps the database at work for a time that is known before. */
let server: TestServer;
const FILTER = 'area eq "x"';
const tooSlow = { id: 'QUERY_TOO_SLOW', seconds: 1, hint: expect.stringContaining('SVC_QUERY_TIMEOUT') };

beforeAll(async () => {
  const managed = JSON.parse(await readFile(join(import.meta.dirname, '../../conf/managed.json'), 'utf8'));
  managed.objects.push({ name: 'plain' });
  server = await startTestServer({
    environment: { SVC_QUERY_TIMEOUT: '1' },
    files: { 'conf/managed.json': managed },
  });
  await server.api('PUT', 'draft/first', { body: { area: 'x', value: {} } });
  // As if each draft took its time, whatever the machine.
  await server.database.pool.query(`
    insert into personal_item (kind, owner, id, data)
      select kind, owner, 'd' || n, data from personal_item, generate_series(1, 20) n where id = 'first';
    create function dawdle(data jsonb) returns jsonb language sql volatile as 'select data from pg_sleep(0.5)';
    alter table personal_item rename to personal_item_kept;
    create view personal_item as
      select kind, owner, id, dawdle(data) as data, roles, rev, updated_at, expires_at from personal_item_kept`);
});
afterAll(async () => {
  // A node that stops waits for its loops, which look there too.
  await server.database.pool.query(
    'drop view personal_item; alter table personal_item_kept rename to personal_item',
  );
  await server?.[Symbol.asyncDispose]();
});

describe('a query of a caller', () => {
  it('is ended by the database when its time is over, with what to do about it', async () => {
    const answer = await server.api('GET', `draft?_queryFilter=${encodeURIComponent(FILTER)}`);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject(tooSlow);
    const rehearsed = await server.api('GET', `draft?_queryFilter=true&_totalPagedResultsPolicy=EXACT`);
    expect(rehearsed.body.detail).toMatchObject(tooSlow);
  });

  it('has no more time when a script of the request sends it, and undoes what that has done before', async () => {
    const source = `svc.create('managed/plain', 'kept', {});
      svc.query('draft', { _queryFilter: '${FILTER}' })`;
    const body = { type: 'text/javascript', source };
    expect((await server.api('POST', 'script?_action=eval', { body })).status).toBe(422);
    expect((await server.api('GET', 'managed/plain/kept')).status).toBe(404);
  });

  it('is one of a request from outside: what the server does of its own accord takes its time', () => {
    const inside = systemContext();
    const outside = rootContext({ ...inside, client: { ...inside.client, isExternal: true } });
    expect([inside.line, outside.line]).toEqual([undefined, 'internal/user/system']);
  });
});

it('a condition of a role that takes as long as no query may is refused, and no role is made', async () => {
  await server.database.pool.query(`
    insert into managed_object (type, id, rev, data)
      select 'user', 'wordy' || n, 0, jsonb_build_object('userName', 'wordy' || n,
        'sn', (select string_agg(md5(n::text || part), '') from generate_series(1, 2000) part))
      from generate_series(1, 500) n`);
  const never = (at: number) => `sn co "${`${at}z`.repeat(20)}"`;
  const condition = Array.from({ length: 100 }, (_, at) => never(at)).join(' or ');
  const body = { name: 'slow', description: 'Whoever is wordy', condition };
  const { status, body: said } = await server.api('PUT', 'managed/role/slow', { body });
  expect([status, said.detail]).toEqual([422, expect.objectContaining({ id: 'QUERY_TOO_SLOW' })]);
  expect((await server.api('GET', 'managed/role/slow')).status).toBe(404);
});

describe('writes that wait for a row', () => {
  /** As seen from outside of the pool that is meant. */
  const waiting = (sessions: number) =>
    eventually(
      async () => {
        const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(server.database.db);
        return rows[0]?.n ?? 0;
      },
      (now) => now >= sessions,
    );
  const mia = { user: 'mia', password: 'Mia-comes-in-by-this-1' };

  it('keep others from nothing, however many their caller sends, and those that wait go with whoever waited', async () => {
    const role = { _ref: 'repo/internal/role/svc-admin' };
    const account = { password: mia.password, roles: [role] };
    expect((await server.api('PUT', 'repo/internal/user/mia', { body: account })).status).toBe(201);
    for (const id of ['held', 'free']) {
      expect((await server.api('PUT', `managed/plain/${id}`, { body: {} })).status).toBe(201);
    }
    await using scope = new AsyncDisposableStack();
    const holder = await server.database.db.startTransaction().execute();
    scope.defer(async () => {
      if (!holder.isRolledBack) await holder.rollback().execute();
    });
    await sql`select from managed_object where id = 'held' for update`.execute(holder);
    const left = new AbortController();
    const write = (signal?: AbortSignal) =>
      fetch(`${server.url}/svc/managed/plain/held`, {
        method: 'PUT',
        headers: {
          'X-Svc-Username': 'svc-admin',
          'X-Svc-Password': ADMIN_PASSWORD,
          'Content-Type': 'application/json',
        },
        body: '{"by":"me"}',
        signal: signal ?? null,
      });
    const gone = Array.from({ length: 130 }, () => write(left.signal).catch((error: Error) => error.name));
    const tooMany = await Promise.any(
      gone.map(async (asked) => {
        const answer = await asked;
        if (typeof answer === 'string' || answer.status !== 429) throw new Error(JSON.stringify(answer));
        return answer;
      }),
    );
    expect(tooMany.headers.get('retry-after')).toBe('5');
    expect(await tooMany.json()).toMatchObject({
      message: '100 requests of yours wait for the database already',
      detail: { id: 'DB_TOO_MANY' },
    });
    await waiting(1);
    const others = await Promise.all([
      server.api('PATCH', 'managed/plain/free', {
        ...mia,
        body: [{ operation: 'add', field: '/by', value: 'mia' }],
      }),
      server.api('PATCH', 'managed/plain/free?_dryRun=true', {
        ...mia,
        body: [{ operation: 'add', field: '/by', value: 'mia' }],
      }),
      server.api('POST', 'authentication?_action=login', mia),
    ]);
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
    left.abort();
    const last = await eventually(
      async () => {
        const asked = write(AbortSignal.timeout(300)).catch(() => 'waits');
        return asked.then((answer) => (typeof answer === 'string' ? answer : answer.status));
      },
      (answer) => answer !== 429,
    );
    expect(last).toBe('waits');
    await holder.rollback().execute();
    expect((await write()).status).toBe(200);
    expect(await Promise.all(gone)).toContain('AbortError');
  });
});
