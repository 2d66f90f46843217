import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { databaseEnvironment, type TestDatabase } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const PASSWORD = 'Passw0rd-of-users';
const KEY = 'robot.0123456789abcdef0123456789abcdef';

let test: TestDatabase;
let server: TestServer;

const api: TestServer['api'] = (...call) => server.api(...call);
const whoAmI = (headers: Record<string, string>) => api('GET', 'info/login', { user: null, headers });
const password = (user: string, text = PASSWORD) => ({ 'X-Svc-Username': user, 'X-Svc-Password': text });
/** The tests come from 127.0.0.1, so they are the trusted proxy of the callers they name. */
const guess = (user: string, text: string, address: string) =>
  whoAmI({ ...password(user, text), 'X-Forwarded-For': address });

const users = { queryOnResource: 'managed/user', defaultUserRoles: ['svc-authorized'] };
const key = {
  id: 'robot',
  hash: createHash('sha256').update(KEY).digest('base64url'),
  roles: ['svc-authorized'],
};
const modules = {
  serverAuthContext: {
    authModules: [
      ...['robin', 'nobody-special'].map((username) => ({
        name: 'STATIC_USER',
        properties: {
          username,
          password: PASSWORD,
          defaultUserRoles: username === 'robin' ? ['svc-authorized'] : ['svc-reg'],
        },
      })),
      { name: 'MANAGED_USER', properties: users },
      { name: 'INTERNAL_USER', properties: { queryOnResource: 'repo/internal/user' } },
      { name: 'API_KEY', properties: { keys: [key] } },
    ],
  },
};

beforeAll(async () => {
  test = await createSchemaDatabase();
  server = await startTestServer({
    database: test,
    files: { 'conf/authentication.json': modules },
    environment: { SVC_TRUSTED_PROXIES: '127.0.0.0/8' },
  });
  for (const name of ['ada', 'zoë', 'gil', 'hal', 'ivy']) {
    const body = {
      userName: name,
      password: PASSWORD,
      givenName: name,
      sn: 'Nagy',
      mail: `${name.codePointAt(1)}@example.com`,
    };
    expect((await api('PUT', `managed/user/${encodeURIComponent(name)}`, { body })).status).toBe(201);
  }
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await test[Symbol.asyncDispose]();
});

const countsOf = async (user: string) =>
  (
    await server.database.pool.query(
      'select kind, address, failures, blocked_until from svc_login_throttle where account = login_account($1) order by kind, address',
      [user],
    )
  ).rows;
/** As after many more failures. */
const block = (what: string) =>
  server.database.pool.query(
    `update login_failure set blocked_until = now() + interval '1 hour' where key like ${what}`,
  );

