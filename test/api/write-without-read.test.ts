/** Who may write something and not read it is told no more of it than its id and revision. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api, CallOptions } from '../support/api.ts';
import { rolesApi } from '../support/roles.ts';
import { scimOf } from '../support/scim.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PASSWORD = 'Asking-4-history';
const RULES = `var httpAccessConfig = { configs: [
  { pattern: '*', roles: 'svc-admin', methods: '*', actions: '*' },
  { pattern: 'managed/user', roles: 'svc-authorized', methods: 'create', actions: '' },
  { pattern: 'managed/user/*', roles: 'svc-authorized', methods: 'create,update,patch,delete,action', actions: 'patch' },
  { pattern: 'scheduler/job/*', roles: 'svc-authorized', methods: 'update', actions: '' },
  { pattern: 'scim/Users/*', roles: 'svc-authorized', methods: 'update,patch', actions: '' },
  { pattern: 'apikey', roles: 'svc-authorized', methods: 'create', actions: '' },
  { pattern: 'endpoint/say', roles: 'svc-authorized', methods: 'update', actions: '' },
  { pattern: '*', roles: 'svc-authorized', methods: 'read', actions: '', customAuthz: 'ownDataOnly()' } ] };`;
const SCHEDULE = {
  ...{ type: 'cron', schedule: '0 0 2 * * ?', timeZone: 'UTC', invokeService: 'script' },
  invokeContext: { script: { type: 'text/javascript', source: '1' } },
};
const SAY = { type: 'text/javascript', source: "({ said: 'so' })" };
const FIELDS = '_fields=*,roles/*';
const EDIT = [{ operation: 'replace', field: '/city', value: 'Basel' }];

describe('a write by somebody who may not read', () => {
  let server: TestServer;
  let api: Api;
  let writer: string;

  beforeAll(async () => {
    server = await startTestServer({
      files: { 'script/access.js': RULES, 'conf/endpoint-say.json': SAY },
    });
    api = server.api;
    writer = await user({ password: PASSWORD });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const { user } = rolesApi(() => api);
  const scim = scimOf(() => server);
  const write = (method: string, path: string, options: CallOptions = {}) =>
    api(method, path, { user: writer, password: PASSWORD, ...options });

  it.each<[string, string, string, unknown]>([
    ['a patch', 'PATCH', '', EDIT],
    ['a patch as an action', 'POST', '_action=patch', EDIT],
    ['a PUT', 'PUT', '', { userName: 'put', givenName: 'P', sn: 'Ut', mail: 'put@example.com' }],
    ['a deletion', 'DELETE', '', undefined],
  ])('is answered with id and revision alone: %s', async (_what, method, query, body) => {
    const id = await user({ city: 'Bern', telephoneNumber: '1' });
    expect((await write('GET', `managed/user/${id}`)).status).toBe(403);
    const options = body === undefined ? {} : { body };
    for (const fields of ['', FIELDS]) {
      const asked = `managed/user/${id}?${[query, fields, '_dryRun=true'].filter((part) => part !== '').join('&')}`;
      const rehearsed = await write(method, asked, options);
      expect(rehearsed.status, JSON.stringify(rehearsed.body)).toBe(200);
      expect(rehearsed.body.result).toEqual({ _id: id, _rev: expect.any(String) });
      expect(JSON.stringify(rehearsed.body)).not.toContain('Bern');
    }
    const path = `managed/user/${id}?${[query, FIELDS].filter((part) => part !== '').join('&')}`;
    const written = await write(method, path, options);
    expect([written.status, written.body]).toEqual([200, { _id: id, _rev: expect.any(String) }]);
  });

  it.each<[string, unknown]>([
    ['PATCH', { Operations: [{ op: 'replace', path: 'name.givenName', value: 'Ada' }] }],
    [
      'PUT',
      { userName: 'scim', name: { givenName: 'S', familyName: 'Cim' }, emails: [{ value: 's@example.com' }] },
    ],
  ])('is answered with no resource of SCIM: %s', async (method, body) => {
    const id = await user({ city: 'Bern' });
    const as = `Basic ${Buffer.from(`${writer}:${PASSWORD}`).toString('base64')}`;
    expect((await scim('GET', `/Users/${id}`, { as })).status).toBe(403);
    const rehearsed = await scim(method, `/Users/${id}?_dryRun=true`, { as, body });
    expect(rehearsed.body.result).toEqual({ _id: id, _rev: expect.any(String) });
    const written = await scim(method, `/Users/${id}?attributes=addresses`, { as, body });
    expect([written.status, written.body]).toEqual([204, undefined]);
    expect(written.headers.get('etag')).toMatch(/^W\/"\d+"$/);
  });

  it('shows nothing of a schedule, either', async () => {
    expect((await api('PUT', 'scheduler/job/nightly', { body: SCHEDULE })).status).toBe(201);
    const body = { ...SCHEDULE, schedule: '0 0 3 * * ?' };
    const { status, body: answer } = await write('PUT', 'scheduler/job/nightly', { body });
    expect([status, Object.keys(answer).filter((name) => !['_id', '_rev'].includes(name))]).toEqual([
      200,
      [],
    ]);
  });

  it('tells whoever has made something what it has become', async () => {
    const body = { userName: 'new', givenName: 'N', sn: 'Ew', mail: 'new@example.com' };
    expect((await write('POST', 'managed/user', { body })).body).toMatchObject({
      ...body,
      accountStatus: 'active',
    });
    expect(
      (await write('PUT', 'managed/user/put-new', { body: { ...body, userName: 'n2' } })).body,
    ).toMatchObject({ userName: 'n2', accountStatus: 'active' });
    const key = await write('PUT', 'apikey/program', { body: { roles: ['svc-authorized'] } });
    expect(key.body.key).toMatch(/^program\./);
  });

  it('leaves an endpoint its own words, and people their own object', async () => {
    expect((await write('PUT', 'endpoint/say', { body: {} })).body).toMatchObject({ said: 'so' });
    const own = await write('PATCH', `managed/user/${writer}`, { body: EDIT });
    expect(own.body).toMatchObject({ userName: writer, city: 'Basel' });
  });
});
