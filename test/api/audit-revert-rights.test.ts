import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api, CallOptions } from '../support/api.ts';
import { rolesApi } from '../support/roles.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PASSWORD = 'Asking-4-history';
const RULES = `var httpAccessConfig = { configs: [
  { pattern: '*', roles: 'svc-admin', methods: '*', actions: '*' },
  { pattern: 'authentication', roles: '*', methods: 'action', actions: 'login' },
  { pattern: 'audit', roles: 'svc-authorized,svc-reg', methods: '*', actions: '*' },
  { pattern: 'audit/*', roles: 'svc-authorized', methods: '*', actions: '*' },
  { pattern: 'scheduler', roles: 'svc-authorized', methods: '*', actions: '*' },
  { pattern: 'scheduler/*', roles: 'svc-authorized', methods: '*', actions: '*' },
  { pattern: 'config', roles: 'svc-authorized', methods: '*', actions: '*' },
  { pattern: 'config/*', roles: 'svc-authorized', methods: '*', actions: '*' },
  { pattern: 'apikey', roles: 'svc-authorized', methods: '*', actions: '*' },
  { pattern: 'apikey/*', roles: 'svc-authorized', methods: '*', actions: '*' },
  { pattern: 'managed/role', roles: 'svc-authorized', methods: '*', actions: '*' },
  { pattern: 'managed/role/*', roles: 'svc-authorized', methods: '*', actions: '*' },
  { pattern: 'managed/user/*', roles: 'svc-authorized', methods: 'patch', actions: '' },
  { pattern: 'managed/parcel', roles: 'svc-authorized', methods: '*', actions: '*' },
  { pattern: 'managed/parcel/*', roles: 'svc-authorized', methods: '*', actions: '*' } ] };`;
const PARCEL = {
  name: 'parcel',
  schema: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      street: { type: 'string' },
      pin: { type: 'string' },
    },
  },
};
const SCRIPT = { type: 'text/javascript', source: 'logger.info("evil")' };

