import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import {
  apiKey,
  authenticationWith,
  CERTIFICATE,
  CERTIFICATES,
  callersOf,
  KEY,
  OWN_PAGE,
  passwordOf,
} from '../support/credentials.ts';
import { type Issuer, type SignOptions, startIssuer } from '../support/issuer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

let server: TestServer;
let api: Api;
let issuer: Issuer;

const sign = (claims: object, options?: SignOptions) => issuer.sign(claims, options);
const { begin, whoAmI } = callersOf(() => api);
const modules = (further: object[] = []) => authenticationWith(issuer.url, further);

beforeAll(async () => {
  issuer = await startIssuer();
  server = await startTestServer({
    files: { 'conf/authentication.json': modules() },
    environment: { SVC_EGRESS_ALLOW: '127.0.0.0/8' },
  });
  api = server.api;
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

describe('authentication.json', () => {
  it('is refused with a module that nobody knows, and stays as it was', async () => {
    const put = (further: object) => api('PUT', 'config/authentication', { body: modules([further]) });
    const unknown = await put({ name: 'MANAGED_USERS' });
    expect([unknown.status, JSON.stringify(unknown.body)]).toEqual([
      400,
      expect.stringContaining("Did you mean 'MANAGED_USER'?"),
    ]);
    const bad = await put({
      name: 'OPENID_CONNECT',
      properties: { issuer: 'x', algorithms: ['HS256', 'none'] },
    });
    expect([bad.status, JSON.stringify(bad.body)]).toEqual([
      400,
      expect.stringMatching(/needs the property .*audience.*has a wrong .*algorithms/),
    ]);
    expect((await api('GET', 'info/login')).status).toBe(200);
  });

  it('is refused when whoever writes it could not come in again, unless that is wanted', async () => {
    const whole = modules([]);
    const without = structuredClone(whole);
    without.serverAuthContext.authModules = without.serverAuthContext.authModules.filter(
      (module) => (module as { name?: string }).name !== 'INTERNAL_USER',
    );
    const refused = await api('PUT', 'config/authentication', { body: without });
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      { id: 'AUTH_LOCKS_OUT', hint: expect.stringContaining('force=true') },
    ]);
    expect((await api('GET', 'info/login')).status).toBe(200);
    const rehearsed = await api('PUT', 'config/authentication?force=true&_dryRun=true', { body: without });
    expect(rehearsed.status).toBe(200);
  });

  describe('is compared as a whole with the module that its writer came in by,', () => {
    type Module = { readonly name: string; readonly properties: Record<string, unknown> };
    const admin = ['svc-authorized', 'svc-admin'];
    const TOKENS = (): Module => ({
      name: 'OPENID_CONNECT',
      properties: { issuer: issuer.url, audience: 'svc', defaultUserRoles: admin },
    });
    const KEYS = (): Module => ({
      name: 'API_KEY',
      properties: { keys: [apiKey('robot', KEY)], defaultUserRoles: admin },
    });
    const STATIC = (): Module => ({
      name: 'STATIC_USER',
      properties: { username: 'probe', password: 'A-probe-of-1', defaultUserRoles: admin },
    });
    const PROXIED = (): Module => ({
      name: 'CLIENT_CERT',
      properties: { ...CERTIFICATES.properties, queryOnResource: 'devices', defaultUserRoles: admin },
    });
    const bearer = async () => ({ Authorization: `Bearer ${await sign({ sub: 'kim' })}` });
    const INTERNAL = { name: 'INTERNAL_USER', properties: { queryOnResource: 'repo/internal/user' } };
    // Another module of the name is no door for who comes in by the one that changes.
    const others = () => [
      INTERNAL,
      {
        name: 'OPENID_CONNECT',
        properties: { issuer: issuer.url, audience: 'console', component: 'openid-else' },
      },
    ];
    const configOf = (own: readonly object[]) => ({
      serverAuthContext: { sessionModule: modules().serverAuthContext.sessionModule, authModules: own },
    });

    it.each<[string, () => Module, () => Promise<Record<string, string>>, object, number]>([
      ['another issuer', TOKENS, bearer, { issuer: 'https://issuer.example.com' }, 409],
      ['another audience', TOKENS, bearer, { audience: 'console' }, 409],
      ['one audience more', TOKENS, bearer, { audience: ['console', 'svc'] }, 200],
      ['another claim', TOKENS, bearer, { authenticationIdClaim: 'email' }, 409],
      ['other roles', TOKENS, bearer, { defaultUserRoles: ['svc-authorized'] }, 200],
      [
        'another issuer for a session',
        TOKENS,
        async () => begin(await bearer()),
        { audience: 'console' },
        409,
      ],
      ['without the key', KEYS, async () => ({ 'X-Svc-Api-Key': KEY }), { keys: [] }, 409],
      [
        'with another key besides',
        KEYS,
        async () => ({ 'X-Svc-Api-Key': KEY }),
        { keys: [apiKey('more', 'more.secret'), { ...apiKey('robot', KEY), roles: admin }] },
        200,
      ],
      ['another name', STATIC, async () => passwordOf('probe', 'A-probe-of-1'), { username: 'x' }, 409],
      ['another password', STATIC, async () => passwordOf('probe', 'A-probe-of-1'), { password: 'y' }, 200],
      ['no proxy', PROXIED, async () => CERTIFICATE, { trustedProxies: ['10.0.0.1'] }, 409],
      [
        'one proxy more',
        PROXIED,
        async () => CERTIFICATE,
        { trustedProxies: ['10.0.0.1', '::1', '127.0.0.0/8'] },
        200,
      ],
    ])('%s', async (_what, module, shown, change, status) => {
      const own = module();
      const before = configOf([...others(), own]);
      expect((await api('PUT', 'config/authentication', { body: before })).status).toBe(200);
      const headers = { ...(await shown()), ...OWN_PAGE };
      const body = configOf([{ ...own, properties: { ...own.properties, ...change } }, ...others()]);
      const put = (query: string) =>
        api('PUT', `config/authentication?_dryRun=true${query}`, { user: null, headers, body });
      const answer = await put('');
      expect([answer.status, answer.body.detail?.id]).toEqual([
        status,
        status === 409 ? 'AUTH_LOCKS_OUT' : undefined,
      ]);
      expect((await put('&force=true')).status).toBe(200);
      const source = 'JSON.stringify(context.security)';
      const evaluated = await api('POST', 'script?_action=eval', {
        user: null,
        headers,
        body: { type: 'text/javascript', source },
      });
      for (const seen of [evaluated.body, (await whoAmI(headers)).body].map((one) => JSON.stringify(one))) {
        expect(seen).toContain('authorization');
        expect(seen).not.toContain('cameBy');
      }
    });

    afterAll(async () => {
      expect((await api('PUT', 'config/authentication', { body: modules() })).status).toBe(200);
    });
  });

  it('may name an issuer that does not answer: its tokens are refused, and others come in', async () => {
    const unreachable = {
      name: 'OPENID_CONNECT',
      properties: { issuer: 'http://127.0.0.1:9', audience: 'svc' },
    };
    const body = modules([]);
    body.serverAuthContext.authModules.splice(2, 1, unreachable as never);
    expect((await api('PUT', 'config/authentication', { body })).status).toBe(200);
    const token = { Authorization: `Bearer ${await sign({ preferred_username: 'ada' })}` };
    await expect.poll(async () => (await whoAmI(token)).body.detail?.id).toBe('AUTH_ISSUER_UNREACHABLE');
    const told = server.observations.find(({ kind }) => kind === 'issuer.unreachable');
    expect(told).toMatchObject({ error: { message: expect.stringContaining('127.0.0.1') } });
    expect((await api('GET', 'info/login')).status).toBe(200);
    expect((await api('PUT', 'config/authentication', { body: modules() })).status).toBe(200);
  });

  it.each([
    ['an issuer without TLS', { issuer: 'http://issuer.example.com' }],
    ['keys without TLS', { issuer: 'https://issuer.example.com', jwksUri: 'http://10.0.0.7/keys' }],
    ['credentials in the address', { issuer: 'https://svc:secret@issuer.example.com' }],
  ])('is refused with %s', async (_, properties) => {
    const module = { name: 'OPENID_CONNECT', properties: { audience: 'svc', ...properties } };
    const { status, body } = await api('PUT', 'config/authentication', { body: modules([module]) });
    expect([status, JSON.stringify(body)]).toEqual([
      400,
      expect.stringContaining('must be an https address'),
    ]);
  });

  it('has no second of a kind of which there is one', async () => {
    expect(
      (await api('PUT', 'config/authentication/x', { body: { a: 1 } })).body.detail?.findings,
    ).toBeUndefined();
    await api('DELETE', 'config/authentication/x');
    expect((await api('GET', 'info/login')).status).toBe(200);
  });

  it('changes who may come in, at once', async () => {
    const nobody = { 'X-Svc-Username': 'anonymous', 'X-Svc-Password': 'anonymous' };
    expect((await whoAmI(nobody)).status).toBe(401);
    const module = {
      name: 'STATIC_USER',
      properties: { username: 'anonymous', password: 'anonymous', defaultUserRoles: ['svc-reg'] },
    };
    expect((await api('PUT', 'config/authentication', { body: modules([module]) })).status).toBe(200);
    expect((await whoAmI(nobody)).body.authorization.roles).toEqual(['svc-reg']);
  });
});
