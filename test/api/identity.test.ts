import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import {
  apiKey,
  CERTIFICATE,
  CERTIFICATES,
  callersOf,
  KEY,
  OWN_PAGE,
  PASSWORD,
  passwordOf,
} from '../support/credentials.ts';
import { type Issuer, startIssuer } from '../support/issuer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const API_KEY = { 'X-Svc-Api-Key': KEY };

let server: TestServer;
let api: Api;
let issuer: Issuer;
/** A user of the test's own. */
let user: string;
let count = 0;

const { asNobody, begin, whoAmI, ...as } = callersOf(() => api);
const rolesOf = async (headers: Record<string, string>) => (await whoAmI(headers)).body.authorization?.roles;
const password = (text = PASSWORD) => passwordOf(user, text);
const bearer = async (claims: object = {}, expires?: Date) => ({
  Authorization: `Bearer ${await issuer.sign({ preferred_username: user, ...claims }, expires && { expires })}`,
});
const patch = (path: string, field: string, value: unknown, operation = 'replace') =>
  as.patch(path, operation, field, value);
const grant = (ref: string) => patch(`managed/user/${user}`, '/authzRoles/-', { _ref: ref }, 'add');

async function configure(change: (modules: readonly Module[]) => readonly object[]): Promise<void> {
  const body = { serverAuthContext: { authModules: change(modules()) } };
  expect((await api('PUT', 'config/authentication', { body })).status).toBe(200);
}

interface Module {
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>> & { readonly keys?: readonly object[] };
}

function modules(): readonly Module[] {
  return [
    {
      name: 'MANAGED_USER',
      properties: { queryOnResource: 'managed/user', defaultUserRoles: ['svc-authorized'] },
    },
    { name: 'INTERNAL_USER', properties: { queryOnResource: 'repo/internal/user' } },
    {
      name: 'OPENID_CONNECT',
      properties: {
        issuer: issuer.url,
        audience: 'svc',
        authenticationIdClaim: 'preferred_username',
        rolesClaim: 'roles',
        acceptedRoles: ['svc-tasks-manager'],
        defaultUserRoles: ['svc-authorized'],
        queryOnResource: 'managed/user',
        reauthentication: { maxAgeSeconds: 60, acrValues: ['phr'] },
      },
    },
    CERTIFICATES,
    {
      name: 'API_KEY',
      properties: {
        keys: [{ ...apiKey('robot', KEY), roles: ['svc-authorized'] }],
      },
    },
  ];
}

beforeAll(async () => {
  issuer = await startIssuer();
  server = await startTestServer({
    files: { 'conf/authentication.json': { serverAuthContext: { authModules: modules() } } },
    environment: { SVC_EGRESS_ALLOW: '127.0.0.0/8' },
  });
  api = server.api;
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});
beforeEach(async () => {
  count += 1;
  user = `user${count}`;
  await createUser();
});

const createUser = (id = user) => as.createUser(user, id);

describe('the password once more', () => {
  const change = (headers: Record<string, string>) =>
    asNobody('PATCH', `managed/user/${user}`, {
      headers,
      body: [{ operation: 'replace', field: '/password', value: 'Another-Horse-77' }],
    });
  const again = (headers: Record<string, string>) =>
    asNobody('POST', 'authentication?_action=reauthenticate', { headers });

  it.each([
    ['a bearer token', () => bearer()],
    ['an API key', async () => API_KEY],
    ['a session that a bearer token began', async () => ({ ...(await begin(await bearer())), ...OWN_PAGE })],
    ['a session that an API key began', async () => ({ ...(await begin(API_KEY)), ...OWN_PAGE })],
  ])('is shown by no text beside %s, not even by the right one', async (_what, credentials) => {
    for (const text of ['anything', PASSWORD, '']) {
      const headers = { ...(await credentials()), 'X-Svc-Reauth-Password': text };
      expect([(await change(headers)).status, (await again(headers)).status]).toEqual([403, 403]);
    }
    expect((await whoAmI(password())).status).toBe(200);
  });

  it('is the caller’s own, and not that of somebody else', async () => {
    const headers = { ...password(), 'X-Svc-Reauth-Password': 'Correct-Horse-9' };
    expect((await change(headers)).status).toBe(403);
    expect((await change({ ...password(), 'X-Svc-Reauth-Password': PASSWORD })).status).toBe(200);
  });

  it.each([
    ['says that the caller was there a moment ago, as is asked', { acr: 'phr' }, 0, 200],
    ['says so of longer ago', { acr: 'phr' }, -120, 403],
    ['says so of a time to come', { acr: 'phr' }, 3600, 403],
    ['says so of a lesser way to log in', { acr: 'pwd' }, 0, 403],
    ['does not say how', {}, 0, 403],
  ])('is a bearer token that %s', async (_what, claims, seconds, status) => {
    const auth_time = Math.floor(Date.now() / 1000) + seconds;
    const token = await bearer({ ...claims, auth_time });
    expect((await again(token)).status).toBe(status);
    expect((await change(token)).status).toBe(status);
    // The session remembers no such moment.
    const session = { ...(await begin(await bearer({ ...claims, auth_time }))), ...OWN_PAGE };
    expect((await again(session)).status).toBe(403);
  });
});

