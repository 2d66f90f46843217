import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, migrate, openDatabase, readMigrations } from '#database/index.ts';
import { findStandbyTrouble } from '../../src/cli/doctor-repository.ts';
import { TYPES } from '../support/access-site.ts';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { PASSWORD } from '../support/credentials.ts';
import { runs } from '../support/long.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Pair, startPair } from '../support/standby.ts';
import '../support/takes-long.ts';

const MIGRATIONS = new URL('../../migrations', import.meta.url).pathname;
const SEEN = 'X-Svc-Commit-Lsn';
/** One of them asks an object whether another one may be read. */
const RULES = `var httpAccessConfig = { configs: [
  { pattern: '*', roles: 'svc-admin', methods: '*', actions: '*' },
  { pattern: 'authentication', roles: '*', methods: 'read,action', actions: 'login,logout' },
  { pattern: 'managed/thing/asked', roles: 'svc-authorized', methods: 'read', actions: '',
    customAuthz: 'svc.read("managed/thing/gate").isOpen === true' },
  { pattern: 'managed/user/*', roles: 'svc-authorized', methods: 'read', actions: '', customAuthz: 'ownDataOnly()' },
] };`;

let pair: Pair;
let standby: Database;
let server: TestServer;

beforeAll(async () => {
  pair = await startPair();
  const primary = openDatabase({ url: pair.primary.url, poolSize: 2 });
  await migrate(primary.db, await readMigrations(MIGRATIONS));
  await primary.close();
  standby = openDatabase({ url: pair.standby.url, poolSize: 2, onError: () => {} });
  server = await startTestServer({
    database: { name: 'postgres', url: pair.primary.url, [Symbol.asyncDispose]: async () => {} },
    environment: {
      SVC_DATABASE_READ_URL: `${pair.url}?target_session_attrs=prefer-standby`,
      SVC_READ_STALENESS: '60',
    },
    files: {
      'conf/managed.json': { objects: [{ name: 'thing' }, ...TYPES.objects] },
      'script/access.js': RULES,
    },
  });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await standby?.close();
  await pair?.[Symbol.asyncDispose]();
});

