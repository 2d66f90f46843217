import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api, CallOptions } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PASSWORD = 'Passw0rd-of-users';
const CONFIGURED = 'configured.secret-of-the-configuration-file';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
  const body = { userName: 'ada', password: PASSWORD, givenName: 'A', sn: 'N', mail: 'ada@example.com' };
  expect((await api('PUT', 'managed/user/ada', { body })).status).toBe(201);
});
afterAll(() => server?.[Symbol.asyncDispose]());

const withKey = (key: string, method = 'GET', path = 'info/login', options: CallOptions = {}) =>
  api(method, path, { user: null, ...options, headers: { 'X-Svc-Api-Key': key, ...options.headers } });
const asAda = (method: string, path: string, options: CallOptions = {}) =>
  api(method, path, { user: 'ada', password: PASSWORD, ...options });

async function makeKey(id: string, body: object = { roles: ['svc-authorized'] }): Promise<string> {
  const made = await api('PUT', `apikey/${id}`, { body });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body.key;
}

describe('a role that nothing knows', () => {
  const said = (role: string, hint: string) =>
    `No rule of script/access.js, no configuration and no role has the name '${role}'. ${hint}`;
  const slip = said('svc-authorised', "Did you mean 'svc-authorized'?");

  it('is told to whoever gives it to a key or to an account, with what may be meant', async () => {
    await api('PUT', 'managed/role/reader', { body: { name: 'reader', description: 'Reads' } });
    await api('PUT', 'repo/internal/role/clerk', { body: {} });
    const roles = ['svc-authorised', 'svc-admin', 'managed/role/reader', 'reader', 'clerk'];
    const made = await api('PUT', 'apikey/slips', { body: { roles } });
    expect([made.status, made.body.warnings]).toEqual([201, [slip]]);
    // Later reads do not repeat it.
    expect((await api('GET', 'apikey/slips')).body).not.toHaveProperty('warnings');

    const account = { password: PASSWORD, roles: 'clerk,SVC-Admin' };
    const written = await api('PUT', 'repo/internal/user/robot', { body: account });
    expect([written.status, written.body.warnings]).toEqual([201, undefined]);
    const again = await api('PUT', 'repo/internal/user/drone', { body: { ...account, roles: 'clark' } });
    expect(again.body.warnings, JSON.stringify(again.body)).toEqual([said('clark', "Did you mean 'clerk'?")]);
    for (const path of ['apikey/slips', 'repo/internal/user/robot', 'repo/internal/user/drone'])
      await api('DELETE', path);
  });

  it('is told of the modules and keys of authentication.json', async () => {
    const { _id, _rev, ...before } = (await api('GET', 'config/authentication')).body;
    const properties = {
      keys: [{ id: 'k', hash: 'x'.repeat(43), roles: ['svc-admin', 'svc-authorised'] }],
      defaultUserRoles: ['nothing-like-it'],
    };
    const modules = [...before.serverAuthContext.authModules, { name: 'API_KEY', enabled: true, properties }];
    const serverAuthContext = { ...before.serverAuthContext, authModules: modules };
    const body = { content: { ...before, serverAuthContext } };
    const plan = await api('POST', 'config/authentication?_action=plan', { body });
    const doubts = plan.body.warnings.filter(({ id }: { id: string }) => id === 'AUTH_UNKNOWN_ROLE');
    expect(doubts).toMatchObject([
      { message: expect.stringContaining("'nothing-like-it'") },
      { message: expect.stringContaining("'svc-authorised'"), hint: "Did you mean 'svc-authorized'?" },
    ]);

    // So is whoever changes the file, by the log.
    await server.project.write('conf/authentication.json', JSON.stringify(body.content));
    const { finding } = await server.observed(
      'config.warned',
      ({ finding }) => finding?.hint === "Did you mean 'svc-authorized'?",
    );
    expect(finding).toMatchObject({
      id: 'AUTH_UNKNOWN_ROLE',
      where: expect.stringMatching(/authentication\.json:\d/),
    });
    await server.project.write('conf/authentication.json', JSON.stringify(before));
  });
});

