import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { type Issuer, startIssuer } from '../support/issuer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const NOBODY = { user: 'anonymous', password: 'anonymous' };
const REDIRECT = 'https://svc.example.com/console/callback';
const OWN_PAGE = { 'X-Requested-With': 'XMLHttpRequest' };

let server: TestServer;
let api: Api;
let issuer: Issuer;

const login = (more: object = {}) => ({
  provider: 'corporate',
  title: 'The company',
  clientId: 'console',
  clientSecret: 'a secret: & %',
  redirectUri: REDIRECT,
  ...more,
});
const moduleOf = (more: object = {}, own: object = login()) => ({
  name: 'OPENID_CONNECT',
  properties: {
    issuer: issuer.url,
    audience: 'svc',
    rolesClaim: 'roles',
    acceptedRoles: ['auditor'],
    defaultUserRoles: ['svc-authorized'],
    login: own,
    ...more,
  },
});

async function configure(...modules: object[]) {
  const { serverAuthContext, ...others } = (await api('GET', 'config/authentication')).body;
  const kept = serverAuthContext.authModules.filter(
    ({ name }: { name: string }) => name !== 'OPENID_CONNECT',
  );
  const authModules = kept.map((module: { name: string; properties: object }) =>
    module.name === 'STATIC_USER'
      ? { ...module, properties: { ...module.properties, password: 'anonymous' } }
      : module,
  );
  const body = {
    ...others,
    serverAuthContext: { ...serverAuthContext, authModules: [...authModules, ...modules] },
  };
  return api('PUT', 'config/authentication', { body });
}

/** As a browser does that has these cookies. */
const redirect = (body: object = { provider: 'corporate' }) =>
  api('POST', 'authentication?_action=redirect', { ...NOBODY, body });
const cookieOf = (headers: Headers) => headers.get('Set-Cookie')!.split(';')[0]!;
const comeBack = (body: object, Cookie: string, query = '') =>
  api('POST', `authentication?_action=callback${query}`, {
    ...NOBODY,
    body,
    headers: { Cookie, ...OWN_PAGE },
  });
const whoIs = (Cookie: string) => api('GET', 'info/login', { user: null, headers: { Cookie, ...OWN_PAGE } });

beforeAll(async () => {
  server = await startTestServer({ environment: { SVC_EGRESS_ALLOW: '127.0.0.0/8' } });
  api = server.api;
});
afterAll(() => server?.[Symbol.asyncDispose]());
beforeEach(async () => {
  issuer = await startIssuer();
  const { status, body } = await configure(moduleOf());
  expect(status, JSON.stringify(body)).toBe(200);
});
afterEach(() => issuer[Symbol.asyncDispose]());

