import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const PASSWORD = 'Passw0rd-of-users';

let server: TestServer;
let api: Api;

const user = (userName: string) => ({
  userName,
  password: PASSWORD,
  givenName: 'Given',
  sn: 'Nagy',
  mail: 'somebody@example.com',
});
const create = (userName: string, id = encodeURIComponent(userName)) =>
  api('PUT', `managed/user/${id}`, { body: user(userName), headers: { 'If-None-Match': '*' } });
const logIn = async (userName: string) => {
  const headers = {
    'X-Svc-Username': `UTF-8''${encodeURIComponent(userName)}`,
    'X-Svc-Password': PASSWORD,
  };
  return (await api('GET', 'info/login', { user: null, headers })).body.authorization?.id;
};
const rename = (id: string, value: string) =>
  api('PATCH', `managed/user/${id}`, { body: [{ operation: 'replace', field: '/userName', value }] });

beforeAll(async () => {
  const database = await createSchemaDatabase();
  // Accounts of a time when names were not noted: two of them share one.
  const before = await startTestServer({ database });
  for (const name of ['old', 'zora']) {
    const { status } = await before.api('PUT', `managed/user/${name}`, { body: user(name) });
    expect(status).toBe(201);
  }
  await before.database.pool.query(`delete from login_name`);
  await before.database.pool.query(
    `insert into managed_object (type, id, data)
     select type, 'zora2', data || '{"userName": "Zora"}' from managed_object where id = 'zora'`,
  );
  await before[Symbol.asyncDispose]();
  server = await startTestServer({ database });
  api = server.api;
  expect((await create('alice')).status).toBe(201);
  expect((await create('coco')).status).toBe(201);
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('the name of an account', () => {
  it.each(['Alice', 'alice ', 'ａｌｉｃｅ', 'ali\u200bce', 'сосо', 'аlice', 'anonymous', 'Svc-Admin', 'OLD'])(
    '%j is refused, since it looks like that of somebody else, or like nobody’s',
    async (name) => {
      const { status, body } = await create(name);
      expect([status, body.detail.failedPolicyRequirements[0].property]).toEqual([403, 'userName']);
      expect((await rename('coco', name)).status).toBe(name === 'сосо' ? 200 : 403);
      expect((await rename('coco', 'coco')).status).toBe(200);
    },
  );

  it.each(['Жанна', 'Сара', 'たろう', 'zoë'])('%j may be anybody’s', async (name) => {
    expect((await create(name)).status).toBe(201);
    expect((await create(name.toUpperCase(), 'other')).status).toBe(403);
    expect(await logIn(name)).toBe(name);
  });

  it('is found however it is written, and callers are known by it as it stands', async () => {
    for (const written of ['ALICE', ' alice', 'ａlice', 'alice']) expect(await logIn(written)).toBe('alice');
    const headers = { 'X-Svc-Username': 'ALICE', 'X-Svc-Password': PASSWORD };
    const { body } = await api('GET', 'info/login', { user: null, headers });
    expect(body.authenticationId).toBe('alice');
    expect(await logIn('аӏісе')).toBeUndefined();
  });

  it('is free again when it is given up', async () => {
    expect((await create('carl')).status).toBe(201);
    expect((await rename('carl', 'karl')).status).toBe(200);
    expect((await create('Carl')).status).toBe(201);
    expect((await api('DELETE', 'managed/user/karl')).status).toBe(404);
    expect((await api('DELETE', 'managed/user/carl')).status).toBe(200);
    expect((await create('KARL')).status).toBe(201);
  });

  it('is given to one of many who want it at the same moment', async () => {
    const names = ['dora', 'Dora', 'DORA', 'dora ', 'dorA', 'dOra'];
    const answers = await Promise.all(names.map((name, index) => create(name, `dora${index}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403, 403, 403]);
  });

  it('is that of an internal user, too', async () => {
    expect((await create('erna')).status).toBe(201);
    const body = { password: 'Passw0rd-of-erna', roles: [] };
    for (const path of ['repo/internal/user/Erna', 'repo/internal/user/erna', 'internal/user/Erna']) {
      expect((await api('PUT', path, { body })).status).toBe(403);
    }
    expect((await api('PUT', 'repo/internal/user/fritz', { body })).status).toBe(201);
    expect((await create('Fritz')).status).toBe(403);
  });

  it('is not that of a user of the configuration, and the log tells where one has become that since', async () => {
    const body = { password: 'Passw0rd-of-hugo', roles: [] };
    for (const path of [
      'repo/internal/user/anonymous',
      'internal/user/Anonymous',
      'repo/internal/user/system',
    ]) {
      const answer = await api('PUT', path, { body });
      expect([answer.status, answer.body.detail]).toEqual([
        403,
        expect.objectContaining({
          id: 'AUTH_NAME_REFUSED',
          hint: expect.stringContaining('conf/authentication.json'),
        }),
      ]);
      expect((await api('GET', path)).status).toBe(404);
    }
    expect((await api('PUT', 'repo/internal/user/hugo', { body })).status).toBe(201);
    const { _id, ...config } = (await api('GET', 'config/authentication')).body;
    const robot = {
      name: 'STATIC_USER',
      properties: { username: 'Hugo', password: 'Passw0rd-of-a-robot', defaultUserRoles: ['svc-reg'] },
    };
    const authModules = [...config.serverAuthContext.authModules, robot];
    const changed = { ...config, serverAuthContext: { ...config.serverAuthContext, authModules } };
    expect((await api('PUT', 'config/authentication', { body: changed })).status).toBe(200);
    const told = await server.observed('config.warned', (said) => said.message.includes('user/hugo'));
    expect(told.message).toMatch(/^repo\/internal\/user\/hugo has the name of a user of authentication.json/);
    const { _id: _, ...now } = (await api('GET', 'config/authentication')).body;
    now.serverAuthContext.authModules.pop();
    expect((await api('PUT', 'config/authentication', { body: now })).status).toBe(200);
  });

  it('is noted for accounts that were made while nobody logged in where they stand', async () => {
    type Module = { name: string; enabled?: boolean };
    const enable = async (enabled: boolean) => {
      const { _id, ...config } = (await api('GET', 'config/authentication')).body;
      const modules: Module[] = config.serverAuthContext.authModules;
      for (const module of modules) if (module.name === 'MANAGED_USER') module.enabled = enabled;
      return (await api('PUT', 'config/authentication', { body: config })).status;
    };
    const off = await enable(false);
    const made = await create('greta');
    expect([off, await enable(true)]).toEqual([200, 200]);
    expect(made.status).toBe(201);
    await eventually(
      async () => (await server.database.pool.query("select from login_name where id = 'greta'")).rows,
      (rows) => rows.length === 1,
    );
    const body = { password: 'Passw0rd-of-greta', roles: [] };
    expect((await api('PUT', 'repo/internal/user/Greta', { body })).status).toBe(403);
  });

  it('is noted for accounts that were there before, and the log tells of those that share one', async () => {
    await eventually(
      () => logIn('OLD'),
      (id) => id === 'old',
    );
    const { message } = await server.observed('config.warned', (said) =>
      said.message.includes('looks the same'),
    );
    expect(message).toMatch(/^1 accounts of managed\/user/);
    expect([await logIn('zora'), await logIn('Zora')]).toEqual(['zora', 'zora2']);
  });
});

describe('the password of an account', () => {
  it.each(['Password1', 'PASSWORD123', 'Passw0rd!', 'Qwertyuiop1'])(
    'is not %j, which is tried first',
    async (password) => {
      for (const [path, more] of [
        ['managed/user/hugo', user('hugo')],
        ['repo/internal/user/hugo', {}],
      ] as const) {
        const { status, body } = await api('PUT', path, { body: { ...more, password } });
        expect([status, JSON.stringify(body)]).toEqual([
          403,
          expect.stringContaining('CANNOT_BE_COMMON_PASSWORD'),
        ]);
      }
    },
  );

  it('is another one than before, and nobody is told by asking', async () => {
    expect((await create('inge')).status).toBe(201);
    const set = (value: string) =>
      api('PATCH', 'managed/user/inge', { body: [{ operation: 'replace', field: '/password', value }] });
    const again = await set(PASSWORD);
    expect([again.status, JSON.stringify(again.body)]).toEqual([
      403,
      expect.stringContaining('CANNOT_BE_PREVIOUS_VALUE'),
    ]);
    const asked = await api('POST', 'policy/managed/user/inge?_action=validateProperty', {
      body: { password: PASSWORD },
    });
    expect(asked.body.result).toBe(true);
    expect((await set('Another-Horse-77')).status).toBe(200);
    expect((await set(PASSWORD)).status).toBe(200);
  });
});

describe('sessions of an account', () => {
  it.each([
    ['another password', { operation: 'replace', field: '/password', value: 'Another-Horse-77' }],
    ['its deactivation', { operation: 'replace', field: '/accountStatus', value: 'inactive' }],
  ])('are gone from the list with %s', async (_what, operation) => {
    const name = `fred${operation.field.length}`;
    expect((await create(name)).status).toBe(201);
    const headers = { 'X-Svc-Username': name, 'X-Svc-Password': PASSWORD };
    await api('POST', 'authentication?_action=login', { user: null, headers });
    const listed = async () =>
      (await api('GET', `session?_queryFilter=authenticationId+eq+"${name}"`)).body.result.length;
    expect(await listed()).toBe(1);
    expect((await api('PATCH', `managed/user/${name}`, { body: [operation] })).status).toBe(200);
    expect(await listed()).toBe(0);
  });
});

describe('a name by which another module finds accounts', () => {
  const byMail = {
    name: 'TRUSTED_ATTRIBUTE',
    properties: {
      authenticationIdAttribute: 'X-Remote-Mail',
      trustedProxies: ['127.0.0.0/8', '::1'],
      queryOnResource: 'managed/user',
      propertyMapping: { authenticationId: 'mail', userRoles: 'authzRoles' },
      defaultUserRoles: ['svc-authorized'],
    },
  };
  const set = (id: string, field: string, value: string) =>
    api('PATCH', `managed/user/${id}`, { body: [{ operation: 'replace', field: `/${field}`, value }] });

  it.each(['first', 'last'])('is as much its own, where that module comes %s', async (place) => {
    const { _id, ...config } = (await api('GET', 'config/authentication')).body;
    const configure = (authModules: readonly object[]) =>
      api('PUT', 'config/authentication', {
        body: { ...config, serverAuthContext: { ...config.serverAuthContext, authModules } },
      });
    const [nora, olga] = [`nora-${place}`, `olga-${place}`];
    const mail = `${nora}@example.com`;
    expect((await create(nora)).status).toBe(201);
    expect((await set(nora, 'mail', mail)).status).toBe(200);
    const { authModules: now } = config.serverAuthContext;
    const told = await configure(place === 'first' ? [byMail, ...now] : [...now, byMail]);
    expect([told.status, JSON.stringify(told.body)]).toEqual([
      200,
      expect.stringContaining("finds accounts by 'mail', which people may edit themselves"),
    ]);
    await eventually(
      async () => (await server.database.pool.query('select from login_name where key = $1', [mail])).rows,
      (rows) => rows.length === 1,
    );
    const body = { ...user(olga), mail: `${olga}@example.com` };
    expect((await api('PUT', `managed/user/${olga}`, { body })).status).toBe(201);
    for (const [field, value] of [
      ['mail', mail],
      ['mail', mail.toUpperCase()],
      ['userName', mail],
      ['userName', nora.toUpperCase()],
    ] as const) {
      const refused = await set(olga, field, value);
      expect([refused.status, refused.body.detail.failedPolicyRequirements[0].property]).toEqual([
        403,
        field,
      ]);
    }
    const again = await api('PUT', `managed/user/other-${place}`, { body: { ...body, userName: 'other' } });
    expect([again.status, again.body.detail.failedPolicyRequirements[0].property]).toEqual([403, 'mail']);
    const { body: caller } = await api('GET', 'info/login', {
      user: null,
      headers: { 'X-Remote-Mail': mail },
    });
    expect(caller.authorization.id).toBe(nora);
    expect([await logIn(mail), await logIn(nora.toUpperCase())]).toEqual([undefined, nora]);
    expect((await set(nora, 'mail', `of-${mail}`)).status).toBe(200);
    expect((await set(olga, 'mail', mail)).status).toBe(200);
    expect((await set(olga, 'userName', nora)).status).toBe(403);
    expect((await configure(now)).status).toBe(200);
  });
});