describe('taking back what the trail tells of', () => {
  let server: TestServer;
  let api: Api;
  let dele: string;

  beforeAll(async () => {
    server = await startTestServer({ files: { 'script/access.js': RULES } });
    api = server.api;
    dele = await user({ password: PASSWORD });
    const objects = (await api('GET', 'config/managed')).body.objects;
    const changed = await api('PUT', 'config/managed', { body: { objects: [...objects, PARCEL] } });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const { user, role, set } = rolesApi(() => api);
  const asDele = (method: string, path: string, options: CallOptions = {}) =>
    api(method, path, { user: dele, password: PASSWORD, ...options });
  const last = async (path: string) => {
    const filter = encodeURIComponent(`objectId eq "${path}"`);
    return (await api('GET', `audit/activity?_queryFilter=${filter}&_sortKeys=timestamp`)).body.result.at(-1);
  };
  const revert = (id: string) => asDele('POST', `audit/activity/${id}?_action=revert`, { body: {} });
  const conflictOf = async (path: string) => (await revert((await last(path))._id)).body.detail.conflicts[0];

  it('takes no entry for history that somebody has written', async () => {
    for (const entry of [
      { objectId: 'scheduler/job/evil', operation: 'DELETE', before: { name: 'evil' }, after: null },
      { objectId: `managed/user/${dele}`, before: { sn: 'x' }, after: { sn: 'Ser' }, changedFields: ['/sn'] },
    ]) {
      const made = await asDele('POST', 'audit/activity?_action=create', { body: entry });
      expect(made.status).toBe(201);
      const { body } = await revert(made.body._id);
      expect(body).toEqual({
        reverted: [],
        conflicts: [],
        left: [{ resource: entry.objectId, why: expect.stringContaining('written the entry by hand') }],
      });
    }
    expect((await api('GET', 'scheduler/job/evil')).status).toBe(404);
  });

  it('brings no script back for those who may not evaluate one', async () => {
    const body = {
      ...{ type: 'cron', schedule: '0 0 2 * * ?', timeZone: 'UTC', invokeService: 'script' },
      invokeContext: { script: SCRIPT },
    };
    const path = 'scheduler/job/nightly';
    expect((await api('PUT', path, { body })).status).toBe(201);
    expect((await api('DELETE', path)).status).toBe(200);
    expect((await asDele('PUT', path, { body })).body.detail.id).toBe('SCRIPT_NOT_ALLOWED');
    expect(await conflictOf(path)).toMatchObject({ resource: path, id: 'SCRIPT_NOT_ALLOWED' });
    expect((await api('GET', path)).status).toBe(404);
    const change = `audit/activity/${(await last(path))._id}`;
    expect((await api('POST', `${change}?_action=revert`, { body: {} })).status).toBe(200);
    expect((await api('GET', path)).status).toBe(200);
  });

  it('gives a role no condition that whoever asks may not set', async () => {
    const r = await role({ condition: '/userName eq "nobody"' });
    await set(`role/${r}`, '/condition', null);
    expect(await conflictOf(`managed/role/${r}`)).toMatchObject({ id: 'CONDITION_NOT_YOURS' });
    expect((await api('GET', `managed/role/${r}`)).body.condition).toBeUndefined();
  });

  it('makes and ends no way in', async () => {
    await api('PUT', 'apikey/program', { body: { roles: ['svc-admin'] } });
    const made = await last('apikey/program');
    const left = [{ resource: 'apikey/program', why: 'It is a way in' }];
    expect((await revert(made._id)).body.left).toEqual(left);
    expect((await api('GET', 'apikey/program')).status).toBe(200);
    await api('DELETE', 'apikey/program');
    expect((await revert((await last('apikey/program'))._id)).body.left).toEqual(left);
    expect((await api('GET', 'apikey/program')).status).toBe(404);
  });

  it('compares nothing with what whoever asks may not read', async () => {
    const u = await user({ city: 'Bern' });
    for (const city of ['Basel', 'Chur']) await set(`user/${u}`, '/city', city);
    const words = 'You may not read it, and so it cannot be compared';
    expect((await conflictOf(`managed/user/${u}`)).why).toBe(words);
    await set(`user/${u}`, '/department', 'IT');
    expect((await conflictOf(`managed/user/${u}`)).why).toBe(words);
  });

  it('nor with what a filter takes from what it reads', async () => {
    const source = 'delete response.content.pin';
    const onResponse = { type: 'text/javascript', source };
    const filters = [{ pattern: 'managed/parcel/.+', methods: ['read'], onResponse }];
    expect((await api('PUT', 'config/router', { body: { filters } })).status).toBeLessThan(300);
    await api('PUT', 'managed/parcel/p', { body: { city: 'Bern', pin: '1' } });
    await set('parcel/p', '/pin', '2');
    const change = (await last('managed/parcel/p'))._id;
    await set('parcel/p', '/city', 'Basel');
    const why = '/pin is not shown to you, and so it cannot be compared';
    expect((await revert(change)).body.detail.conflicts).toEqual([{ resource: 'managed/parcel/p', why }]);
    await set('parcel/p', '/pin', '3');
    expect((await revert(change)).body.detail.conflicts).toEqual([{ resource: 'managed/parcel/p', why }]);
    await set('parcel/p', '/street', 'Hof');
    await set('parcel/p', '/street', null);
    expect((await revert((await last('managed/parcel/p'))._id)).status).toBe(200);
    expect((await api('GET', 'managed/parcel/p')).body.street).toBe('Hof');
  });

  it('counts for who may not read it nothing but by what counts are told', async () => {
    const count = (queryFilter: string) =>
      api('POST', 'audit?_action=aggregate', {
        user: 'anonymous',
        password: 'anonymous',
        body: { by: ['topic'], queryFilter },
      });
    expect((await count('topic eq "activity" and userId pr')).status).toBe(200);
    expect((await count('/after/city sw "B"')).status).toBe(403);
  });
});
