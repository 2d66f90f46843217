import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { apiKey, callersOf, OWN_PAGE, passwordOf } from '../support/credentials.ts';
import { type Issuer, startIssuer } from '../support/issuer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

let server: TestServer;
let api: Api;
let issuer: Issuer;
let other: Issuer;

type Shown = Record<string, string>;
type Module = { readonly name: string; readonly properties: object };

const GIVING = { admin: ['svc-authorized', 'svc-admin'], user: ['svc-authorized'] };
const KEYS = { A: 'robot.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', B: 'robot.bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' };
const INTERNAL = { name: 'INTERNAL_USER', properties: { queryOnResource: 'repo/internal/user' } };

const { asNobody, begin, createUser, whoAmI } = callersOf(() => api);
const configOf = (modules: readonly object[]) => ({
  serverAuthContext: { authModules: [INTERNAL, ...modules] },
});
const rolesOf = async (headers: Shown) => (await whoAmI(headers)).body.authorization?.roles;

async function configure(...modules: readonly object[]): Promise<void> {
  const { status, body } = await api('PUT', 'config/authentication', { body: configOf(modules) });
  expect(status, JSON.stringify(body)).toBe(200);
}

const bearer = async (of: Issuer, audience = 'svc') => ({
  Authorization: `Bearer ${await of.sign({ sub: 'kim' }, { audience })}`,
});
const tokensOf = (of: Issuer, defaultUserRoles: readonly string[], audience = 'svc'): Module => ({
  name: 'OPENID_CONNECT',
  properties: {
    issuer: of.url,
    audience,
    defaultUserRoles,
    ...(of === other ? { component: 'openid-other' } : {}),
  },
});
const keyFor = (key: string, roles: readonly string[]): Module => ({
  name: 'API_KEY',
  properties: { keys: [{ ...apiKey('robot', key), roles }] },
});
const passwordsIn = (userCredential: string, defaultUserRoles: readonly string[]): Module => ({
  name: 'MANAGED_USER',
  properties: { queryOnResource: 'managed/user', defaultUserRoles, propertyMapping: { userCredential } },
});
const staticUser = (password: string, defaultUserRoles: readonly string[]): Module => ({
  name: 'STATIC_USER',
  properties: { username: 'probe', password, defaultUserRoles },
});

/** Two modules of a name: the first makes administrators, and the credentials are those of the second. */
const PAIRS: readonly [string, () => Promise<{ A: Module; B: Module; shown: Shown }>][] = [
  [
    'tokens of two issuers',
    async () => ({
      A: tokensOf(other, GIVING.admin),
      B: tokensOf(issuer, GIVING.user),
      shown: await bearer(issuer),
    }),
  ],
  [
    'tokens of one issuer for two audiences',
    async () => ({
      A: tokensOf(issuer, GIVING.admin, 'console'),
      B: tokensOf(issuer, GIVING.user),
      shown: await bearer(issuer),
    }),
  ],
  [
    'keys of one id',
    async () => ({
      A: keyFor(KEYS.A, GIVING.admin),
      B: keyFor(KEYS.B, GIVING.user),
      shown: { 'X-Svc-Api-Key': KEYS.B },
    }),
  ],
  [
    'passwords in two properties',
    async () => ({
      A: passwordsIn('description', GIVING.admin),
      B: passwordsIn('password', GIVING.user),
      shown: passwordOf('ada'),
    }),
  ],
  [
    'two passwords of one user of the configuration',
    async () => ({
      A: staticUser('The-first-one-1', GIVING.admin),
      B: staticUser('The-second-one-2', GIVING.user),
      shown: passwordOf('probe', 'The-second-one-2'),
    }),
  ],
];

beforeAll(async () => {
  [issuer, other] = [await startIssuer(), await startIssuer()];
  server = await startTestServer({
    files: { 'conf/authentication.json': configOf([passwordsIn('password', GIVING.user)]) },
    environment: { SVC_EGRESS_ALLOW: '127.0.0.0/8' },
  });
  api = server.api;
  await createUser('ada');
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  for (const one of [issuer, other]) await one[Symbol.asyncDispose]();
});

describe.each(PAIRS)('of two modules of a name, with %s, a session', (_, pair) => {
  it('has the roles of the one that let its caller in, and ends with that', async () => {
    const { A, B, shown } = await pair();
    await configure(A, B);
    expect(await rolesOf(shown)).toEqual(GIVING.user);
    const session = { ...(await begin(shown)), ...OWN_PAGE };
    expect(await rolesOf(session)).toEqual(GIVING.user);
    await configure(B, A);
    expect(await rolesOf(session)).toEqual(GIVING.user);
    await configure(A);
    expect((await whoAmI(session)).status).toBe(401);
    await configure(A, B);
    expect((await whoAmI(session)).status).toBe(401);
  });
});

describe('a session', () => {
  it('has the other roles of its module at once, and goes on', async () => {
    await configure(tokensOf(issuer, GIVING.user));
    const session = { ...(await begin(await bearer(issuer))), ...OWN_PAGE };
    await configure(tokensOf(issuer, ['svc-reg']));
    expect(await rolesOf(session)).toEqual(['svc-reg']);
  });

  it('takes the password once more by the module that let its caller in', async () => {
    await configure(staticUser('The-first-one-1', GIVING.admin), staticUser('The-second-one-2', GIVING.user));
    const session = { ...(await begin(passwordOf('probe', 'The-second-one-2'))), ...OWN_PAGE };
    const again = (password: string) => whoAmI({ ...session, 'X-Svc-Reauth-Password': password });
    expect((await again('The-first-one-1')).status).toBe(403);
    expect((await again('The-second-one-2')).body.authorization.reauthenticated).toBe(true);
  });

  it('that is not bound to its module, as from before, is ended', async () => {
    await configure(passwordsIn('password', GIVING.user));
    const session = { ...(await begin(passwordOf('ada'))), ...OWN_PAGE };
    await server.database.pool.query('update auth_session set credential_stamp = null');
    expect((await whoAmI(session)).status).toBe(401);
  });
});

