import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
const two = (reverse: string, more: object = {}) => ({
  type: 'relationship',
  reverseRelationship: true,
  reversePropertyName: reverse,
  validate: true,
  ...more,
});
const list = (items: object, more: object = {}) => ({ type: 'array', items, ...more });
const virtual = (source: string) => ({ isVirtual: true, returnByDefault: true, onRetrieve: script(source) });
const patchItself = (field: string) =>
  `svc.patch(resourceName, null, [{ operation: 'add', field: '/${field}', value: 1 }]);`;

const TYPES: { objects: object[] } = {
  objects: [
    { name: 'thing' },
    {
      name: 'person',
      schema: {
        properties: {
          groups: list(
            two('members', {
              conditionalAssociationField: 'condition',
              resourceCollection: [{ path: 'managed/group', label: 'Group' }],
            }),
          ),
          shown: list({ type: 'relationship' }, { returnByDefault: true }),
          tick: virtual("(svc.read('managed/thing/tick') || {}).n || 0"),
        },
      },
    },
    {
      name: 'group',
      schema: { properties: { condition: { type: 'string' }, members: list(two('groups')) } },
    },
    {
      name: 'late',
      postCreate: script(patchItself('created')),
      postUpdate: script(`if (!object.updated) { ${patchItself('updated')} }`),
      onSync: script("if (newObject) { svc.create('managed/thing', null, { synced: newObject }); }"),
    },
    { name: 'leaving', onDelete: script(patchItself('last')) },
    { name: 'endless', onCreate: script("svc.create('managed/endless', null, {});") },
    {
      name: 'chain',
      schema: {
        properties: { next: virtual("object.to ? svc.read('managed/chain/' + object.to).next : 1") },
      },
    },
    {
      name: 'named',
      schema: {
        properties: {
          greeting: virtual("object.full + '!'"),
          full: virtual("object.first + ' ' + object.last"),
        },
      },
    },
    {
      name: 'brought',
      schema: { properties: { home: { type: 'relationship' } } },
      onStore: script("object.home = { _ref: 'managed/thing/x' };"),
    },
    {
      name: 'coded',
      schema: {
        properties: {
          codes: list({
            type: 'object',
            properties: { code: { type: 'string', policies: [{ policyId: 'unique' }] } },
          }),
        },
      },
    },
    {
      name: 'member',
      schema: {
        properties: {
          clubs: list(two('members')),
          effective: {
            isVirtual: true,
            returnByDefault: true,
            queryConfig: {
              referencedRelationshipFields: ['clubs', 'rights'],
              referencedObjectFields: ['label'],
              flattenProperties: true,
            },
          },
        },
      },
    },
    {
      name: 'club',
      schema: { properties: { members: list(two('clubs')), rights: list(two('clubs')) } },
      onSync: { type: 'text/javascript', file: 'roles/onSync-roles.js' },
    },
    {
      name: 'right',
      schema: { properties: { clubs: list(two('rights')) } },
      onSync: { type: 'text/javascript', file: 'roles/onSync-assignments.js', rolesPropName: 'clubs' },
    },
    {
      name: 'odd',
      schema: { properties: { constructor: { type: 'string' }, toString: { type: 'relationship' } } },
    },
  ],
};

