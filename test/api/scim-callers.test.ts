/** Who asks at /scim/v2, by what they show, and what each may. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authenticationWith, callersOf, OWN_PAGE, PASSWORD, passwordOf } from '../support/credentials.ts';
import { type Issuer, type SignOptions, startIssuer } from '../support/issuer.ts';
import { scimOf } from '../support/scim.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

let server: TestServer;
/** Of people, and of programs. */
let people: Issuer;
let programs: Issuer;
const scim = scimOf(() => server);
const { begin, createUser } = callersOf(() => server.api);

beforeAll(async () => {
  people = await startIssuer();
  programs = await startIssuer();
  const rules = await readFile('script/access.js', 'utf8');
  const own = `{ pattern: 'scim/Users', roles: 'scim-finder', methods: 'query', actions: '' },`;
  server = await startTestServer({
    environment: { SVC_EGRESS_ALLOW: '127.0.0.0/8' },
    files: {
      'script/access.js': rules.replace('configs: [', `configs: [ ${own}`),
      'conf/authentication.json': authenticationWith(people.url, [
        {
          name: 'OPENID_CONNECT',
          properties: {
            issuer: programs.url,
            audience: 'svc',
            authenticationIdClaim: 'sub',
            rolesClaim: 'roles',
            acceptedRoles: ['svc-scim'],
            defaultUserRoles: [],
          },
        },
      ]),
    },
  });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await Promise.all([people, programs].map((issuer) => issuer[Symbol.asyncDispose]()));
});

const person = (userName: string, more: object = {}) => ({
  userName,
  name: { givenName: 'Call', familyName: 'Er' },
  emails: [{ type: 'work', value: `${userName}@example.com` }],
  ...more,
});
const bearer = async (issuer: Issuer, claims: object, options?: SignOptions) =>
  `Bearer ${await issuer.sign(claims, options)}`;
const program = (sub: string, roles = ['svc-scim'], options?: SignOptions) =>
  bearer(programs, { sub, roles }, options);
async function keyOf(id: string, roles: readonly string[]): Promise<string> {
  const { status, body } = await server.api('PUT', `apikey/${id}`, { body: { roles } });
  expect(status).toBe(201);
  return `Bearer ${body.key}`;
}

describe('a program with a token of its issuer', () => {
  it('makes, finds, changes and deletes people, whom it knows by names of its own', async () => {
    const as = await program('entra');
    const made = await scim('POST', '/Users', { as, body: person('token-1', { externalId: 'e-1' }) });
    expect([made.status, made.body.detail]).toEqual([201, undefined]);
    const path = `/Users/${made.body.id}`;
    const found = await scim('GET', '/Users?filter=externalId+eq+%22e-1%22', { as: await program('entra') });
    expect(found.body.Resources.map(({ id }: { id: string }) => id)).toEqual([made.body.id]);
    const off = { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] };
    expect((await scim('PATCH', path, { as, body: off })).body.active).toBe(false);
    const other = await scim('GET', path, { as: await program('okta') });
    expect([other.status, other.body.userName, other.body.externalId]).toEqual([200, 'token-1', undefined]);
    expect((await scim('DELETE', path, { as })).status).toBe(204);
  });

  it('may no more than the roles that are taken from it, and nothing of /managed', async () => {
    for (const roles of [[], ['svc-admin'], ['scim-finder']]) {
      const { status, body } = await scim('GET', '/Users', { as: await program('small', roles) });
      expect([roles, status, body.schemas]).toEqual([roles, 403, [ERROR]]);
    }
    const headers = { Authorization: await program('entra') };
    expect((await server.api('GET', 'managed/user?_queryFilter=true', { user: null, headers })).status).toBe(
      403,
    );
  });

  it('renames nobody whose roles open more than its own', async () => {
    const admin = { authzRoles: [{ _ref: 'repo/internal/role/svc-admin' }], password: PASSWORD };
    const boss = { userName: 'boss', givenName: 'B', sn: 'Oss', mail: 'boss@example.com', ...admin };
    expect((await server.api('PUT', 'managed/user/boss', { body: boss })).status).toBe(201);
    const as = await program('entra');
    const renamed = { Operations: [{ op: 'replace', path: 'userName', value: 'nobody' }] };
    const refused = await scim('PATCH', '/Users/boss', { as, body: renamed });
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringContaining('open what your own'),
    ]);
    expect((await server.api('GET', 'managed/user/boss')).body.userName).toBe('boss');
  });

  it.each<[string, () => Promise<string>]>([
    ['over', () => program('entra', ['svc-scim'], { expires: new Date(Date.now() - 3_600_000) })],
    ['of another audience', () => program('entra', ['svc-scim'], { audience: 'other' })],
    ['of another issuer', () => program('entra', ['svc-scim'], { issuer: 'https://other.example.com' })],
    ['for a log-out', () => program('entra', ['svc-scim'], { typ: 'logout+jwt' })],
    ['signed by somebody else', async () => (await program('entra')).replace(/.{9}$/, 'AAAAAAAAA')],
    ['of none', async () => 'Bearer nonsense'],
  ])('is let in by no token that is %s', async (_what, token) => {
    const { status, headers, body } = await scim('GET', '/Users', { as: await token() });
    expect([status, headers.get('www-authenticate'), body.schemas, body.status]).toEqual([
      401,
      'Bearer realm="scim"',
      [ERROR],
      '401',
    ]);
  });
});

