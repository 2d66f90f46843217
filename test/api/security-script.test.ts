import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { callersOf, OWN_PAGE, PASSWORD, passwordOf } from '../support/credentials.ts';
import { WATCHFUL } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

let server: TestServer;
let api: Api;
/** A user of the test's own. */
let user: string;
let count = 0;

type Script = Readonly<Record<string, unknown>>;
const javascript = (source: string): Script => ({ type: 'text/javascript', source });
const file = (name: string): Script => ({ type: 'text/javascript', file: `script/login/${name}.js` });

const { asNobody, createUser, patch, ...as } = callersOf(() => api);
const password = (text = PASSWORD) => passwordOf(user, text);
const whoAmI = (headers: Record<string, string> = password()) => as.whoAmI(headers);
/** Begins a session. @returns its cookie */
const begin = () => as.begin(password());
const authorization = async (headers?: Record<string, string>) => {
  const { status, body } = await whoAmI(headers);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.authorization;
};
const statusOf = async (headers?: Record<string, string>) => (await whoAmI(headers)).status;
const modules = (script?: Script, properties: Script = {}) => [
  {
    name: 'MANAGED_USER',
    properties: {
      queryOnResource: 'managed/user',
      defaultUserRoles: ['svc-authorized'],
      clientSecret: 'between us',
      ...(script === undefined ? {} : { augmentSecurityContext: script }),
      ...properties,
    },
  },
  { name: 'INTERNAL_USER', properties: { queryOnResource: 'repo/internal/user' } },
];

async function configure(script?: Script, properties?: Script) {
  const body = { serverAuthContext: { authModules: modules(script, properties) } };
  return api('PUT', 'config/authentication', { body });
}

async function runs(script?: Script, properties?: Script): Promise<void> {
  const { status, body } = await configure(script, properties);
  expect(status, JSON.stringify(body)).toBe(200);
}

const denied = (how: string) =>
  server.observed('login.denied', (said) => said.principal === user && said.how === how);

beforeAll(async () => {
  server = await startTestServer({
    files: {
      'conf/boot/boot.properties': WATCHFUL,
      'conf/authentication.json': { serverAuthContext: { authModules: modules() } },
      'conf/script.json': {
        ECMAScript: { 'javascript.recompile.minimumInterval': '0' },
        Groovy: { 'groovy.recompile': 'true', 'groovy.recompile.minimumInterval': '0' },
      },
    },
  });
  api = server.api;
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  count += 1;
  user = `user${count}`;
  await createUser(user);
});