describe('the subject of a token', () => {
  const WIDE = (text: string) =>
    text.replace(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0));
  it.each<[string, (name: string) => string]>([
    ['in other letters', (name) => name.toUpperCase()],
    ['wide', WIDE],
    ['with something unseen', (name) => `${name}\u200b`],
    ['with a blank', (name) => ` ${name}`],
  ])('is nobody else, of whom an issuer tells it apart: %s', async (_what, other) => {
    // People may write their names as they like, since they have a password to show.
    expect((await whoAmI({ ...password(), 'X-Svc-Username': user.toUpperCase() })).status).toBe(200);
    expect((await whoAmI(await bearer())).status).toBe(200);
    expect((await whoAmI(await bearer({ preferred_username: other(user) }))).status).toBe(401);
  });

  it('is looked for in the property that is named, and in no other', async () => {
    const { body } = await api('GET', `managed/user/${user}`);
    await configure((all) =>
      all.map((module) =>
        module.name === 'OPENID_CONNECT'
          ? { ...module, properties: { ...module.properties, propertyMapping: { authenticationId: 'mail' } } }
          : module,
      ),
    );
    expect((await whoAmI(await bearer())).status).toBe(401);
    expect((await whoAmI(await bearer({ preferred_username: body.mail }))).status).toBe(200);
    await configure((all) => all);
  });
});

describe('a session that a bearer token began', () => {
  it('ends with the token', async () => {
    const session = await begin(await bearer({}, new Date(Date.now() + 60_000)));
    const { rows } = await server.database.pool.query(
      `select extract(epoch from expires_at - now())::float8 as left from auth_session where authentication_id = $1`,
      [user],
    );
    expect(rows[0].left).toBeGreaterThan(0);
    expect(rows[0].left).toBeLessThan(61);
    expect((await whoAmI(session)).status).toBe(200);
  });

  it('has the roles that the account has now, and those that the token brought', async () => {
    const session = await begin(await bearer({ roles: ['svc-tasks-manager', 'svc-admin'] }));
    expect(await rolesOf(session)).toEqual(['svc-authorized', 'svc-tasks-manager']);
    await grant('repo/internal/role/svc-reg');
    expect(await rolesOf(session)).toEqual(['svc-authorized', 'svc-tasks-manager', 'svc-reg']);
    await patch(`managed/user/${user}`, '/authzRoles', []);
    expect(await rolesOf(session)).toEqual(['svc-authorized', 'svc-tasks-manager']);
  });

  it.each([
    ['the account is deactivated', () => patch(`managed/user/${user}`, '/accountStatus', 'inactive')],
    ['its password is changed', () => patch(`managed/user/${user}`, '/password', 'Another-Horse-77')],
    ['the account is deleted', async () => void (await api('DELETE', `managed/user/${user}`))],
    [
      'somebody else takes its name',
      async () => {
        await api('DELETE', `managed/user/${user}`);
        await createUser(`${user}-again`);
      },
    ],
  ])('ends as soon as %s', async (_what, happen) => {
    const session = await begin(await bearer());
    expect((await whoAmI(session)).status).toBe(200);
    await happen();
    expect((await whoAmI(session)).status).toBe(401);
  });

  it('ends with the token, and keeps its roles, whatever a script makes of the authorization', async () => {
    const source = `({ authenticationId: 'x-' + security.authenticationId, authorization: {
      id: security.authorization.id + '-x', component: 'managed/user', roles: security.authorization.roles } })`;
    const script = { augmentSecurityContext: { type: 'text/javascript', source } };
    await configure((now) =>
      now.map((module) =>
        /OPENID|API_KEY/.test(module.name)
          ? { ...module, properties: { ...module.properties, ...script } }
          : module,
      ),
    );
    const soon = await bearer({ roles: ['svc-tasks-manager'] }, new Date(Date.now() + 60_000));
    const session = await begin(soon);
    const { rows } = await server.database.pool.query(
      'select extract(epoch from expires_at - now())::float8 as left from auth_session where authentication_id = $1',
      [user],
    );
    expect(rows[0].left).toBeLessThan(61);
    expect((await whoAmI(session)).body).toMatchObject({
      authenticationId: `x-${user}`,
      authorization: { id: `${user}-x`, roles: ['svc-authorized', 'svc-tasks-manager'], loginName: user },
    });
    expect((await whoAmI(await begin(API_KEY))).body.authorization.id).toBe('robot-x');
    await configure((now) => now);
    expect((await whoAmI(session)).status).toBe(401);
  });

  it('ends when its issuer is another one', async () => {
    const session = await begin(await bearer());
    await configure((now) =>
      now.map((module) =>
        module.name === 'OPENID_CONNECT'
          ? { ...module, properties: { ...module.properties, issuer: 'https://issuer.example.com' } }
          : module,
      ),
    );
    expect((await whoAmI(session)).status).toBe(401);
    await configure((now) => now);
  });
});