describe('people whom two issuers call by the same name', () => {
  const theirs = (of: Issuer, more: object = {}): Module => ({
    name: 'OPENID_CONNECT',
    properties: { issuer: of.url, audience: 'svc', defaultUserRoles: GIVING.user, ...more },
  });

  it('are told apart, and one owns nothing of the other', async () => {
    await configure(theirs(issuer), theirs(other, { component: 'openid-other' }));
    const [own, others] = [await bearer(issuer), await bearer(other)];
    const componentOf = async (headers: Shown) => (await whoAmI(headers)).body.authorization?.component;
    expect([await componentOf(own), await componentOf(others)]).toEqual(['openid', 'openid-other']);
    await begin(own);
    const sessionsOf = async (headers: Shown) =>
      (await asNobody('GET', 'session?_queryFilter=true', { headers })).body.result.map(
        ({ user }: { user: string }) => user,
      );
    expect(await sessionsOf(own)).toContain('openid/kim');
    expect(await sessionsOf(others)).toEqual([]);
  });

  it.each<[string, () => readonly object[]]>([
    ['two issuers', () => [theirs(issuer), theirs(other)]],
    ['two claims of one', () => [theirs(issuer), theirs(issuer, { authenticationIdClaim: 'email' })]],
    [
      'two issuers, one with a script',
      () => {
        const script = { type: 'text/javascript', source: 'security' };
        return [theirs(issuer), theirs(other, { augmentSecurityContext: script })];
      },
    ],
    [
      'an issuer and certificates',
      () => [{ name: 'CLIENT_CERT', properties: { queryOnResource: 'openid' } }, theirs(issuer)],
    ],
  ])('are refused as one: %s', async (_what, modules) => {
    const { status, body } = await api('PUT', 'config/authentication', { body: configOf(modules()) });
    expect([status, body.detail?.findings]).toEqual([
      400,
      [expect.stringMatching(/OPENID_CONNECT takes its callers .*'openid'.*AUTH_SHARED_PEOPLE/)],
    ]);
  });

  it('are told of before one issuer takes the place of the other', async () => {
    await configure(theirs(issuer));
    const change = async (more: object) => {
      const content = configOf([theirs(other, more)]);
      const { body: planned } = await api('POST', 'config/authentication?_action=plan', {
        body: { content },
      });
      const { status, body } = await api('PUT', 'config/authentication?_dryRun=true', { body: content });
      expect([status, planned.findings]).toEqual([200, []]);
      return { planned: planned.warnings, put: body.result.warnings };
    };
    const { planned, put } = await change({});
    expect(planned).toEqual([
      expect.objectContaining({
        id: 'AUTH_ISSUER_CHANGED',
        message: expect.stringContaining(`sub of ${issuer.url}): both are 'openid'`),
        hint: expect.stringContaining('another "component"'),
      }),
    ]);
    expect(put).toEqual([expect.stringContaining('AUTH_ISSUER_CHANGED')]);
    expect(await change({ component: 'openid-other' })).toEqual({ planned: [], put: undefined });
  });

  it('are told of however many changes stand between, until somebody of the other one has come in', async () => {
    const warnedOf = async (...modules: Module[]) => {
      const { body } = await api('PUT', 'config/authentication?_dryRun=true', { body: configOf(modules) });
      return body.result.warnings ?? [];
    };
    const told = (of: Issuer) => [expect.stringContaining(`those who came in until now (sub of ${of.url})`)];
    await configure(theirs(issuer));
    await whoAmI(await bearer(issuer));
    await configure(passwordsIn('password', GIVING.user));
    expect(await warnedOf(theirs(other))).toEqual(told(issuer));
    await configure(theirs(other));
    await server.observed('config.warned', ({ message }) => message.includes('AUTH_ISSUER_CHANGED'));
    expect(await warnedOf(theirs(other), passwordsIn('password', GIVING.user))).toEqual([]);
    expect(await warnedOf(theirs(issuer))).toEqual([]);
    await whoAmI(await bearer(other));
    expect(await warnedOf(theirs(issuer))).toEqual(told(other));
    expect(await warnedOf(theirs(issuer, { component: 'openid-third' }), theirs(other))).toEqual([]);
  });

  it.each([
    ['a slash in it', { component: 'openid/other' }],
    ['a collection for one', { component: 'managed/user' }],
    [
      'one besides the collection where they are looked up',
      { component: 'openid', queryOnResource: 'managed/user' },
    ],
  ])('have no component with %s', async (_what, more) => {
    const { status, body } = await api('PUT', 'config/authentication', {
      body: configOf([theirs(issuer, more)]),
    });
    expect([status, body.detail?.findings]).toEqual([400, [expect.stringContaining('wrong "component"')]]);
  });
});

describe('a module', () => {
  it('whose people another one of its name lets in before is warned of', async () => {
    await configure(tokensOf(issuer, GIVING.user), tokensOf(issuer, GIVING.admin));
    await server.observed('config.warned', ({ message }) =>
      message.includes('OPENID_CONNECT lets nobody in: authModules[1] has let in the same people before'),
    );
  });
});
