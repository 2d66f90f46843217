import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { authenticationWith, callersOf } from '../support/credentials.ts';
import { type Issuer, type SignOptions, startIssuer } from '../support/issuer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: Api;
let issuer: Issuer;

const sign = (claims: object, options?: SignOptions) => issuer.sign(claims, options);
const { whoAmI } = callersOf(() => api);
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
  await server[Symbol.asyncDispose]();
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