describe('a session of a machine', () => {
  it('ends when its key is withdrawn, and changes with its roles', async () => {
    const session = await begin(API_KEY);
    const keys = (change: (key: object) => object[]) =>
      configure((now) =>
        now.map((module) => {
          const known = module.properties.keys;
          return known === undefined ? module : { ...module, properties: { keys: known.flatMap(change) } };
        }),
      );
    await keys((key) => [{ ...key, roles: ['svc-reg'] }]);
    expect([await rolesOf(session), await rolesOf(API_KEY)]).toEqual([['svc-reg'], ['svc-reg']]);
    await keys((key) => [{ ...key, expiresAt: '2020-01-01T00:00:00Z' }]);
    expect([(await whoAmI(session)).status, (await whoAmI(API_KEY)).status]).toEqual([401, 401]);
    await keys((key) => [key]);
    const next = await begin(API_KEY);
    await keys(() => []);
    expect([(await whoAmI(next)).status, (await whoAmI(API_KEY)).status]).toEqual([401, 401]);
    await configure((now) => now);
    expect((await whoAmI(next)).status).toBe(401);
  });

  it('does not begin with a certificate, which nobody would see revoked', async () => {
    expect((await whoAmI(CERTIFICATE)).status).toBe(200);
    const { status, body } = await asNobody('POST', 'authentication?_action=login', { headers: CERTIFICATE });
    expect([status, body.detail.id]).toEqual([400, 'AUTH_NO_SESSION_BY_MODULE']);
  });
});