describe('API keys', () => {
  it('let a program in with their roles, are shown once, and are worth nothing when they are deleted', async () => {
    const made = await api('PUT', 'apikey/reports', {
      body: { roles: ['svc-authorized', 'reporting'], description: 'Nightly reports' },
    });
    expect(made.status).toBe(201);
    const { key, ...shown } = made.body;
    expect(shown).toMatchObject({
      _id: 'reports',
      roles: ['svc-authorized', 'reporting'],
      description: 'Nightly reports',
      createdBy: 'repo/internal/user/svc-admin',
      lastUsedAt: null,
      expiresAt: null,
    });
    const { authenticationId, authorization } = (await withKey(key)).body;
    expect({ authenticationId, ...authorization }).toMatchObject({
      authenticationId: 'reports',
      component: 'apikey',
      id: 'reports',
      roles: ['svc-authorized', 'reporting'],
      moduleId: 'API_KEY',
    });
    const read = await api('GET', 'apikey/reports');
    expect(Date.parse(read.body.lastUsedAt)).toBeGreaterThan(Date.parse(read.body.createdAt) - 1);
    expect(JSON.stringify(read.body)).not.toContain(key.split('.')[1]);
    expect(JSON.stringify(read.body)).not.toContain(hash('sha256', key, 'base64url'));
    const listed = await api('GET', `apikey?_queryFilter=${encodeURIComponent('createdBy co "admin"')}`);
    expect(listed.body.result).toEqual([read.body]);

    expect((await api('DELETE', 'apikey/reports')).status).toBe(200);
    expect((await withKey(key)).status).toBe(401);
    expect((await api('GET', 'apikey/reports')).status).toBe(404);
    const { body } = await api(
      'GET',
      `audit/activity?_queryFilter=${encodeURIComponent('objectId eq "apikey/reports"')}`,
    );
    expect(body.result.map(({ operation }: { operation: string }) => operation).sort()).toEqual([
      'CREATE',
      'DELETE',
    ]);
    expect(JSON.stringify(body)).not.toContain(key.split('.')[1]);
  });

  it('are not let in by another secret, another id, or after their end', async () => {
    const key = await makeKey('short', {
      roles: ['svc-authorized'],
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    expect((await withKey(key)).status).toBe(200);
    for (const other of [`${key}x`, key.slice(0, -1), key.replace('short', 'other'), '.', 'short.', '']) {
      expect((await withKey(other)).status, other).toBe(401);
    }
    await sql`update auth_api_key set expires_at = now() - interval '1 second' where id = 'short'`.execute(
      server.database.db,
    );
    expect((await withKey(key)).status).toBe(401);
    expect((await api('GET', 'apikey/short')).status).toBe(200);
  });

  it('are made, seen and deleted by administrators alone', async () => {
    await makeKey('program');
    for (const [call, status] of [
      [asAda, 403],
      [
        (method: string, path: string, options: CallOptions = {}) =>
          api(method, path, { ...options, user: null }),
        401,
      ],
      [
        async (method: string, path: string, options: CallOptions = {}) =>
          withKey(await programKey(), method, path, options),
        403,
      ],
    ] as const) {
      const body = { roles: ['svc-admin'] };
      const headers = { 'X-Requested-With': 'XMLHttpRequest' };
      expect((await call('PUT', 'apikey/mine', { body, headers })).status).toBe(status);
      expect(
        (await call('POST', 'apikey?_action=create', { body: { _id: 'mine', ...body }, headers })).status,
      ).toBe(status);
      expect((await call('GET', 'apikey?_queryFilter=true')).status).toBe(status);
      expect((await call('GET', 'apikey/program')).status).toBe(status);
      expect((await call('DELETE', 'apikey/program', { headers })).status).toBe(status);
    }
    expect((await api('GET', 'apikey/mine')).status).toBe(404);
    expect((await api('GET', 'apikey/program')).status).toBe(200);
  });

  it('cannot be made or deleted with the cookie of a session alone', async () => {
    const login = await api('POST', 'authentication?_action=login');
    const headers = { Cookie: login.headers.get('Set-Cookie')!.split(';')[0]!, 'X-Requested-With': 'x' };
    const options = { user: null, headers, body: { roles: ['svc-admin'] } };
    expect((await api('PUT', 'apikey/stolen', options)).body.detail.id).toBe('ACCESS_NEEDS_REAUTHENTICATION');
    expect((await api('GET', 'apikey/stolen')).status).toBe(404);
  });

  it('that are rehearsed are not made, and have no key to show', async () => {
    const rehearsed = await api('PUT', 'apikey/never?_dryRun=true', { body: { roles: ['svc-authorized'] } });
    expect(rehearsed.status).toBe(200);
    expect(rehearsed.body).not.toHaveProperty('key');
    expect((await api('GET', 'apikey/never')).status).toBe(404);
  });

  it('begin sessions that end with them', async () => {
    const key = await makeKey('browser');
    const login = await withKey(key, 'POST', 'authentication?_action=login');
    expect(login.status).toBe(200);
    const Cookie = login.headers.get('Set-Cookie')!.split(';')[0]!;
    const look = () => api('GET', 'info/login', { user: null, headers: { Cookie, 'X-Requested-With': 'x' } });
    expect((await look()).body.authorization.component).toBe('apikey');
    expect((await api('DELETE', 'apikey/browser')).status).toBe(200);
    expect((await look()).status).toBe(401);
  });

  it('make no keys, nor do sessions that they have begun', async () => {
    const administrator = await makeKey('automation', { roles: ['svc-admin'] });
    const login = await withKey(administrator, 'POST', 'authentication?_action=login');
    const Cookie = login.headers.get('Set-Cookie')!.split(';')[0]!;
    const options = { body: { roles: ['svc-admin'] } };
    expect((await withKey(administrator, 'GET', 'apikey?_queryFilter=true')).status).toBe(200);
    for (const refused of [
      await withKey(administrator, 'PUT', 'apikey/child', options),
      await withKey(administrator, 'POST', 'apikey?_action=create', {
        body: { _id: 'child', ...options.body },
      }),
    ]) {
      expect([refused.status, refused.body.detail.id]).toEqual([403, 'APIKEY_BY_KEY']);
    }
    const headers = { Cookie, 'X-Requested-With': 'x' };
    expect((await api('PUT', 'apikey/child', { user: null, headers, ...options })).status).toBe(403);
    expect((await api('GET', 'apikey/child')).status).toBe(404);
  });

  it('outlive whoever has made them, and are found by that name', async () => {
    const authzRoles = [{ _ref: 'repo/internal/role/svc-admin' }];
    const body = { userName: 'zoe', password: PASSWORD, givenName: 'Z', sn: 'O', mail: 'zoe@example.com' };
    expect((await api('PUT', 'managed/user/zoe', { body: { ...body, authzRoles } })).status).toBe(201);
    const options = { user: 'zoe', password: PASSWORD, body: { roles: ['svc-authorized'] } };
    const { key } = (await api('PUT', 'apikey/left', options)).body;
    expect((await api('DELETE', 'managed/user/zoe')).status).toBe(200);
    expect((await withKey(key)).status).toBe(200);
    const filter = encodeURIComponent('createdBy eq "managed/user/zoe"');
    const { result } = (await api('GET', `apikey?_queryFilter=${filter}`)).body;
    expect(result.map(({ _id }: { _id: string }) => _id)).toEqual(['left']);
  });

  it('take what they have kept with them, so that the next key of the same id does not find it', async () => {
    const kept = async (key: string, kind: string) =>
      (await withKey(key, 'GET', `${kind}?_queryFilter=true`)).body.result.length;
    const first = await makeKey('reused');
    for (const kind of ['draft', 'preference']) {
      await withKey(first, 'PUT', `${kind}/mine`, { body: { value: 'kept' } });
      expect(await kept(first, kind)).toBe(1);
    }
    await api('DELETE', 'apikey/reused');
    const next = await makeKey('reused');
    for (const kind of ['draft', 'preference']) expect(await kept(next, kind)).toBe(0);
  });

  it('leave their operations to nobody', async () => {
    const key = await makeKey('bulk', { roles: ['svc-authorized', 'svc-admin'] });
    const body = {
      act: 'delete',
      resource: 'managed/user',
      queryFilter: 'userName eq "nobody"',
      dryRun: true,
    };
    const { status, body: made } = await withKey(key, 'POST', 'operation', { body });
    expect(status, JSON.stringify(made)).toBe(201);
    await api('DELETE', 'apikey/bulk');
    expect((await api('GET', `operation/${made._id}`)).body.owner).toBe('apikey/bulk (deleted)');
  });

  it.each([
    ['no roles', {}, 'APIKEY_BAD', '/roles'],
    ['roles that are no list', { roles: 'svc-admin' }, 'APIKEY_BAD', '/roles'],
    ['an end that is over', { roles: ['a'], expiresAt: '2001-01-01T00:00:00Z' }, 'APIKEY_BAD', '/expiresAt'],
    ['an end that is no time', { roles: ['a'], expiresAt: 'tomorrow' }, 'APIKEY_BAD', '/expiresAt'],
    [
      'an end on a day that there is not',
      { roles: ['a'], expiresAt: '2030-02-31T00:00:00Z' },
      'APIKEY_BAD',
      '/expiresAt',
    ],
    ['a member that keys have not', { roles: ['a'], hash: 'x' }, 'APIKEY_BAD', '/hash'],
    ['a long description', { roles: ['a'], description: 'x'.repeat(201) }, 'APIKEY_BAD', '/description'],
  ])('are refused with %s', async (_, body, id, field) => {
    const refused = await api('PUT', 'apikey/bad', { body });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toMatchObject({ id, field });
  });

  it('have ids that are written plainly, once, and never change', async () => {
    await makeKey('once');
    const body = { roles: ['svc-authorized'] };
    expect((await api('PUT', 'apikey/a%20b', { body })).body.detail.id).toBe('APIKEY_BAD_ID');
    expect((await api('POST', 'apikey?_action=create', { body })).body.detail.id).toBe('APIKEY_BAD_ID');
    expect(
      (await api('POST', 'apikey?_action=create', { body: { ...body, _id: 'once' } })).body.detail.id,
    ).toBe('APIKEY_EXISTS');
    const again = await api('PUT', 'apikey/once', { body });
    expect([again.status, again.body.detail]).toEqual([
      409,
      { id: 'APIKEY_EXISTS', hint: 'A key is never changed: make another one, and delete it' },
    ]);
  });
});

describe('API keys beside those of the configuration', () => {
  it('have other ids, need the module, and one that takes the place of another has nothing of it', async () => {
    const before = (await api('GET', 'config/authentication')).body;
    const modules = before.serverAuthContext.authModules;
    const withModule = (module: object) => ({
      ...before,
      serverAuthContext: {
        ...before.serverAuthContext,
        authModules: [
          ...modules.filter(({ name }: { name: string }) => !['API_KEY', 'STATIC_USER'].includes(name)),
          module,
        ],
      },
    });
    const entry = {
      id: 'configured',
      hash: hash('sha256', CONFIGURED, 'base64url'),
      roles: ['svc-authorized'],
    };
    const key = await makeKey('stored');
    const put = async (module: object) => {
      const { status, body } = await api('PUT', 'config/authentication', { body: withModule(module) });
      expect(status, JSON.stringify(body)).toBe(200);
    };

    await put({ name: 'API_KEY', properties: { keys: [entry] } });
    expect((await withKey(CONFIGURED)).body.authorization.component).toBe('authentication/api-key');
    expect((await withKey(key)).status).toBe(200);
    const taken = await api('PUT', 'apikey/configured', { body: { roles: ['svc-authorized'] } });
    expect(taken.body.detail.id).toBe('APIKEY_CONFIGURED');

    const other = 'configured.another-secret-of-the-configuration-file';
    const otherEntry = { ...entry, hash: hash('sha256', other, 'base64url') };
    const of = (...keys: object[]) => ({ name: 'API_KEY', properties: { keys } });
    const sessions = async () =>
      (await api('GET', 'session?_queryFilter=true')).body.result.filter(
        ({ user }: { user: string }) => user === 'authentication/api-key/configured',
      );
    const kept = async (shown: string) =>
      (await withKey(shown, 'GET', 'draft?_queryFilter=true')).body.result.length;
    await withKey(CONFIGURED, 'PUT', 'draft/mine', { body: { value: 'kept' } });
    await withKey(CONFIGURED, 'POST', 'authentication?_action=login');
    expect([await kept(CONFIGURED), (await sessions()).length]).toEqual([1, 1]);
    await put(of({ ...entry, roles: ['svc-authorized', 'desk'] }));
    expect([await kept(CONFIGURED), (await sessions()).length]).toEqual([1, 1]);
    await put(of(otherEntry));
    expect([await kept(other), await sessions()]).toEqual([0, []]);
    await withKey(other, 'PUT', 'draft/mine', { body: { value: 'of the other' } });
    await put(of(entry));
    expect(await kept(CONFIGURED)).toBe(0);

    await put({ name: 'API_KEY', enabled: false, properties: { keys: [] } });
    expect((await withKey(key)).status).toBe(401);
    const useless = await api('PUT', 'apikey/useless', { body: { roles: ['svc-authorized'] } });
    expect(useless.body.detail.id).toBe('APIKEY_NO_MODULE');
  });
});

/** Of a program that is there for one question. */
let program: string | undefined;
async function programKey(): Promise<string> {
  program ??= await makeKey('asker');
  return program;
}