describe('managed objects in unusual configurations', () => {
  let server: TestServer;
  let api: Api;
  let next = 0;

  beforeAll(async () => {
    server = await startTestServer({ files: { 'conf/managed.json': TYPES } });
    api = server.api;
    await api('PUT', 'managed/thing/x', { body: {} });
    await api('PUT', 'managed/thing/tick', { body: { n: 0 } });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const put = (path: string, body: object | string = {}) => api('PUT', `managed/${path}`, { body });
  const patch = (path: string, ...body: object[]) => api('PATCH', `managed/${path}`, { body });
  const read = async (path: string) => (await api('GET', `managed/${path}`)).body;
  const person = async (body: object = {}) => {
    const id = `p${++next}`;
    expect((await put(`person/${id}`, body)).status).toBe(201);
    return id;
  };
  const group = async (body: object = {}) => {
    const id = `g${++next}`;
    expect((await put(`group/${id}`, body)).status).toBe(201);
    return id;
  };
  const ref = (path: string, properties?: object) => ({
    _ref: `managed/${path}`,
    ...(properties === undefined ? {} : { _refProperties: properties }),
  });

  describe('checked by triggerSyncCheck', () => {
    const tick = async () => put('thing/tick', { n: ++next });

    it('keep the relationships that they show', async () => {
      const g = await group();
      const id = await person({ shown: [ref('thing/x')], groups: [ref(`group/${g}`)] });
      await tick();
      const checked = await api('POST', `managed/person/${id}?_action=triggerSyncCheck&_fields=*,groups`);
      expect(checked.body).toMatchObject({ _rev: '1', tick: next, shown: [{}], groups: [{}] });
      await tick();
      await api('POST', 'managed/person?_action=triggerSyncCheck');
      expect(await read(`person/${id}?_fields=*,groups`)).toMatchObject({
        _rev: '2',
        shown: [{}],
        groups: [{}],
      });
    });

    it('lose no change that is made at the same time', async () => {
      const id = await person({ n: 0 });
      const requests = Array.from({ length: 20 }, () => [
        patch(`person/${id}`, { operation: 'increment', field: '/n', value: 1 }),
        api('POST', `managed/person/${id}?_action=triggerSyncCheck`),
        tick(),
      ]);
      await Promise.all(requests.flat());
      expect((await read(`person/${id}`)).n).toBe(20);
    });
  });

  describe('with the shipped onSync scripts of roles and assignments', () => {
    const storedOf = async (id: string) => {
      const { rows } = await server.database.pool.query(
        'select rev, data from managed_object where id = $1',
        [id],
      );
      return [rows[0].rev, rows[0].data.effective];
    };

    it('are stored anew when something that they have by a role changes', async () => {
      await put('right/enter', { label: 'enter' });
      await put('club/chess');
      await put('member/mia', { clubs: [ref('club/chess')] });
      expect(await storedOf('mia')).toEqual([0, []]);
      await patch('club/chess', { operation: 'add', field: '/rights/-', value: ref('right/enter') });
      expect(await storedOf('mia')).toEqual([1, ['enter']]);
      await patch('right/enter', { operation: 'replace', field: '/label', value: 'stay' });
      expect(await storedOf('mia')).toEqual([2, ['stay']]);
      await put('member/max');
      await api('POST', 'managed/club/chess/members', { body: ref('member/max') });
      await patch('club/chess', { operation: 'add', field: '/name', value: 'Chess' });
      expect([await storedOf('mia'), await storedOf('max')]).toEqual([
        [2, ['stay']],
        [1, ['stay']],
      ]);
    });
  });

  describe('with conditional edges written from their targets', () => {
    const groupsOf = async (id: string) =>
      (await read(`person/${id}?_fields=groups`)).groups.map(
        (edge: { _refProperties: { _grantType?: string } }) => edge._refProperties._grantType ?? 'manual',
      );

    it('give way to a manual edge, and come back when it goes', async () => {
      const kind = `k${++next}`;
      const g = await group({ condition: `kind eq "${kind}"` });
      const id = await person({ kind });
      expect(await groupsOf(id)).toEqual(['conditional']);
      const made = await api('POST', `managed/group/${g}/members`, { body: ref(`person/${id}`) });
      expect(made.status).toBe(201);
      expect(await groupsOf(id)).toEqual(['manual']);
      await api('DELETE', `managed/group/${g}/members/${made.body._refProperties._id}`);
      expect(await groupsOf(id)).toEqual(['conditional']);
      await patch(`group/${g}`, { operation: 'replace', field: '/members', value: [ref(`person/${id}`)] });
      expect(await groupsOf(id)).toEqual(['manual']);
    });

    it('cannot be made up there either', async () => {
      const g = await group({ condition: 'kind eq "nobody"' });
      const id = await person();
      await api('POST', `managed/group/${g}/members`, {
        body: ref(`person/${id}`, { _grantType: 'conditional' }),
      });
      expect(await groupsOf(id)).toEqual([]);
    });
  });

  describe('whose edges are edited', () => {
    const edgeOf = async (id: string) => (await read(`person/${id}?_fields=groups`)).groups[0];

    it('from both ends at once lose no edit', async () => {
      const g = await group({ condition: 'kind eq "nobody"' });
      const id = await person({ groups: [ref(`group/${g}`, { n: 0 })] });
      const edgeId = (await edgeOf(id))._refProperties._id;
      const paths = [`person/${id}/groups/${edgeId}`, `group/${g}/members/${edgeId}`];
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          patch(paths[index % 2]!, { operation: 'increment', field: '/_refProperties/n', value: 1 }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      expect((await edgeOf(id))._refProperties).toMatchObject({ n: 20, _rev: '20' });
    });

    it('without saying anything new stay as they are, and so does their object', async () => {
      const id = await person({ groups: [ref(`group/${await group()}`, { note: 'a' })] });
      const edge = await edgeOf(id);
      const path = `managed/person/${id}/groups/${edge._refProperties._id}`;
      expect((await api('PUT', path, { body: edge })).body).toEqual(edge);
      const operations = [{ operation: 'replace', field: '/_refProperties/note', value: 'a' }];
      expect((await api('PATCH', path, { body: operations })).body).toEqual(edge);
      expect((await read(`person/${id}`))._rev).toBe('0');
    });

    it('with the id of an edge of somebody else get one of their own', async () => {
      const edge = await person({ groups: [ref(`group/${await group()}`)] }).then(edgeOf);
      const copy = await edgeOf(await person({ groups: [edge] }));
      expect(copy._ref).toBe(edge._ref);
      expect(copy._refProperties._id).not.toBe(edge._refProperties._id);
    });

    it('cannot bring along envelopes', async () => {
      const id = await person();
      const envelope = { $crypto: { type: 'x-simple-encryption', value: {} } };
      const answer = await api('POST', `managed/person/${id}/groups`, {
        body: ref(`group/${await group()}`, { x: envelope }),
      });
      expect([answer.status, answer.body.detail.id]).toEqual([400, 'CRYPTO_FOREIGN_ENVELOPE']);
    });
  });

  describe('whose hooks change them once more', () => {
    it('are answered, and synchronized, as they are stored in the end', async () => {
      const created = await put('late/a');
      const stored = await read('late/a');
      expect(created.body).toEqual(stored);
      expect(created.headers.get('etag')).toBe(`"${stored._rev}"`);
      expect(stored).toMatchObject({ _rev: '2', created: 1, updated: 1 });
      const filter = encodeURIComponent('/synced/_id eq "a"');
      const synced = (await api('GET', `managed/thing?_queryFilter=${filter}`)).body.result;
      expect(synced.map(({ synced: { _rev } }: { synced: { _rev: string } }) => _rev)).toEqual(
        expect.arrayContaining(['2']),
      );
      const updated = await put('late/a', { n: 1 });
      expect(updated.body).toEqual(await read('late/a'));
    });

    it('can be deleted all the same', async () => {
      await put('leaving/a');
      expect((await api('DELETE', 'managed/leaving/a')).status).toBe(200);
      expect((await api('GET', 'managed/leaving/a')).status).toBe(404);
    });

    it('without end are refused with a hint, and nothing is stored', async () => {
      const answer = await api('POST', 'managed/endless', { body: {} });
      expect([answer.status, answer.body.detail.id]).toEqual([500, 'SCRIPT_TOO_DEEP']);
      expect((await api('GET', 'managed/endless?_queryFilter=true')).body.result).toEqual([]);
    });

    it('do not store relationships in the object', async () => {
      expect((await put('brought/a', { n: 1 })).body).toEqual({ _id: 'a', _rev: '0', n: 1 });
      const { rows } = await server.database.pool.query(
        "select data from managed_object where type = 'brought'",
      );
      expect(rows).toEqual([{ data: { n: 1 } }]);
    });
  });

  describe('with virtual properties', () => {
    it('that build on each other are the same in answers to writes, reads and queries, whatever is asked for', async () => {
      const created = (await put('named/a', { first: 'Ann', last: 'Bly' })).body;
      expect(created).toMatchObject({ full: 'Ann Bly', greeting: 'Ann Bly!' });
      expect(await read('named/a')).toEqual(created);
      await server.database.pool.query(
        `update managed_object set data = data || '{"first": "Zoe"}' where type = 'named' and id = 'a'`,
      );
      expect((await read('named/a?_fields=greeting')).greeting).toBe('Zoe Bly!');
      const { body } = await api('GET', 'managed/named?_queryFilter=true&_fields=greeting');
      expect(body.result[0].greeting).toBe('Zoe Bly!');
    });

    it('that go in a circle through other objects are refused, and others stay readable', async () => {
      await put('chain/a');
      await put('chain/b', { to: 'a' });
      expect((await read('chain/b')).next).toBe(1);
      await patch('chain/a', { operation: 'add', field: '/to', value: 'b' });
      const answer = await api('GET', 'managed/chain/a');
      expect([answer.status, answer.body.detail.id]).toEqual([500, 'SCRIPT_TOO_DEEP']);
      expect((await api('GET', 'managed/chain/a?executeOnRetrieve=false')).status).toBe(200);
      expect((await patch('chain/a', { operation: 'remove', field: '/to' })).status).toBe(200);
      expect((await read('chain/b')).next).toBe(1);
    });
  });

  it('keep values unique inside arrays', async () => {
    await put('coded/a', { codes: [{ code: 'x' }, { code: 'y' }] });
    expect((await put('coded/a', { codes: [{ code: 'y' }] })).status).toBe(200);
    const refused = await put('coded/b', { codes: [{ code: 'z' }, { code: 'y' }] });
    expect(refused.body.detail.failedPolicyRequirements).toMatchObject([{ property: 'codes[1]/code' }]);
    expect((await put('coded/b', { codes: [{ code: 'x' }] })).status).toBe(201);
  });

  it('may have properties with the names of inherited ones', async () => {
    const created = await put('odd/a', '{"__proto__":{"x":1},"constructor":"c"}');
    expect(created.status).toBe(201);
    const patched = await patch(
      'odd/a',
      { operation: 'add', field: '/__proto__/y', value: 2 },
      { operation: 'add', field: '/toString', value: ref('thing/x') },
    );
    expect(patched.status).toBe(200);
    expect(JSON.stringify(await read('odd/a?_fields=*,toString'))).toMatch(
      /"__proto__":\{"x":1,"y":2\}.*"constructor":"c".*"toString":\{"_ref":"managed\/thing\/x"/,
    );
  });

  it('become one object of fifty upserts with one new id', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => put('thing/contested', { n })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
    expect((await read('thing/contested'))._rev).toBe('49');
    const groups = [ref(`group/${await group()}`)];
    const related = await Promise.all(
      Array.from({ length: 20 }, (_, n) => put('person/contested', { n, groups })),
    );
    expect(related.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect((await read('person/contested?_fields=groups')).groups).toHaveLength(1);
  });
});