describe('when a change is answered, nothing of before is left', () => {
  const ways: readonly (readonly [string, () => Promise<Record<string, string>>])[] = [
    ['name and password', async () => password()],
    ['a session', () => begin(password())],
    ['a bearer token', () => bearer()],
  ];

  it.each(ways)('for %s: account, role, grant', async (_way, credentials) => {
    const shown = await credentials();
    for (let round = 0; round < 5; round += 1) {
      expect(await rolesOf(shown)).toEqual(['svc-authorized']);
      await grant('repo/internal/role/svc-reg');
      expect(await rolesOf(shown)).toEqual(['svc-authorized', 'svc-reg']);
      const { body } = await api('GET', `managed/user/${user}/authzRoles?_queryFilter=_ref+ew+"svc-reg"`);
      const edge = `managed/user/${user}/authzRoles/${body.result[0]._refProperties._id}`;
      expect((await api('DELETE', edge)).status).toBe(200);
      expect(await rolesOf(shown)).toEqual(['svc-authorized']);
    }
    await patch(`managed/user/${user}`, '/accountStatus', 'inactive');
    expect((await whoAmI(shown)).status).toBe(401);
  });

  it('for an account whose roles are derived, and for one that a script has a hand in', async () => {
    const read = async () => (await api('GET', 'config/managed')).body;
    const before = await read();
    const withHook = await read();
    withHook.objects.find(({ name }: { name: string }) => name === 'user').onRetrieve = {
      type: 'text/javascript',
      source: `if (svc.read('managed/role/late')) object.accountStatus = 'inactive';`,
    };
    expect((await whoAmI(password())).status).toBe(200);
    expect((await api('PUT', 'config/managed', { body: withHook })).status).toBe(200);
    expect((await whoAmI(password())).status).toBe(200);
    await api('PUT', 'managed/role/late', { body: { name: 'late', description: 'Late' } });
    expect((await whoAmI(password())).status).toBe(401);
    expect((await api('PUT', 'config/managed', { body: before })).status).toBe(200);
    expect((await whoAmI(password())).status).toBe(200);
    await api('DELETE', 'managed/role/late');

    await api('PUT', 'managed/role/clerk', { body: { name: 'clerk', description: 'Clerk' } });
    await configure((now) =>
      now.map((module) =>
        module.name === 'MANAGED_USER'
          ? {
              ...module,
              properties: { ...module.properties, propertyMapping: { userRoles: 'effectiveRoles' } },
            }
          : module,
      ),
    );
    expect(await rolesOf(password())).toEqual(['svc-authorized']);
    await patch(`managed/user/${user}`, '/roles/-', { _ref: 'managed/role/clerk' }, 'add');
    expect(await rolesOf(password())).toEqual(['svc-authorized', 'clerk']);
    await patch(`managed/user/${user}`, '/roles', []);
    expect(await rolesOf(password())).toEqual(['svc-authorized']);
    await configure((now) => now);
  });
});

describe('a module', () => {
  const told = (name: string) => ({ 'X-Remote-User': name });
  const proxied = (trustedProxies: readonly string[]) => ({
    name: 'TRUSTED_ATTRIBUTE',
    properties: {
      authenticationIdAttribute: 'X-Remote-User',
      trustedProxies,
      queryOnResource: 'managed/user',
      defaultUserRoles: ['svc-authorized'],
    },
  });

  it('of a trusted attribute believes a trusted proxy, about accounts that there are', async () => {
    await configure((now) => [...now, proxied(['127.0.0.0/8', '::1'])]);
    const { body } = await whoAmI(told(user));
    expect([body.authenticationId, body.authorization.moduleId]).toEqual([user, 'TRUSTED_ATTRIBUTE']);
    for (const other of ['nobody-here', user.toUpperCase()])
      expect((await whoAmI(told(other))).status).toBe(401);
    const login = await asNobody('POST', 'authentication?_action=login', { headers: told(user) });
    expect(login.body.detail.id).toBe('AUTH_NO_SESSION_BY_MODULE');
    await patch(`managed/user/${user}`, '/accountStatus', 'inactive');
    expect((await whoAmI(told(user))).status).toBe(401);
    await patch(`managed/user/${user}`, '/accountStatus', 'active');
    await configure((now) => [...now, proxied(['10.0.0.1'])]);
    expect((await whoAmI(told(user))).status).toBe(401);
    await configure((now) => now);
  });

  it('of certificates that names none lets nobody in, and keeps nobody else out', async () => {
    await configure((now) => [
      ...now.filter(({ name }) => name !== 'CLIENT_CERT'),
      { name: 'CLIENT_CERT', properties: { allowedAuthenticationIdPatterns: [] } },
    ]);
    expect([(await whoAmI(CERTIFICATE)).status, (await whoAmI(password())).status]).toEqual([401, 200]);
    await configure((now) => now);
  });

  it('of a static user has its password encrypted as soon as it is sent', async () => {
    const properties = { username: 'kiosk', password: 'a-static-word', defaultUserRoles: ['svc-reg'] };
    await configure((now) => [...now, { name: 'STATIC_USER', properties }]);
    const sent = { 'X-Svc-Username': 'kiosk', 'X-Svc-Password': 'a-static-word' };
    expect(await rolesOf(sent)).toEqual(['svc-reg']);
    const { rows } = await server.database.pool.query(
      "select content from config_override where id = 'authentication'",
    );
    expect(rows[0].content).not.toContain('a-static-word');
    const { body: shown } = await api('GET', 'config/authentication');
    expect((await api('PUT', 'config/authentication', { body: shown })).status).toBe(200);
    expect(await rolesOf(sent)).toEqual(['svc-reg']);
    await configure((now) => now);
  });

  it('of a static user may keep its password encrypted', async () => {
    const module = { name: 'STATIC_USER', properties: { username: 'kiosk', defaultUserRoles: ['svc-reg'] } };
    // Callers bring no envelopes along, but scripts may.
    const written = await api('POST', 'script?_action=eval', {
      body: {
        type: 'text/javascript',
        source: `
          const module = ${JSON.stringify(module)};
          module.properties.password = svc.encrypt('a-static-word', null, 'svc-sym-default');
          const authModules = [...${JSON.stringify(modules())}, module];
          svc.update('config/authentication', null, { serverAuthContext: { authModules } });
          svc.isEncrypted(module.properties.password)`,
      },
    });
    expect([written.status, written.body]).toEqual([200, true]);
    const sent = { 'X-Svc-Username': 'kiosk', 'X-Svc-Password': 'a-static-word' };
    expect(await rolesOf(sent)).toEqual(['svc-reg']);
    expect((await whoAmI({ ...sent, 'X-Svc-Password': 'another' })).status).toBe(401);
    await configure((now) => now);
  });
});