describe('a login with a browser at an issuer', () => {
  it('is offered, leads there with PKCE, and begins a session for whoever comes back', async () => {
    const offered = await api('GET', 'authentication', NOBODY);
    expect(offered.body.providers).toEqual([{ provider: 'corporate', title: 'The company' }]);

    const sent = await redirect({ provider: 'corporate', returnTo: '/console/me?tab=1#tasks' });
    expect(sent.status).toBe(200);
    const location = new URL(sent.body.location);
    expect(`${location.origin}${location.pathname}`).toBe(`${issuer.url}/authorize`);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      tenant: 'a',
      response_type: 'code',
      client_id: 'console',
      redirect_uri: REDIRECT,
      scope: 'openid profile email',
      code_challenge_method: 'S256',
    });
    expect(sent.headers.get('Set-Cookie')).toMatch(/HttpOnly; SameSite=Strict; Max-Age=600$/);

    const back = await issuer.logIn(sent.body.location, { sub: 'ada', roles: ['auditor', 'svc-admin'] });
    const begun = await comeBack({ ...back, iss: issuer.url }, cookieOf(sent.headers));
    expect(begun.status, JSON.stringify(begun.body)).toBe(200);
    expect(begun.body).toMatchObject({
      authenticationId: 'ada',
      authorization: { component: 'openid', id: 'ada', roles: ['svc-authorized', 'auditor'] },
      returnTo: '/console/me?tab=1#tasks',
    });
    expect((await whoIs(cookieOf(begun.headers))).body.authorization.roles).toEqual([
      'svc-authorized',
      'auditor',
    ]);
    const [asked] = issuer.redeemed;
    expect(Buffer.from(asked!.authorization!.split(' ')[1]!, 'base64').toString()).toBe(
      'console:a+secret%3A+%26+%25',
    );
    expect(asked!.form.get('grant_type')).toBe('authorization_code');
  });

  it('takes the place of the session that the browser had', async () => {
    const first = await redirect();
    const one = await comeBack(
      await issuer.logIn(first.body.location, { sub: 'ada' }),
      cookieOf(first.headers),
    );
    const second = await redirect();
    const cookies = `${cookieOf(second.headers)}; ${cookieOf(one.headers)}`;
    const two = await comeBack(await issuer.logIn(second.body.location, { sub: 'ben' }), cookies);
    expect((await whoIs(cookieOf(one.headers))).status).toBe(401);
    expect((await whoIs(cookieOf(two.headers))).body.authenticationId).toBe('ben');
  });

  it.each([
    ['another state', (back: object) => ({ ...back, state: 'another' })],
    ['no code', ({ state }: { state: string }) => ({ state })],
    ['a code that the issuer does not know', (back: object) => ({ ...back, code: 'made-up' })],
    ['a code of another kind', (back: object) => ({ ...back, code: ['x'] })],
    ['the word of another issuer', (back: object) => ({ ...back, iss: 'https://other.example.com' })],
  ])('begins nothing with %s', async (_, change) => {
    const sent = await redirect();
    const back = await issuer.logIn(sent.body.location, { sub: 'ada' });
    const refused = await comeBack(change(back), cookieOf(sent.headers));
    expect(refused.status).toBe(401);
    expect(refused.headers.get('Set-Cookie')).toBeNull();
  });

  it.each([
    ['another nonce', { nonce: 'another' }, {}],
    ['another audience', {}, { audience: 'svc' }],
    ['another party it was issued to', { azp: 'another' }, {}],
    ['an end that is over', {}, { expires: new Date(Date.now() - 3_600_000) }],
    ['another issuer', {}, { issuer: 'https://other.example.com' }],
    ['another type', {}, { typ: 'logout+jwt' }],
    ['nobody in it', { sub: '' }, {}],
  ])('begins nothing with an ID token of %s', async (_, claims, options) => {
    const sent = await redirect();
    const back = await issuer.logIn(sent.body.location, { sub: 'ada', ...claims }, options);
    expect((await comeBack(back, cookieOf(sent.headers))).status).toBe(401);
  });

  it('begins nothing in a browser that has begun none, in another one, or a second time', async () => {
    const [sent, other] = [await redirect(), await redirect()];
    const back = await issuer.logIn(sent.body.location, { sub: 'ada' });
    expect((await comeBack(back, 'other=1')).status).toBe(401);
    expect((await comeBack(back, cookieOf(other.headers))).status).toBe(401);
    expect((await comeBack(back, 'svc-login=x.y.z')).status).toBe(401);
    expect(issuer.redeemed).toEqual([]);
    const begun = await comeBack(back, cookieOf(sent.headers));
    expect(begun.status).toBe(200);
    expect((await comeBack(back, cookieOf(sent.headers))).status).toBe(401);
    // What a browser keeps meanwhile is no session, nor a session such a thing.
    const asSession = cookieOf(sent.headers).replace('svc-login', 'session-jwt');
    expect((await whoIs(asSession)).status).toBe(401);
    const asPending = cookieOf(begun.headers).replace('session-jwt', 'svc-login');
    expect((await comeBack(back, asPending)).status).toBe(401);
  });

  it('begins one session, however often the issuer redeems the code', async () => {
    const sent = await redirect();
    const back = await issuer.logIn(sent.body.location, { sub: 'ada' });
    const nonce = new URL(sent.body.location).searchParams.get('nonce');
    issuer.answer(200, { id_token: await issuer.sign({ sub: 'ada', nonce }, { audience: 'console' }) });
    const answers = await Promise.all([1, 2, 3].map(() => comeBack(back, cookieOf(sent.headers))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const again = await comeBack(back, cookieOf(sent.headers));
    expect([again.status, again.headers.get('Set-Cookie')]).toEqual([401, null]);
    expect((await redirect()).status).toBe(200);
  });

  it('is not rehearsed, since a code is worth something once', async () => {
    const sent = await redirect();
    const back = await issuer.logIn(sent.body.location, { sub: 'ada' });
    const rehearsed = await comeBack(back, cookieOf(sent.headers), '&_dryRun=true');
    expect(rehearsed.body.detail.id).toBe('AUTH_NO_REHEARSAL');
    expect((await comeBack(back, cookieOf(sent.headers))).status).toBe(200);
  });

  it.each<[number, object | string, string]>([
    [401, { error: 'invalid_client', error_description: 'a secret: & %' }, '401 invalid_client'],
    [400, { error: 'unauthorized_client' }, '400 unauthorized_client'],
    [400, { error: 'a secret: & %' }, '400'],
    [403, 'a secret: & %', '403'],
    [302, '', '302'],
    [503, 'a secret: & %', '503'],
    [200, { access_token: 'a secret: & %' }, 'without an ID token'],
  ])(
    'is no fault of who comes back where the issuer takes nothing from us: %i %j',
    async (status, body, why) => {
      const sent = await redirect();
      const back = await issuer.logIn(sent.body.location, { sub: 'ada' });
      issuer.answer(status, body);
      const seen = server.observations.length;
      const refused = await comeBack(back, cookieOf(sent.headers));
      expect([refused.status, refused.body.detail.id]).toEqual([503, 'AUTH_ISSUER_REFUSES']);
      const said = server.observations.slice(seen);
      expect(said.filter(({ kind }) => kind === 'login.attempted')).toEqual([]);
      const [told] = said.flatMap((one) => (one.kind === 'issuer.refuses' ? [one.error as Error] : []));
      expect(told?.message).toBe(`The token endpoint of 'corporate' answered ${why}`);
      expect(JSON.stringify([refused.body, told?.message])).not.toContain('a secret');
    },
  );

  it('has the last word of the script of its module', async () => {
    const source = `if (security.authenticationId === 'eve') throw { code: 403, message: 'no' };
      security.authorization.roles.push('of-the-script'); security`;
    const augmentSecurityContext = { type: 'text/javascript', source };
    const { status, body } = await configure(moduleOf({ augmentSecurityContext }));
    expect(status, JSON.stringify(body)).toBe(200);
    const back = async (sub: string) => {
      const sent = await redirect();
      return comeBack(await issuer.logIn(sent.body.location, { sub }), cookieOf(sent.headers));
    };
    const begun = await back('ada');
    expect([begun.status, begun.body.authorization?.roles]).toEqual([
      200,
      ['svc-authorized', 'of-the-script'],
    ]);
    expect((await whoIs(cookieOf(begun.headers))).body.authorization.roles).toContain('of-the-script');
    expect((await back('eve')).status).toBe(401);
  });

  it.each([
    'https://evil.example.com',
    '//evil.example.com',
    '/\\evil.example.com',
    '/.//evil.example.com',
    '/console/..//evil.example.com',
    '/%2e//evil.example.com',
    '/a/../\\evil.example.com',
    'console',
    7,
    `/${'x'.repeat(1_000)}`,
  ])('leads to no page elsewhere: %s', async (returnTo) => {
    const { status, body } = await redirect({ provider: 'corporate', returnTo });
    expect([status, body.detail?.id]).toEqual([400, 'AUTH_BAD_RETURN']);
  });

  it('names the providers that there are where one is asked for that is not', async () => {
    const { status, body } = await redirect({ provider: 'corporat' });
    expect([status, body.detail]).toMatchObject([
      400,
      { id: 'AUTH_UNKNOWN_PROVIDER', hint: 'There are corporate' },
    ]);
  });

  it('says that the issuer cannot be reached as one says of tokens', async () => {
    await issuer[Symbol.asyncDispose]();
    await configure(moduleOf());
    expect((await redirect()).status).toBe(401);
    expect(server.observations.some(({ kind }) => kind === 'issuer.unreachable')).toBe(true);
  });

  it('ends with its sessions when the client is another one', async () => {
    const sent = await redirect();
    const begun = await comeBack(
      await issuer.logIn(sent.body.location, { sub: 'ada' }),
      cookieOf(sent.headers),
    );
    await configure(moduleOf({}, login({ clientId: 'another' })));
    expect((await whoIs(cookieOf(begun.headers))).status).toBe(401);
  });

  it('is refused in the configuration where two providers have one name, or its address is not safe', async () => {
    const second = moduleOf({ component: 'openid-b', issuer: 'https://b.example.com' });
    const doubled = await configure(moduleOf(), second);
    expect([doubled.status, JSON.stringify(doubled.body)]).toEqual([
      400,
      expect.stringContaining('AUTH_DOUBLED_PROVIDER'),
    ]);
    const unsafe = await configure(
      moduleOf({}, login({ redirectUri: 'http://svc.example.com/console/callback' })),
    );
    expect(unsafe.status).toBe(400);
    const noOpenid = await configure(moduleOf({}, login({ scope: 'profile' })));
    expect(noOpenid.status).toBe(400);
  });
});