describe('a key', () => {
  it('may what the rules grant its own roles, and nothing else', async () => {
    const as = await keyOf('finder', ['scim-finder']);
    const all = await keyOf('all', ['svc-scim']);
    const { body } = await scim('POST', '/Users', { as: all, body: person('found') });
    const found = await scim('GET', '/Users?filter=userName+eq+%22found%22', { as });
    expect([found.status, found.body.totalResults]).toEqual([200, 1]);
    for (const [method, path, sent] of [
      ['GET', `/Users/${body.id}`],
      ['GET', '/Groups'],
      ['POST', '/.search', {}],
      ['POST', '/Users', person('more')],
      ['PATCH', `/Users/${body.id}`, { Operations: [] }],
      ['DELETE', `/Users/${body.id}`],
      ['POST', '/Bulk', { Operations: [] }],
    ] as const) {
      const answer = await scim(method, path, { as, ...(sent === undefined ? {} : { body: sent }) });
      expect([method, path, answer.status]).toEqual([method, path, 403]);
    }
  });

  it('is nobody of its own', async () => {
    const me = await scim('GET', '/Me', { as: await keyOf('nobody', ['svc-scim', 'svc-authorized']) });
    expect([me.status, me.body.schemas]).toEqual([404, [ERROR]]);
    expect(me.body.detail).toContain('/Me is for people');
  });
});

describe('somebody', () => {
  beforeAll(() => createUser('kim'));
  const rename = (givenName: string) => ({
    Operations: [{ op: 'replace', path: 'name.givenName', value: givenName }],
  });

  it('with a token of an issuer is the one whom it names', async () => {
    const as = await bearer(people, { preferred_username: 'kim' });
    const me = await scim('GET', '/Me', { as });
    expect([me.status, me.body.userName]).toEqual([200, 'kim']);
    expect((await scim('PATCH', '/Me', { as, body: rename('Kimmy') })).body.name.givenName).toBe('Kimmy');
    expect((await scim('GET', '/Users', { as })).status).toBe(403);
  });

  it('with a session is who has begun it, on a page of our own, and not by its token alone', async () => {
    const session = await begin(passwordOf('kim', PASSWORD));
    const ask = (method: string, headers: Record<string, string>, body?: object) =>
      scim(method, '/Me', { as: null, headers, ...(body === undefined ? {} : { body }) });
    const me = await ask('GET', session);
    expect([me.status, me.body.userName]).toEqual([200, 'kim']);
    expect((await ask('PATCH', session, rename('Forged'))).status).toBe(403);
    const changed = await ask('PATCH', { ...session, ...OWN_PAGE }, rename('Kimberley'));
    expect([changed.status, changed.body.name.givenName]).toEqual([200, 'Kimberley']);
    const token = session.Cookie.slice(session.Cookie.indexOf('=') + 1);
    expect((await ask('GET', { Authorization: `Bearer ${token}` })).status).toBe(401);
  });
});