async function ask(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
  const response = await fetch(`${server.url}/svc/${path}`, {
    method,
    headers: {
      'X-Svc-Username': 'svc-admin',
      'X-Svc-Password': ADMIN_PASSWORD,
      'Content-Type': 'application/json',
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const seen = response.headers.get(SEEN) ?? '';
  return {
    status: response.status,
    seen,
    cookie: response.headers.get('Set-Cookie'),
    body: (await response.json()) as { n?: number; resultCount?: number; key?: string },
  };
}

/** Statements that the standby has answered, and that it left to the primary. */
async function counts(): Promise<{ replica: number; primary: number }> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const of = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
  return { replica: of('svc_db_reads_by_replica'), primary: of('svc_db_reads_left_to_primary') };
}

const write = (id: string, n: number) => ask('PUT', `managed/thing/${id}`, {}, { n });
async function pause(): Promise<void> {
  await standby.pool.query('select pg_wal_replay_pause()');
  // It is asked for, and done at the next record.
  await expect
    .poll(async () => {
      const { rows } = await standby.pool.query<{ state: string }>(
        'select pg_get_wal_replay_pause_state() as state',
      );
      return rows[0]?.state;
    })
    .toBe('paused');
}
const resume = () => standby.pool.query('select pg_wal_replay_resume()');
/** Until the standby has what the answer to a write has named. */
const arrives = (seen: string) =>
  expect
    .poll(async () => {
      const lsn = seen.split('-')[1];
      return (await standby.pool.query('select pg_last_wal_replay_lsn() >= $1::pg_lsn as has_it', [lsn]))
        .rows[0]?.has_it;
    })
    .toBe(true);

describe('a node that has a standby for reading', () => {
  it('has it answer what is read, and not what asks for everything', async () => {
    const { seen } = await write('plain', 1);
    expect(seen).toMatch(/^\d+-[0-9A-F]+\/[0-9A-F]+$/);
    await arrives(seen);
    const before = await counts();
    expect(await ask('GET', 'managed/thing/plain', { [SEEN]: seen })).toMatchObject({ body: { n: 1 } });
    expect((await ask('GET', 'managed/thing?_queryFilter=true', { [SEEN]: seen })).body.resultCount).toBe(1);
    const after = await counts();
    expect(after.replica).toBeGreaterThan(before.replica);
    expect(after.primary).toBe(before.primary);
    for (const strict of [{ 'Cache-Control': 'no-cache' }, { 'X-Svc-Consistency': 'strong' }])
      expect(await ask('GET', 'managed/thing/plain', strict)).toMatchObject({ body: { n: 1 } });
    expect(await counts()).toEqual(after);
  });

  it('asks the primary for what the standby does not have yet, and shows others what is not too old', async () => {
    await arrives((await write('late', 1)).seen);
    await pause();
    const { seen } = await write('late', 2);
    expect(await ask('GET', 'managed/thing/late')).toMatchObject({ body: { n: 1 } });
    const before = await counts();
    expect(await ask('GET', 'managed/thing/late', { [SEEN]: seen })).toMatchObject({ body: { n: 2 } });
    expect((await counts()).primary).toBeGreaterThan(before.primary);
    // Of another timeline nothing is known here.
    expect(await ask('GET', 'managed/thing/late', { [SEEN]: `9-${seen.split('-')[1]}` })).toMatchObject({
      body: { n: 2 },
    });
    expect(await ask('GET', 'managed/thing/late', { [SEEN]: 'none' })).toMatchObject({ body: { n: 2 } });
    await resume();
  });

  it('tells a browser by a cookie what it has written', async () => {
    await pause();
    const { cookie } = await ask('PUT', 'managed/thing/browser', { Cookie: 'a=b' }, { n: 1 });
    expect(cookie).toMatch(/^svc-lsn=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=60$/);
    const [own = ''] = (cookie ?? '').split(';');
    expect(await ask('GET', 'managed/thing/browser')).toMatchObject({ status: 404 });
    expect(await ask('GET', 'managed/thing/browser', { Cookie: own })).toMatchObject({ body: { n: 1 } });
    await resume();
  });

  it('lets nobody in by a session, a key or a role that is gone, however much the standby still has', async () => {
    const read = async (headers: Record<string, string>) => {
      const answer = await fetch(`${server.url}/svc/managed/thing/secret`, { headers });
      await answer.arrayBuffer();
      return answer.status;
    };
    const login = await ask('POST', 'authentication?_action=login', {}, {});
    const session = { Cookie: (login.cookie ?? '').split(';')[0] ?? '' };
    const roles = ['svc-admin'];
    const { key } = (await ask('PUT', 'apikey/reader', {}, { roles })).body;
    const ida = { 'X-Svc-Username': 'ida', 'X-Svc-Password': 'Reads-4-a-while' };
    await ask('PUT', 'repo/internal/user/ida', {}, { password: ida['X-Svc-Password'], roles });
    const ways = [session, { 'X-Svc-Api-Key': key ?? '' }, ida];
    await arrives((await write('secret', 1)).seen);
    const before = await counts();
    for (const way of ways) expect(await read(way)).toBe(200);
    expect((await counts()).replica).toBeGreaterThanOrEqual(before.replica + ways.length);
    await pause();
    const out = { method: 'POST', headers: { ...session, 'X-Requested-With': 'test' } };
    expect((await fetch(`${server.url}/svc/authentication?_action=logout`, out)).status).toBe(200);
    expect((await ask('DELETE', 'apikey/reader')).status).toBe(200);
    const less = { password: 'Reads-5-a-while', roles: ['svc-authorized'] };
    expect((await ask('PUT', 'repo/internal/user/ida', {}, less)).status).toBe(200);
    expect(await Promise.all(ways.map(read))).toEqual([401, 401, 401]);
    expect(await read({ ...ida, 'X-Svc-Password': less.password })).toBe(403);
    await resume();
  });

  it('grants nothing by a role of a user, an account or a rule about an object that is no more so', async () => {
    const asAda = async (path: string) => {
      const headers = { 'X-Svc-Username': 'ada', 'X-Svc-Password': PASSWORD };
      const answer = await fetch(`${server.url}/svc/managed/${path}`, { headers });
      await answer.arrayBuffer();
      return answer.status;
    };
    const patch = (path: string, field: string, value: unknown) =>
      ask('PATCH', path, {}, [{ operation: 'replace', field, value }]);
    const admins = [{ _ref: 'repo/internal/role/svc-admin' }];
    const ada = { userName: 'ada', password: PASSWORD, authzRoles: admins };
    expect((await ask('PUT', 'managed/user/ada', {}, ada)).status).toBe(201);
    await ask('PUT', 'managed/thing/gate', {}, { isOpen: true });
    await write('asked', 1);
    await arrives((await write('kept', 1)).seen);
    const before = await counts();
    for (const path of ['thing/kept', 'thing/asked', 'user/ada']) expect(await asAda(path)).toBe(200);
    expect((await counts()).replica).toBeGreaterThan(before.replica);
    await pause();
    expect((await patch('managed/user/ada', '/authzRoles', [])).status).toBe(200);
    expect(await Promise.all(['thing/kept', 'thing/asked', 'user/ada'].map(asAda))).toEqual([403, 200, 200]);
    expect((await patch('managed/thing/gate', '/isOpen', false)).status).toBe(200);
    expect(await Promise.all(['thing/asked', 'user/ada'].map(asAda))).toEqual([403, 200]);
    expect((await patch('managed/user/ada', '/password', `${PASSWORD}-2`)).status).toBe(200);
    expect(await asAda('user/ada')).toBe(401);
    await resume();
  });

  it('shows everybody what they have written, whenever replay stands still', async () => {
    const callers = ['ann', 'bob'];
    const deed = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ act: fc.constant('write' as const), caller: fc.constantFrom(...callers) }),
      },
      {
        weight: 4,
        arbitrary: fc.record({ act: fc.constant('read' as const), caller: fc.constantFrom(...callers) }),
      },
      fc.record({ act: fc.constant('pause' as const) }),
      fc.record({ act: fc.constant('resume' as const) }),
    );
    let written = 0;
    const before = await counts();
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 4, maxLength: 12 }), async (deeds) => {
        const last = new Map<string, { n: number; seen: string }>();
        for (const one of deeds) {
          if (one.act === 'pause') await pause();
          else if (one.act === 'resume') await resume();
          else if (one.act === 'write') {
            const n = ++written;
            last.set(one.caller, { n, seen: (await write(one.caller, n)).seen });
          } else {
            const own = last.get(one.caller);
            if (own === undefined) continue;
            const { body } = await ask('GET', `managed/thing/${one.caller}`, { [SEEN]: own.seen });
            expect(body.n).toBe(own.n);
          }
        }
        await resume();
      }),
      { numRuns: runs(60) },
    );
    const after = await counts();
    expect(after.primary).toBeGreaterThan(before.primary);
  });

  it('is told by svc doctor where no standby has to confirm what is acknowledged', async () => {
    const primary = openDatabase({ url: pair.primary.url, poolSize: 2 });
    await using _ = { [Symbol.asyncDispose]: () => primary.close() };
    const confirmedBy = async (names: string) => {
      await primary.pool.query(`alter system set synchronous_standby_names = '${names}'`);
      await primary.pool.query('select pg_reload_conf()');
      const shown = async () => (await primary.pool.query('show synchronous_standby_names')).rows[0];
      await expect.poll(shown).toEqual({ synchronous_standby_names: names });
    };
    expect(await findStandbyTrouble(primary.db)).toMatchObject([
      { id: 'COMMITS_UNCONFIRMED', subject: '1 standbys' },
    ]);
    await confirmedBy('*');
    expect(await findStandbyTrouble(primary.db)).toEqual([]);
    await confirmedBy('');
  });

  it('goes on without it', async () => {
    const { seen } = await write('alone', 1);
    await pair.standby.stop();
    await expect
      .poll(() => ask('GET', 'managed/thing/alone', { [SEEN]: seen }))
      .toMatchObject({ status: 200, body: { n: 1 } });
    expect((await ask('GET', 'health/ready').catch(() => ({ status: 0 }))).status).not.toBe(500);
    expect(await write('alone', 2)).toMatchObject({ status: 200 });
    expect(await ask('GET', 'managed/thing/alone')).toMatchObject({ body: { n: 2 } });
  });
});