describe('the name of a role', () => {
  it.each(['svc-admin', 'SVC-Admin', 'svc-something', 'svc-reg ', 'ｓｖｃ-admin'])(
    'that is the server’s own is given by no managed role %j',
    async (id) => {
      const ref = `managed/role/${encodeURIComponent(id)}`;
      // As one that is there from before: most of them are not made any more.
      await server.database.pool.query(
        `insert into managed_object (type, id, rev, data) values ('role', $1, 0, jsonb_build_object('name', $2::text))`,
        [id, `mine ${id}`],
      );
      await grant(ref);
      const [authorized, ...others] = await rolesOf(password());
      expect(authorized).toBe('svc-authorized');
      expect(others).toEqual([expect.stringMatching(/^managed\/role\//)]);
      expect((await asNobody('GET', 'config', { headers: password() })).status).toBe(403);
    },
  );

  it('is that of a managed role until an internal role has it', async () => {
    await api('PUT', 'managed/role/auditor', { body: { name: 'auditor', description: 'Reads' } });
    await grant('managed/role/auditor');
    expect(await rolesOf(password())).toEqual(['svc-authorized', 'auditor']);
    const internal = 'repo/internal/role/Auditor';
    expect((await api('PUT', internal, { body: { description: 'Reads everything' } })).status).toBe(201);
    expect(await rolesOf(password())).toEqual(['svc-authorized', 'managed/role/auditor']);
    await grant(internal);
    expect((await rolesOf(password())).toSorted()).toEqual([
      'Auditor',
      'managed/role/auditor',
      'svc-authorized',
    ]);
    await api('DELETE', internal, { headers: { 'If-Match': '*' } });
  });

  it.each(['repo/internal/role/svc-admin', 'managed/role/svc-reg'])(
    'is never the reference to another role: %j',
    async (id) => {
      const ref = `managed/role/${encodeURIComponent(id)}`;
      // Its name is what no other role has, whatever the case.
      const name = [...id].map((letter) => letter.codePointAt(0)).join('-');
      expect((await api('PUT', ref, { body: { name, description: 'Mine' } })).status).toBe(201);
      await grant(ref);
      expect(await rolesOf(password())).toEqual(['svc-authorized', ref]);
    },
  );

  it('makes no two names of one', async () => {
    const ref = `managed/role/${encodeURIComponent('a,svc-tasks-manager')}`;
    await api('PUT', ref, { body: { name: 'two', description: 'Two' } });
    await grant(ref);
    expect((await rolesOf(password())).join(',').split(',')).toEqual(['svc-authorized', ref]);
  });
});