describe('the script of a module (augmentSecurityContext)', () => {
  it('gives roles, takes them away and adds what it likes, in either language, at once', async () => {
    expect((await authorization()).roles).toEqual(['svc-authorized']);
    await runs(javascript("security.authorization.roles.push('auditors'); security;"));
    expect((await authorization()).roles).toEqual(['svc-authorized', 'auditors']);
    await runs(
      javascript(
        "security.authorization.roles = security.authorization.roles.filter((role) => role !== 'svc-authorized'); security.authorization.team = { name: properties.team }; true;",
      ),
      { team: 'blue' },
    );
    expect(await authorization()).toMatchObject({ roles: [], team: { name: 'blue' } });
    expect((await asNobody('GET', `managed/user/${user}`, { headers: password() })).status).toBe(403);
    await runs({
      type: 'groovy',
      source: "security.authorization.roles << 'of-' + httpRequest.headers.getFirst('X-Team'); security",
    });
    expect((await authorization({ ...password(), 'X-Team': 'red' })).roles).toEqual([
      'svc-authorized',
      'of-red',
    ]);
  });

  it('is told of the module and the request, and of no secret', async () => {
    await runs(
      javascript(`security.authorization.seen = {
        properties: properties,
        own: context.security.authenticationId,
        roles: context.security.authorization.roles,
        agent: httpRequest.getHeaders().getFirst('User-Agent'),
        secret: httpRequest.headers.getFirst('X-Svc-Password'),
        method: httpRequest.getMethod(),
        global: team,
      }; security;`),
    );
    expect(await statusOf()).toBe(503);
    await runs(
      {
        ...javascript(`security.authorization.seen = {
        secrets: [properties.clientSecret, httpRequest.headers.getFirst('X-Svc-Password')],
        credential: properties.propertyMapping.userCredential,
        own: [context.security.authenticationId, context.security.authorization.roles],
        agent: httpRequest.getHeaders().getFirst('User-Agent') === context.http.headers['user-agent'],
        method: httpRequest.getMethod(),
        team: team,
      }; security;`),
        globals: { team: 'blue' },
      },
      { propertyMapping: { userCredential: 'password' } },
    );
    expect((await authorization()).seen).toEqual({
      secrets: [null, null],
      credential: 'password',
      own: [user, ['svc-authorized']],
      agent: true,
      method: 'GET',
      team: 'blue',
    });
  });

  it('reads the account as the server, and what is changed of it counts with the next request', async () => {
    await runs(
      javascript(`
        var account = svc.read(security.authorization.component + '/' + security.authorization.id);
        if (account.city === 'Nowhere') throw { code: 403, message: 'Nobody comes from there' };
        security.authorization.roles.push('of-' + account.city);
        security;`),
    );
    await patch(`managed/user/${user}`, 'add', '/city', 'Graz');
    const cookie = await begin();
    expect((await authorization()).roles).toContain('of-Graz');
    expect((await authorization(cookie)).roles).toContain('of-Graz');
    await patch(`managed/user/${user}`, 'replace', '/city', 'Brno');
    expect((await authorization()).roles).toContain('of-Brno');
    expect((await authorization(cookie)).roles).toEqual(['svc-authorized', 'of-Brno']);
    await patch(`managed/user/${user}`, 'replace', '/city', 'Nowhere');
    const refused = await whoAmI();
    expect([refused.status, refused.body]).toEqual([401, (await whoAmI(password('wrong'))).body]);
    expect(await statusOf(cookie)).toBe(401);
    expect((await denied('refused')).module).toBe('MANAGED_USER');
    await patch(`managed/user/${user}`, 'replace', '/city', 'Graz');
    expect([await statusOf(), await statusOf(cookie)]).toEqual([200, 401]);
  });

  it('counts as it stands in its file now, on sessions too, and lets nobody in while it does not compile', async () => {
    await server.project.write('script/login/changing.js', "security.authorization.roles.push('one');");
    await runs(file('changing'));
    const cookie = await begin();
    const roles = async () => [
      (await authorization()).roles.at(-1),
      (await authorization(cookie)).roles.at(-1),
    ];
    expect(await roles()).toEqual(['one', 'one']);
    await server.project.write('script/login/changing.js', "security.authorization.roles.push('another');");
    expect(await roles()).toEqual(['another', 'another']);
    await server.project.write('script/login/changing.js', 'if (');
    expect([await statusOf(), await statusOf(cookie), await statusOf(password('wrong'))]).toEqual([
      503, 503, 401,
    ]);
    expect(String((await denied('failed')).error)).toMatch(/does not compile/);
    expect((await api('GET', 'info/login')).status).toBe(200);
    await server.project.write('script/login/changing.js', "security.authorization.roles.push('mended');");
    expect(await roles()).toEqual(['mended', 'mended']);
  });

  it.each([
    ['throws something that is no refusal', "throw new Error('Oh')", /Oh/],
    ['never ends', 'while (true);', /did not end within 200 ms/],
    ['makes nobody of somebody', 'security.authorization.id = null;', /is nobody/],
    ['writes what means nothing', 'security.authorizationId = { roles: [] };', /authorizationId/],
    ['makes no list of the roles', 'security.authorization.roles = 5;', /no list/],
    ['makes more than goes along with a request', "security.authorization.x = 'x'.repeat(70000);", /65536/],
  ])('lets nobody in that way when it %s, nor loses a session by it', async (_what, source, said) => {
    await runs();
    const cookie = await begin();
    await runs({ ...javascript(source), timeout: 200 });
    const answer = await whoAmI();
    expect([answer.status, answer.body.detail?.id]).toEqual([503, 'AUTH_SCRIPT_FAILED']);
    expect(JSON.stringify(answer.body)).not.toMatch(said);
    expect(String((await denied('failed')).error)).toMatch(said);
    expect(await statusOf(cookie)).toBe(503);
    expect((await api('GET', 'info/login')).status).toBe(200);
    await runs();
    expect(await statusOf(cookie)).toBe(200);
  });

  it('gives nobody the password once more, nor what the server itself says of somebody', async () => {
    await runs(
      javascript(`Object.assign(security.authorization, {
        reauthenticated: true, moduleId: 'X', sessionId: 'x', loginName: 'svc-admin', expiresAt: 0, loginModuleId: 'X',
      }); security;`),
    );
    const shown = await authorization();
    expect([shown.moduleId, 'reauthenticated' in shown, 'sessionId' in shown, 'loginName' in shown]).toEqual([
      'MANAGED_USER',
      false,
      false,
      false,
    ]);
    const cookie = await begin();
    expect(await authorization(cookie)).toMatchObject({
      moduleId: 'JWT_SESSION',
      loginModuleId: 'MANAGED_USER',
    });
    const again = (headers: Record<string, string>) =>
      asNobody('POST', 'authentication?_action=reauthenticate', { headers: { ...OWN_PAGE, ...headers } });
    expect((await again(cookie)).status).toBe(403);
    expect((await again({ ...cookie, 'X-Svc-Reauth-Password': PASSWORD })).status).toBe(200);
  });

  it('gives no built-in role by the name of something managed', async () => {
    for (const id of ['svc-admin', 'SVC-Admin', 'plain', 'repo/internal/role/svc-admin', 'x,svc-admin']) {
      const ref = `managed/role/${encodeURIComponent(id)}`;
      // As one that is there from before: most of them are not made any more.
      await server.database.pool.query(
        `insert into managed_object (type, id, rev, data) values ('role', $1, 0, jsonb_build_object('name', $2::text))`,
        [id, `mine ${id}`],
      );
      await patch(`managed/user/${user}`, 'add', '/authzRoles/-', { _ref: ref });
    }
    const of = (map: string) =>
      javascript(`security.authorization.roles = svc.read(security.authorization.component + '/' + security.authorization.id,
        null, ['authzRoles']).authzRoles.map(${map}); security;`);
    const made = [
      'managed/role/SVC-Admin',
      'managed/role/repo%2Finternal%2Frole%2Fsvc-admin',
      'managed/role/svc-admin',
      'managed/role/x%2Csvc-admin',
      'plain',
      'svc-authorized',
    ];
    await runs(of("({ _ref }) => decodeURIComponent(_ref.split('/').pop())"));
    expect((await authorization()).roles.toSorted()).toEqual(made);
    await runs(of('(role) => role'));
    expect((await authorization()).roles.toSorted()).toEqual(made);
    await runs(of("({ _ref }) => _ref.split('/').pop()"));
    expect((await authorization()).roles.join(',').split(',')).not.toContain('svc-admin');
    expect((await asNobody('GET', 'config', { headers: password() })).status).toBe(403);
    await runs(
      javascript("security.authorization.roles = [{ _ref: 'repo/internal/role/svc-admin' }]; security;"),
    );
    expect((await authorization()).roles).toEqual(['svc-admin']);
  });

  it('makes somebody else of who comes in, whose session it is, and who shows the password of the login', async () => {
    const body = {
      userName: `${user}-main`,
      password: PASSWORD,
      givenName: 'A',
      sn: 'N',
      mail: 'a@example.com',
    };
    expect((await api('PUT', `managed/user/${user}-main`, { body })).status).toBe(201);
    await runs(
      javascript(
        "({ authenticationId: security.authenticationId + '-main', authorization: { id: security.authorization.id + '-main', component: 'managed/user', roles: ['svc-authorized'] } })",
      ),
    );
    const cookie = await begin();
    const { body: self } = await whoAmI(cookie);
    expect([self.authenticationId, self.authorization.id, self.authorization.loginName]).toEqual([
      `${user}-main`,
      `${user}-main`,
      user,
    ]);
    const again = (text: string) =>
      asNobody('POST', 'authentication?_action=reauthenticate', {
        headers: { ...OWN_PAGE, ...cookie, 'X-Svc-Reauth-Password': text },
      });
    expect([(await again('wrong')).status, (await again(PASSWORD)).status]).toEqual([403, 200]);
    await patch(`managed/user/${user}`, 'replace', '/password', 'Another-Horse-77');
    expect(await statusOf(cookie)).toBe(401);
  });

  it('is asked for a session where scripts stand in front of all resources, too', async () => {
    await runs(javascript("security.authorization.roles.push('auditors'); security;"));
    await server.project.write('conf/router.json', {
      filters: [{ pattern: '^(authentication|info)', onRequest: javascript('true') }],
    });
    await server.observed('config.changed', ({ id }) => id === 'router');
    const cookie = await begin();
    expect((await authorization(cookie)).roles).toEqual(['svc-authorized', 'auditors']);
    await server.project.remove('conf/router.json');
  });

  it('refuses as often in a minute as wrong tokens are, and slows down nobody else', async () => {
    await runs(javascript('throw { code: 401 };'));
    const statuses = await Promise.all(Array.from({ length: 70 }, () => statusOf()));
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect((await api('GET', 'info/login')).status).toBe(200);
    await runs();
    expect(await statusOf()).toBe(200);
  });

  it('may be one of the names of the field', async () => {
    await runs(javascript("require('auth/customAuthz').setProtectedAttributes(security)"));
    expect((await authorization()).protectedAttributeList).toContain('password');
    await runs({ type: 'text/javascript', file: 'auth/populateAsManagedUser.js' });
    expect(await authorization()).toMatchObject({
      id: user,
      component: 'managed/user',
      roles: ['svc-authorized'],
    });
    await patch(`managed/user/${user}`, 'add', '/authzRoles/-', {
      _ref: 'repo/internal/role/svc-tasks-manager',
    });
    await runs(
      { type: 'text/javascript', file: 'auth/populateRolesFromRelationship.js' },
      { propertyMapping: { userRoles: 'authzRoles' } },
    );
    expect((await authorization()).roles.toSorted()).toEqual(['svc-authorized', 'svc-tasks-manager']);
    await runs({ type: 'text/javascript', file: 'auth/managedAuthnPopulateContext.js' });
    expect(await statusOf()).toBe(200);
  });

  it('is refused where it is missing or does not compile, and left alone in a module that is off', async () => {
    for (const script of [file('nope'), javascript('if ('), { type: 'groovy', source: 'def x = (' }]) {
      const { status, body } = await configure(script);
      expect([status, JSON.stringify(body)]).toEqual([
        400,
        expect.stringMatching(/authentication:\d+:(?!1 )\d+ .*(?:nope|does not compile)/),
      ]);
    }
    await runs({});
    expect(await statusOf()).toBe(200);
    const off = { ...modules(file('nope'))[0], enabled: false };
    const body = { serverAuthContext: { authModules: [off, ...modules()] } };
    expect((await api('PUT', 'config/authentication', { body })).status).toBe(200);
  });
});