describe('guessing', () => {
  /** The first wait is a second, which may be over when the next guess comes; each one after it is twice as long. */
  const refused = (headers: Record<string, string>) =>
    eventually(
      () => whoAmI(headers),
      ({ status }) => status === 429,
    );

  it('has to wait at a user of the configuration, too, unless anybody may be that one', async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await guess('robin', 'guess', '203.0.113.90')).status).toBe(401);
    }
    await block("'pair % 203.0.113.90'");
    expect((await guess('robin', PASSWORD, '203.0.113.90')).status).toBe(429);
    expect((await guess('robin', PASSWORD, '203.0.113.91')).status).toBe(200);
    for (let attempt = 0; attempt < 7; attempt += 1) await guess('nobody-special', 'guess', '203.0.113.92');
    expect((await guess('nobody-special', PASSWORD, '203.0.113.92')).status).toBe(200);
  });

  it('has to wait after five wrong passwords, alike for names that exist and names that do not', async () => {
    for (const name of ['zoë', 'nobody']) {
      const headers = { 'X-Svc-Username': `UTF-8''${encodeURIComponent(name)}`, 'X-Svc-Password': 'guess' };
      for (let attempt = 0; attempt < 5; attempt += 1) expect((await whoAmI(headers)).status).toBe(401);
      const { body, headers: answered } = await refused(headers);
      expect([body.detail.id, Number(answered.get('Retry-After')) > 0]).toEqual(['AUTH_THROTTLED', true]);
    }
  });

  it('does not lock out who is known already', async () => {
    expect((await api('GET', 'info/login')).status).toBe(200);
    await refused(password('ada', 'guess'));
    expect((await api('GET', 'info/login')).status).toBe(200);
  });

  it('has to wait however the name is written that it is about', async () => {
    const written = (at: number) => encodeURIComponent(`z${'\u200b'.repeat(at)}oë`);
    const wrong = (at: number) => ({ 'X-Svc-Username': `UTF-8''${written(at)}`, 'X-Svc-Password': 'guess' });
    await block("'pair ' || login_account('zoë') || ' 127.0.0.1'");
    for (let at = 0; at < 5; at += 1) expect((await whoAmI(wrong(at))).status).toBe(429);
  });

  it('knows no name that is longer than names are, whatever is not seen of it', async () => {
    const written = (length: number) => ({
      Authorization: `Basic ${Buffer.from(`a${'\u00ad'.repeat(length - 3)}da:${PASSWORD}`).toString('base64')}`,
      'X-Forwarded-For': '203.0.113.10',
    });
    expect((await whoAmI(written(2_700))).status).toBe(200);
    expect((await whoAmI(written(2_701))).status).toBe(401);
  });

  it('finds nothing out about a password that comes in elsewhere', async () => {
    expect((await guess('ivy', PASSWORD, '203.0.113.5')).status).toBe(200);
    expect((await guess('ivy', 'guess', '203.0.113.6')).status).toBe(401);
    await block("'pair ' || login_account('ivy') || ' 203.0.113.6'");
    expect((await guess('ivy', 'guess', '203.0.113.6')).status).toBe(429);
    expect((await guess('ivy', PASSWORD, '203.0.113.6')).status).toBe(429);
    expect((await guess('ivy', PASSWORD, '203.0.113.5')).status).toBe(200);
  });

  it('compares no more than it may however many guesses come at once', async () => {
    const startedAt = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, at) => guess('hal', `guess-${at}`, '203.0.113.1')),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    const compared = answers.filter(({ status }) => status === 401).length;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    // After five one more is compared when a second has passed, the next after two more, and so on.
    expect(compared).toBeLessThanOrEqual(5 + Math.floor(Math.log2(seconds + 1)));
    expect((await countsOf('hal')).find(({ kind }) => kind === 'pair').failures).toBe(compared);
    expect((await guess('hal', PASSWORD, '203.0.113.2')).status).toBe(200);
  });

  it('counts for nothing while it has to wait', async () => {
    await block("'pair %203.0.113.1'");
    const before = await countsOf('hal');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => guess('hal', `more-${at}`, '203.0.113.1')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
    expect(await countsOf('hal')).toEqual(before);
  });

  it('of tokens and keys locks nobody out, and is bounded by itself', async () => {
    const from = { 'X-Forwarded-For': '203.0.113.3' };
    const wrong = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        whoAmI({
          ...from,
          ...(at % 2 === 0 ? { Authorization: 'Bearer a.b.c' } : { 'X-Svc-Api-Key': 'robot.x' }),
        }),
      ),
    );
    expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect(wrong.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(60);
    const counted = await server.database.pool.query(
      "select 1 from login_failure where key like '%203.0.113.3'",
    );
    expect(counted.rowCount).toBe(0);
    expect((await whoAmI({ ...from, 'X-Svc-Api-Key': KEY })).status).toBe(200);
    expect((await whoAmI({ ...from, ...password('ivy') })).status).toBe(200);
  });

  it('beside a key that is right is a guess all the same: recorded, and as slow for names that nobody has', async () => {
    for (const name of ['gil', 'nobody-at-all']) {
      const headers = {
        ...password(name, 'guess'),
        'X-Svc-Api-Key': KEY,
        'X-Forwarded-For': '203.0.113.120',
      };
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const { status, body } = await whoAmI(headers);
        expect([status, body.authenticationId]).toEqual([200, 'robot']);
      }
      await block("'pair % 203.0.113.120'");
      expect((await whoAmI(headers)).status).toBe(429);
      await eventually(
        async () =>
          (
            await api(
              'GET',
              `audit/authentication?_queryFilter=principal+eq+"${name}"+and+result+eq+"FAILED"`,
            )
          ).body.resultCount,
        (count) => count >= 5,
      );
    }
  });

  it('locks out no administrator, also when the configuration of logins changes meanwhile', async () => {
    const from = { 'X-Forwarded-For': '203.0.113.4' };
    expect((await api('GET', 'info/login', { headers: from })).status).toBe(200);
    await Promise.all(Array.from({ length: 6 }, (_, at) => guess('svc-admin', `guess-${at}`, '203.0.113.4')));
    await block("'%203.0.113.4'");
    expect((await api('PUT', 'config/authentication', { body: modules, headers: from })).status).toBe(200);
    expect((await api('GET', 'info/login', { headers: from })).status).toBe(200);
    expect((await guess('svc-admin', 'wrong', '203.0.113.4')).status).toBe(429);
  });

  it('counts a network of IPv6 as one caller', async () => {
    const answers: number[] = [];
    for (let at = 1; at <= 5; at += 1) answers.push((await guess('ivy', 'guess', `2001:db8::${at}`)).status);
    expect(answers).toEqual([401, 401, 401, 401, 401]);
    await block("'pair %2001:db8:0:0::/64'");
    expect((await guess('ivy', 'guess', '2001:db8::6')).status).toBe(429);
    expect((await guess('ivy', 'guess', '2001:db8:0:1::6')).status).toBe(401);
  });

  it('from everywhere keeps nobody out who knows the password, least of all where they came in before', async () => {
    const home = '198.51.100.1';
    const change = async (value: string) => {
      const body = [{ operation: 'replace', field: '/password', value }];
      expect((await api('PATCH', 'managed/user/gil', { body })).status).toBe(200);
    };
    expect((await guess('gil', PASSWORD, home)).status).toBe(200);
    for (let at = 0; at < 100; at += 10) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, each) => guess('gil', `guess-${at + each}`, `192.0.2.${at + each}`)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(401));
    }
    // Nothing is remembered of a new password, so that it must be compared.
    await change('Another-Passw0rd');
    expect((await guess('gil', 'Another-Passw0rd', '198.51.100.3')).status).toBe(200);
    // When there is no end to it others wait for their turn, and home stays open.
    await block("'account ' || login_account('gil')");
    await change(PASSWORD);
    expect((await guess('gil', PASSWORD, '198.51.100.4')).status).toBe(429);
    expect((await guess('gil', 'wrong', home)).status).toBe(401);
    expect((await guess('gil', PASSWORD, home)).status).toBe(200);
  });

  it('is forgiven by an administrator, who sees whom it keeps out', async () => {
    const lockout = 'authentication/lockout';
    const body = { userName: 'gil' };
    await block("'account ' || login_account('gil')");
    expect((await guess('gil', 'wrong', '198.51.100.7')).status).toBe(429);
    expect((await api('GET', `${lockout}/gil`)).body).toMatchObject({ _id: 'gil', blocked: true });
    const filter = encodeURIComponent('blocked eq true and kind eq "account"');
    const { result } = (await api('GET', `${lockout}?_queryFilter=${filter}`)).body;
    expect(result).toEqual([expect.objectContaining({ kind: 'account', blocked: true })]);
    for (const [method, path] of [
      ['GET', `${lockout}/gil`],
      ['GET', `${lockout}?_queryFilter=true`],
      ['POST', `${lockout}?_action=unlock`],
      ['DELETE', `${lockout}/gil`],
    ] as const) {
      const asAda = { user: 'ada', password: PASSWORD, ...(method === 'POST' ? { body } : {}) };
      expect((await api(method, path, asAda)).status, `${method} ${path}`).toBe(403);
    }
    const nobody = await api('POST', `${lockout}?_action=unlock`, { body: {} });
    expect([nobody.status, nobody.body.detail.id]).toEqual([400, 'AUTH_UNLOCK_WHOM']);
    for (const [method, path] of [
      ['POST', `${lockout}?_action=unlock&_dryRun=true`],
      ['DELETE', `${lockout}/gil?_dryRun=true`],
    ] as const) {
      const rehearsed = await api(method, path, method === 'POST' ? { body } : {});
      expect(rehearsed.status, `${method} ${path}`).toBe(200);
    }
    expect((await guess('gil', 'wrong', '198.51.100.7')).status).toBe(429);
    expect((await api('POST', `${lockout}?_action=unlock`, { body })).body.forgotten).toBeGreaterThan(0);
    expect((await guess('gil', 'wrong', '198.51.100.7')).status).toBe(401);
    expect((await api('DELETE', `${lockout}/gil`)).status).toBe(200);
    expect((await api('DELETE', `${lockout}/gil`)).status).toBe(404);
  });

  it('is forgiven on the command line, where nobody needs to log in', async () => {
    const svc = async (...args: string[]) => {
      const env = { ...process.env, ...databaseEnvironment(test.url) };
      const { stdout } = await promisify(execFile)(process.execPath, ['src/main.ts', 'unlock', ...args], {
        env,
      });
      return stdout.trim();
    };
    const far = () => guess('svc-admin', 'wrong', '198.51.100.8');
    expect((await far()).status).toBe(401);
    for (const [what, ...args] of [
      ["'pair %198.51.100.8'", 'svc-admin'],
      ["'address 198.51.100.8'", '--address', '198.51.100.8'],
    ] as const) {
      await block(what);
      expect((await far()).status).toBe(429);
      expect(await svc(...args)).toBe(`${args.at(-1)} may log in.`);
      expect((await far()).status).toBe(401);
    }
    expect(await svc('nobody-of-that-name')).toBe('No login has failed there of late.');
  });
});
