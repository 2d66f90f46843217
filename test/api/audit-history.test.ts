import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { rolesApi } from '../support/roles.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PASSWORD = 'Asking-4-history';

describe('the history in the audit trail', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer();
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const { user, role, role_, patch, set, read } = rolesApi(() => api);
  const entriesOf = async (path: string) => {
    const filter = encodeURIComponent(`objectId eq "${path}"`);
    return (await api('GET', `audit/activity?_queryFilter=${filter}&_sortKeys=timestamp`)).body.result;
  };
  const last = async (path: string) => (await entriesOf(path)).at(-1);
  const revert = (id: string, more = '', options: object = {}) =>
    api('POST', `audit/activity/${id}?_action=revert${more}`, { body: {}, ...options });
  const revertAll = (transactionId: unknown, more = '', options: object = {}) =>
    api('POST', `audit?_action=revert${more}`, { body: { transactionId }, ...options });

  describe('is taken back', () => {
    it('change by change, after a rehearsal that tells what would be done', async () => {
      const u = await user({ city: 'Bern' });
      await patch(
        `user/${u}`,
        { operation: 'replace', field: '/city', value: 'Basel' },
        { operation: 'add', field: '/department', value: 'IT' },
      );
      const { _id } = await last(`managed/user/${u}`);
      const told = await revert(_id, '&_dryRun=true');
      expect(told.body.result).toEqual({
        reverted: [{ resource: `managed/user/${u}`, operation: 'patch', fields: expect.any(Array) }],
        conflicts: [],
        left: [],
      });
      expect((await read(u)).city).toBe('Basel');
      expect((await revert(_id)).status).toBe(200);
      const now = await read(u);
      expect([now.city, now.department]).toEqual(['Bern', undefined]);
    });

    it('unless somebody has changed the same since, and what else was changed stays', async () => {
      const u = await user({ city: 'Bern' });
      await set(`user/${u}`, '/city', 'Basel');
      const { _id } = await last(`managed/user/${u}`);
      await set(`user/${u}`, '/department', 'IT');
      await set(`user/${u}`, '/city', 'Chur');
      const refused = await revert(_id);
      expect([refused.status, refused.body.detail]).toMatchObject([
        409,
        {
          id: 'AUDIT_REVERT_CONFLICT',
          conflicts: [{ resource: `managed/user/${u}`, why: '/city was changed since' }],
        },
      ]);
      expect((await revert(_id, '&_dryRun=true')).body.result.conflicts).toHaveLength(1);
      await set(`user/${u}`, '/city', 'Basel');
      expect((await revert(_id)).status).toBe(200);
      const now = await read(u);
      expect([now.city, now.department]).toEqual(['Bern', 'IT']);
    });

    it('without secrets, which the trail does not have', async () => {
      const u = await user({ city: 'Bern', password: PASSWORD });
      await patch(
        `user/${u}`,
        { operation: 'replace', field: '/password', value: 'Another-4-history' },
        { operation: 'replace', field: '/city', value: 'Basel' },
      );
      const { _id } = await last(`managed/user/${u}`);
      const { body } = await revert(_id);
      expect(body.left).toContainEqual({
        resource: `managed/user/${u}`,
        field: '/password',
        why: 'The trail shows no secrets',
      });
      const own = { user: u, password: 'Another-4-history' };
      expect((await api('GET', `managed/user/${u}`, own)).body.city).toBe('Bern');
    });

    it('whole transactions at once, with the relationships that they made and took', async () => {
      const [r1, r2] = [await role(), await role()];
      const u = await user({ city: 'Bern', roles: [role_(r1)] });
      const changed = await patch(
        `user/${u}`,
        { operation: 'replace', field: '/roles', value: [role_(r2)] },
        { operation: 'replace', field: '/city', value: 'Basel' },
      );
      const transaction = changed.headers.get('x-request-id');
      const done = await revertAll(transaction);
      expect([done.status, done.body.reverted.length]).toEqual([200, 3]);
      const now = await read(u);
      expect([now.city, now.roles.map(({ _ref }: { _ref: string }) => _ref)]).toEqual([
        'Bern',
        [`managed/role/${r1}`],
      ]);
    });

    it('creations and deletions, too', async () => {
      const r = await role();
      const made = await last(`managed/role/${r}`);
      await api('DELETE', `managed/role/${r}`);
      const gone = await last(`managed/role/${r}`);
      expect((await revert(made._id)).body.detail.conflicts).toEqual([
        { resource: `managed/role/${r}`, why: 'It is gone' },
      ]);
      expect((await revert(gone._id)).body.reverted).toEqual([
        { resource: `managed/role/${r}`, operation: 'create' },
      ]);
      expect((await api('GET', `managed/role/${r}`)).body.description).toBe('A role');
      const again = await last(`managed/role/${r}`);
      expect((await revertAll(again.transactionId)).status).toBe(200);
      expect((await api('GET', `managed/role/${r}`)).status).toBe(404);
    });

    it('in one piece: one conflict leaves everything as it is', async () => {
      const source = (city: string) =>
        `['x1', 'x2'].forEach(function (id) {
           svc.patch('managed/user/' + id, null, [{operation: 'replace', field: '/city', value: '${city}'}]);
         });`;
      for (const id of ['x1', 'x2']) {
        await api('PUT', `managed/user/${id}`, {
          body: { userName: id, givenName: 'X', sn: 'X', mail: `${id}@example.com`, city: 'Bern' },
        });
      }
      const ran = await api('POST', 'script?_action=eval', {
        body: { type: 'text/javascript', source: source('Basel') },
      });
      const transaction = ran.headers.get('x-request-id');
      await set('user/x2', '/city', 'Chur');
      expect((await revertAll(transaction)).status).toBe(409);
      expect((await read('x1')).city).toBe('Basel');
      await set('user/x2', '/city', 'Basel');
      expect((await revertAll(transaction)).status).toBe(200);
      expect([(await read('x1')).city, (await read('x2')).city]).toEqual(['Bern', 'Bern']);
    });

    it('but for what belongs to one person alone', async () => {
      const u = await user({ password: PASSWORD });
      const as = { user: u, password: PASSWORD };
      await api('PUT', 'preference/theme', { body: { value: 'dark' }, ...as });
      await api('DELETE', 'preference/theme', as);
      const gone = await last('preference/theme');
      expect([gone.operation, gone.owner]).toEqual(['DELETE', `managed/user/${u}`]);
      expect((await revert(gone._id)).body).toEqual({
        reverted: [],
        conflicts: [],
        left: [{ resource: 'preference/theme', why: 'It belongs to one person alone' }],
      });
      expect((await api('GET', 'preference/theme')).status).toBe(404);
    });

    it('without a word of what stands there today to who may not change it', async () => {
      const rules = `var httpAccessConfig = { configs: [
        { pattern: 'audit/*', roles: 'svc-authorized', methods: '*', actions: '*' },
        { pattern: '*', roles: 'svc-admin', methods: '*', actions: '*' } ] };`;
      await using other = await startTestServer({ files: { 'script/access.js': rules } });
      const elsewhere = rolesApi(() => other.api);
      const kim = await elsewhere.user({ password: PASSWORD });
      for (const city of ['Bern', 'Basel']) await elsewhere.set(`user/${kim}`, '/city', city);
      const filter = encodeURIComponent(`objectId eq "managed/user/${kim}"`);
      const { body } = await other.api('GET', `audit/activity?_queryFilter=${filter}&_sortKeys=timestamp`);
      expect(body.result).toHaveLength(3);
      for (const { _id } of body.result) {
        const asked = await other.api('POST', `audit/activity/${_id}?_action=revert`, {
          body: {},
          user: kim,
          password: PASSWORD,
        });
        expect([asked.status, asked.body.detail.id]).toEqual([403, 'ACCESS_DENIED']);
      }
    });

    it('by nobody who may not, and not of what there is not', async () => {
      const u = await user({ password: PASSWORD });
      const { _id, transactionId } = await last(`managed/user/${u}`);
      const as = { user: u, password: PASSWORD };
      expect((await revert(_id, '', as)).status).toBe(403);
      expect((await revertAll(transactionId, '', as)).status).toBe(403);
      expect((await revert(_id, '', { user: null })).status).toBe(401);
      expect((await revert('nothing')).status).toBe(404);
      expect((await revertAll('nothing')).status).toBe(404);
      expect((await revertAll(7)).body.detail.id).toBe('AUDIT_NO_TRANSACTION');
    });
  });

  describe('is shown', () => {
    it('as the tree of a request, over all topics', async () => {
      const ran = await api('POST', 'script?_action=eval', {
        body: {
          type: 'text/javascript',
          source: "svc.create('managed/role', 'tree', {name: 'tree', description: 'A role'})",
        },
      });
      const id = ran.headers.get('x-request-id');
      const tree = () => api('GET', `audit/transaction/${id}`);
      const { status, body } = await tree();
      expect(status).toBe(200);
      expect(body.transaction).toBe(id);
      expect(body.children).toEqual([
        {
          transaction: `${id}/0`,
          entries: [
            expect.objectContaining({
              topic: 'activity',
              objectId: 'managed/role/tree',
              operation: 'CREATE',
            }),
          ],
        },
      ]);
      expect((await api('GET', `audit/transaction/${id}/0`)).body.entries).toHaveLength(1);
      expect((await api('GET', 'audit/transaction/nothing')).status).toBe(404);
    });

    it('as one stream of all topics, and by what was changed', async () => {
      const u = await user({ city: 'Bern' });
      await set(`user/${u}`, '/city', 'Basel');
      const query = (scope: string, filter: string) =>
        api('GET', `audit/${scope}?_queryFilter=${encodeURIComponent(filter)}`);
      const { body } = await query('_all', `objectId eq "managed/user/${u}" and topic eq "activity"`);
      expect(body.result.map((row: { operation: string }) => row.operation)).toEqual(['CREATE', 'PATCH']);
      const changed = await query('activity', `changedFields eq "/city" and objectId eq "managed/user/${u}"`);
      expect(changed.body.result).toHaveLength(1);
      const one = await api('GET', `audit/_all/${body.result[0]._id}`);
      expect([one.status, one.body.topic]).toEqual([200, 'activity']);
    });

    it('in numbers, by topic, user and operation', async () => {
      const count = (body: object, options: object = {}) =>
        api('POST', 'audit?_action=aggregate', { body, ...options });
      const { body } = await count({
        bucket: 'day',
        by: ['topic', 'user', 'operation'],
        queryFilter: 'objectId sw "managed/role/"',
      });
      const made = body.buckets.find(
        (each: { topic: string; operation: string }) =>
          each.topic === 'activity' && each.operation === 'CREATE',
      );
      expect(made).toMatchObject({ user: 'svc-admin', at: expect.any(String) });
      expect(made.count).toBeGreaterThan(1);
      for (const [wrong, field] of [
        [{ from: 'soon' }, '/from'],
        [{ from: '2026-02-30T00:00:00Z' }, '/from'],
        [{ from: '2026-01-01T00:00:00Z', to: '2025-01-01T00:00:00Z' }, '/from'],
        [{ from: '2020-01-01T00:00:00Z', to: '2025-01-01T00:00:00Z' }, '/from'],
        [{ from: '2026-01-01T00:00:00Z', to: '2026-01-05T00:00:00Z', bucket: 'minute' }, '/bucket'],
        [{ bucket: 'week' }, '/bucket'],
        [{ by: ['colour'] }, '/by'],
        [{ queryFilter: 7 }, '/queryFilter'],
      ] as const) {
        const refused = await count(wrong);
        expect([refused.status, refused.body.detail]).toMatchObject([400, { id: 'AUDIT_BAD_RANGE', field }]);
      }
      expect((await count({ queryFilter: 'userId eq' })).status).toBe(400);
    });

    it('to administrators alone', async () => {
      const u = await user({ password: PASSWORD });
      for (const [method, path] of [
        ['GET', 'audit/transaction/x'],
        ['GET', 'audit/_all?_queryFilter=true'],
        ['POST', 'audit?_action=aggregate'],
      ] as const) {
        const body = method === 'POST' ? { body: {} } : {};
        expect((await api(method, path, { user: u, password: PASSWORD, ...body })).status).toBe(403);
        expect((await api(method, path, { user: null, ...body })).status).toBe(401);
      }
    });
  });
});
