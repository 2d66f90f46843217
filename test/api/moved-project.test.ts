import { createCipheriv } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { COMMON_RING } from '../support/key-ring.ts';
import { fixtureFiles } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const OLD_KEY = Buffer.alloc(16, 7);
const NEW_KEY = Buffer.alloc(32, 8);
const ALIAS = 'openidm-sym-default';

/** As servers of the field have stored it. */
function oldEnvelope(text: string): JsonObject {
  const iv = Buffer.alloc(16, 3);
  const cipher = createCipheriv('aes-128-cbc', OLD_KEY, iv);
  const data = Buffer.concat([cipher.update(JSON.stringify(text)), cipher.final()]).toString('base64');
  const value = { cipher: 'AES/CBC/PKCS5Padding', data, iv: iv.toString('base64'), key: ALIAS };
  return { $crypto: { type: 'x-simple-encryption', value } };
}

const MODULES = {
  serverAuthContext: {
    sessionModule: { name: 'JWT_SESSION', properties: { 'max-token-life-minutes': 120 } },
    authModules: [
      {
        name: 'INTERNAL_USER',
        enabled: true,
        properties: {
          queryId: 'credential-internaluser-query',
          queryOnResource: 'repo/internal/user',
          propertyMapping: {
            authenticationId: 'username',
            userCredential: 'password',
            userRoles: 'roles',
          },
          defaultUserRoles: [],
        },
      },
      {
        name: 'MANAGED_USER',
        enabled: true,
        properties: {
          augmentSecurityContext: {
            type: 'text/javascript',
            file: 'auth/populateRolesFromRelationship.js',
          },
          queryId: 'credential-query',
          queryOnResource: 'managed/user',
          propertyMapping: {
            authenticationId: 'username',
            userCredential: 'password',
            userRoles: 'authzRoles',
          },
          defaultUserRoles: ['svc-authorized'],
        },
      },
      {
        name: 'CLIENT_CERT',
        enabled: true,
        properties: {
          queryOnResource: 'security/truststore',
          defaultUserRoles: ['svc-cert'],
          allowedAuthenticationIdPatterns: [],
        },
      },
      { name: 'PASSTHROUGH', enabled: true, properties: { queryOnResource: 'system/ldap/account' } },
    ],
  },
};

describe('a project that another server of the field has served, with its keys', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    const files = await fixtureFiles('field-project');
    const managed = files['conf/managed.json']!.replaceAll('svc-sym-default', ALIAS);
    server = await startTestServer({
      files: { ...files, 'conf/managed.json': managed, 'conf/authentication.json': MODULES },
      environment: {
        SVC_KEYS: JSON.stringify({
          ...(JSON.parse(COMMON_RING) as JsonObject),
          [ALIAS]: [NEW_KEY.toString('base64'), OLD_KEY.toString('base64')],
        }),
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const person = (userName: string) => ({
    userName,
    givenName: userName,
    sn: 'Moved',
    mail: `${userName}@example.com`,
    password: 'Passw0rd',
  });

  it('starts, though modules of authentication that cannot let anybody in are switched on', async () => {
    expect((await api('GET', 'info/ping')).status).toBe(200);
  });

  it('lets in whom the query for credentials finds, whatever its parameter is called', async () => {
    const created = await api('POST', 'managed/user', { body: person('fay') });
    expect(created.status).toBe(201);
    const own = await api('GET', 'info/login', { user: 'fay', password: 'Passw0rd' });
    expect([own.status, own.body.authenticationId]).toEqual([200, 'fay']);
    expect((await api('GET', 'info/login', { user: 'fay', password: 'other' })).status).toBe(401);
  });

  it('lets in whose password an older key has encrypted, and encrypts new ones under the key in front', async () => {
    const { status, body } = await api('POST', 'managed/user', { body: person('gus') });
    expect(status).toBe(201);
    const { rows } = await server.database.pool.query(
      `select data->'password'->'$crypto'->'value'->>'cipher' as cipher, data->'password'->'$crypto'->'value'->>'key' as key
       from managed_object where id = $1`,
      [body._id],
    );
    expect(rows).toEqual([{ cipher: expect.stringMatching(/GCM/), key: expect.stringContaining(ALIAS) }]);
    await server.database.pool.query(
      `update managed_object set data = jsonb_set(data, '{password}', $2::jsonb), rev = rev + 1 where id = $1`,
      [body._id, JSON.stringify(oldEnvelope('From-the-past1'))],
    );
    const own = await api('GET', 'info/login', { user: 'gus', password: 'From-the-past1' });
    expect([own.status, own.body.authenticationId]).toEqual([200, 'gus']);
  });

  it('takes rules that ask for self-service and for the user interface', async () => {
    const { status } = await api('POST', 'managed/user', {
      body: person('hal'),
      user: 'anonymous',
      password: 'anonymous',
    });
    expect(status).toBe(401);
    const { status: read } = await api('GET', 'managed/user?_queryFilter=true');
    expect(read).toBe(200);
  });

  it('knows the queries by name that its scripts ask', async () => {
    const put = (id: string, firstId: string) =>
      api('PUT', `repo/thing/${id}`, {
        body: { linkType: 'a_b', firstId, receiverId: 'r' },
        headers: { 'If-None-Match': '*' },
      });
    await put('one', 'x');
    await put('two', 'y');
    const ids = async (query: string) =>
      (await api('GET', `repo/thing?${query}`)).body.result.map(({ _id }: JsonObject) => _id).sort();
    expect(await ids('_queryId=links-for-linkType&linkType=a_b')).toEqual(['one', 'two']);
    expect(await ids('_queryId=links-for-firstId&linkType=a_b&firstId=y')).toEqual(['two']);
    expect(await ids('_queryId=get-notifications-for-user&userId=r')).toEqual(['one', 'two']);
  });

  it('creates and deletes users and assignments with the hooks of the field', async () => {
    const { body } = await api('POST', 'managed/user', { body: person('ida') });
    expect((await api('DELETE', `managed/user/${body._id}`)).status).toBe(200);
    const assignment = {
      name: 'box',
      description: 'A box',
      mapping: 'managedUser_systemDirectory',
    };
    expect((await api('POST', 'managed/assignment', { body: assignment })).status).toBe(201);
  });

  it('shows scripts and the audit no secret that a client of the other server sends in its headers', async () => {
    const headers = { 'X-OpenIDM-Password': 'Leaking-1', 'X-OpenIDM-Reauth-Password': 'Leaking-2' };
    const source = 'JSON.stringify(context.http.headers)';
    const { status, body } = await api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source },
      headers,
    });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toMatch(/Leaking/);
    await api('POST', 'managed/user', { body: person('jo'), headers });
    const { rows } = await server.database.pool.query(
      `select count(*)::int as all, count(*) filter (where event::text like '%Leaking%')::int as leaking from audit_event`,
    );
    expect(rows[0].all).toBeGreaterThan(0);
    expect(rows[0].leaking).toBe(0);
  });
});
