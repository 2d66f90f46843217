import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { countStatements } from '../support/count-statements.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
const two = (reverse: string, more: object = {}) => ({
  type: 'relationship',
  reverseRelationship: true,
  reversePropertyName: reverse,
  validate: true,
  ...more,
});
const list = (items: object, more: object = {}) => ({ type: 'array', items, ...more });

const TYPES = {
  objects: [
    {
      name: 'user',
      schema: {
        required: ['userName'],
        properties: {
          userName: { type: 'string', searchable: true },
          secret: { type: 'string', scope: 'private' },
          manager: two('reports'),
          reports: list(two('manager')),
          roles: list(two('members')),
          spouse: two('spouse'),
          friends: list(two('friends')),
          home: { type: 'relationship', validate: true },
          links: list({ type: 'relationship' }),
          badge: two('holder'),
          shown: list({ type: 'relationship' }, { returnByDefault: true }),
        },
      },
    },
    {
      name: 'role',
      schema: { properties: { name: { type: 'string' }, members: list(two('roles')) } },
    },
    { name: 'badge', schema: { properties: { holder: two('badge') } } },
    { name: 'place', schema: { properties: { city: { type: 'string' } } } },
    {
      name: 'team',
      schema: {
        properties: { people: list({ type: 'relationship', validate: true }), n: { type: 'number' } },
      },
      onUpdate: script('object.n = (object.n || 0) + 1; object.seen = request.resourcePath;'),
      postUpdate: script("if (object.refuse) { throw { code: 409, message: 'no change' }; }"),
    },
  ],
};

type Edge = { _ref: string; _refProperties: Record<string, unknown> };

describe('relationships', () => {
  let server: TestServer;
  let api: Api;
  let next = 0;

  beforeAll(async () => {
    server = await startTestServer({ files: { 'conf/managed.json': TYPES } });
    api = server.api;
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const put = async (path: string, body: object = {}) => {
    const answer = await api('PUT', `managed/${path}`, { body });
    expect(answer.body).not.toHaveProperty('code');
    return answer.body;
  };
  const user = async (body: object = {}) => {
    const id = `u${++next}`;
    await put(`user/${id}`, { userName: id, ...body });
    return id;
  };
  const role = async (body: object = {}) => {
    const id = `r${++next}`;
    await put(`role/${id}`, { name: id, ...body });
    return id;
  };
  const ref = (path: string, properties?: object) => ({
    _ref: `managed/${path}`,
    ...(properties === undefined ? {} : { _refProperties: properties }),
  });
  const read = async (path: string, fields: string) =>
    (await api('GET', `managed/${path}?_fields=${encodeURIComponent(fields)}`)).body;
  const roles = async (id: string): Promise<Edge[]> => (await read(`user/${id}`, 'roles')).roles;
  const patch = (path: string, ...body: object[]) => api('PATCH', `managed/${path}`, { body });
  const query = (path: string, filter: string, more = '') =>
    api('GET', `managed/${path}?_queryFilter=${encodeURIComponent(filter)}${more}`);

  describe('written through their owner', () => {
    it('appear at both ends as one edge with the same id and properties', async () => {
      const r = await role();
      const u = await user({ roles: [ref(`role/${r}`, { note: 'lead' })] });
      const [grant] = await roles(u);
      expect(grant).toEqual({
        _ref: `managed/role/${r}`,
        _refProperties: { _id: expect.any(String), _rev: '0', note: 'lead' },
      });
      expect((await read(`role/${r}`, 'members')).members).toEqual([
        { _ref: `managed/user/${u}`, _refProperties: grant!._refProperties },
      ]);
    });

    it('stay out of the object and of plain answers, unless they are returned by default', async () => {
      const place = await put(`place/p${++next}`);
      const u = await user({ roles: [ref(`role/${await role()}`)], shown: [ref(`place/${place._id}`)] });
      const { body } = await api('GET', `managed/user/${u}`);
      expect(Object.keys(body)).toEqual(['_id', '_rev', 'userName', 'shown']);
    });

    it('keep their ids when the list comes back, with and without them', async () => {
      const [r1, r2] = [await role(), await role()];
      const u = await user({ roles: [ref(`role/${r1}`), ref(`role/${r2}`, { note: 'x' })] });
      const before = await roles(u);
      const same = await put(`user/${u}`, { userName: u, roles: before });
      expect(same._rev).toBe('0');
      const bare = [ref(`role/${r1}`), ref(`role/${r2}`, { note: 'x' })];
      expect((await put(`user/${u}`, { userName: u, roles: bare }))._rev).toBe('0');
      expect(await roles(u)).toEqual(before);
    });

    it('are replaced by a list: named edges are updated, new ones made, the others removed', async () => {
      const [r1, r2, r3] = [await role(), await role(), await role()];
      const u = await user({ roles: [ref(`role/${r1}`), ref(`role/${r2}`)] });
      const [first] = await roles(u);
      const changed = { ...first!, _refProperties: { ...first!._refProperties, note: 'new' } };
      const { _rev } = await put(`user/${u}`, { userName: u, roles: [changed, ref(`role/${r3}`)] });
      expect(_rev).toBe('1');
      expect(await roles(u)).toEqual([
        { ...first, _refProperties: { _id: first!._refProperties['_id'], _rev: '1', note: 'new' } },
        { _ref: `managed/role/${r3}`, _refProperties: { _id: expect.any(String), _rev: '0' } },
      ]);
    });

    it.each([
      ['null', null],
      ['an empty list', []],
    ])('are cleared by %s', async (_title, value) => {
      const u = await user({ roles: [ref(`role/${await role()}`)] });
      await put(`user/${u}`, { userName: u, roles: value });
      expect(await roles(u)).toEqual([]);
    });

    it('are cleared by null, and by patch, where there is one', async () => {
      const boss = await user();
      const u = await user({ manager: ref(`user/${boss}`) });
      await put(`user/${u}`, { userName: u, manager: null });
      expect((await read(`user/${u}`, 'manager')).manager).toBeNull();
      await patch(`user/${u}`, { operation: 'replace', field: '/manager', value: ref(`user/${boss}`) });
      expect((await read(`user/${boss}`, 'reports')).reports).toHaveLength(1);
      await patch(`user/${u}`, { operation: 'remove', field: '/manager' });
      expect((await read(`user/${boss}`, 'reports')).reports).toEqual([]);
    });

    it('are left alone by a PUT that is silent about them, and cleared if it showed them', async () => {
      const u = await user({ roles: [ref(`role/${await role()}`)], shown: [ref('place/anything')] });
      await put(`user/${u}`, { userName: u, n: 1 });
      expect(await roles(u)).toHaveLength(1);
      expect((await read(`user/${u}`, 'shown')).shown).toEqual([]);
      const cleared = await api('PUT', `managed/user/${u}?_fields=roles`, { body: { userName: u } });
      expect(cleared.body.roles).toEqual([]);
      expect(await roles(u)).toEqual([]);
    });

    it('are patched: added, set, and removed by id, by reference, or by all they say', async () => {
      const [r1, r2] = [await role(), await role()];
      const u = await user();
      const add = (value: object) => patch(`user/${u}`, { operation: 'add', field: '/roles/-', value });
      expect((await add(ref(`role/${r1}`))).body._rev).toBe('1');
      await add(ref(`role/${r1}`, { kind: 'second' }));
      await add(ref(`role/${r2}`));
      const all = await roles(u);
      expect(all).toHaveLength(3);
      const remove = (value: object) => patch(`user/${u}`, { operation: 'remove', field: '/roles', value });
      await remove(ref(`role/${r1}`, { _id: all[1]!._refProperties['_id'] }));
      expect(await roles(u)).toEqual([all[0], all[2]]);
      await remove(ref(`role/${r1}`));
      expect(await roles(u)).toEqual([all[2]]);
      await remove(all[2]!);
      expect(await roles(u)).toEqual([]);
    });

    it('replace the single edge there is, and keep it when it says the same', async () => {
      const [a, b] = [await user(), await user()];
      const u = await user({ manager: ref(`user/${a}`) });
      const { manager } = await read(`user/${u}`, 'manager');
      await put(`user/${u}`, { userName: u, manager: ref(`user/${a}`) });
      expect((await read(`user/${u}`, 'manager')).manager).toEqual(manager);
      await put(`user/${u}`, { userName: u, manager: ref(`user/${b}`) });
      const after = (await read(`user/${u}`, 'manager')).manager;
      expect(after._ref).toBe(`managed/user/${b}`);
      expect(after._refProperties._id).not.toBe(manager._refProperties._id);
    });

    it('may be of an object with itself, and of two objects through one property', async () => {
      const [a, b] = [await user(), await user()];
      await put(`user/${a}`, { userName: a, manager: ref(`user/${a}`), spouse: ref(`user/${b}`) });
      expect((await read(`user/${a}`, 'reports')).reports[0]._ref).toBe(`managed/user/${a}`);
      expect((await read(`user/${b}`, 'spouse')).spouse._ref).toBe(`managed/user/${a}`);
      await put(`user/${b}`, { userName: b, friends: [ref(`user/${b}`), ref(`user/${a}`)] });
      expect((await read(`user/${b}`, 'friends')).friends).toHaveLength(2);
      expect((await read(`user/${a}`, 'friends')).friends).toHaveLength(1);
    });

    it('cost a hundred edges the same statements as one', async () => {
      const boss = await user();
      await server.database.pool.query(
        `insert into managed_object (type, id, data) select 'role', 'many-' || n, '{}' from generate_series(1, 100) n`,
      );
      const count = await countFor(async (size) => {
        const granted = Array.from({ length: size }, (_, n) => ref(`role/many-${n + 1}`));
        const u = await user({ manager: ref(`user/${boss}`), home: ref(`user/${boss}`), roles: granted });
        await put(`user/${u}`, { userName: u, roles: [] });
      });
      expect(count.hundred).toBe(count.one);
      expect(count.one).toBeLessThanOrEqual(12);
    });

    it('change nothing when the object cannot be stored', async () => {
      const r = await role();
      const failed = await api('POST', 'managed/user', { body: { roles: [ref(`role/${r}`)] } });
      expect(failed.status).toBe(403);
      expect((await read(`role/${r}`, 'members')).members).toEqual([]);
    });

    it.each<[string, object, number, RegExp]>([
      ['an object for a list', { roles: ref('role/x') }, 400, /invalid as a relationship/],
      ['a list for a single reference', { manager: [ref('user/x')] }, 400, /invalid as a relationship/],
      ['a reference without _ref', { roles: [{}] }, 400, /invalid as a relationship/],
      ['a reference to no object', { roles: [{ _ref: 'managed' }] }, 400, /not the path/],
      [
        'two spans of time',
        { links: [ref('x/y', { temporalConstraints: [{}, {}] })] },
        400,
        /Only 1 temporal constraint is supported per grant\./,
      ],
      [
        'the same twice',
        { links: [ref('x/y'), ref('x/y', {})] },
        412,
        /Duplicate relationship specified in relationship collection\./,
      ],
      [
        'a reference that leads nowhere',
        { roles: [ref('role/nowhere')] },
        400,
        /The referenced relationship 'managed\/role\/nowhere', does not exist/,
      ],
    ])('are refused as %s', async (_title, body, status, message) => {
      const answer = await api('POST', 'managed/user', { body: { userName: 'x', ...body } });
      expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)]);
    });

    it('refuse to remove a whole list without a value, as clients expect', async () => {
      const u = await user({ roles: [ref(`role/${await role()}`)] });
      const answer = await patch(`user/${u}`, { operation: 'remove', field: '/roles' });
      expect([answer.status, answer.body.message]).toEqual([400, 'Cannot delete collection: /roles']);
    });

    it('may dangle where nobody validates them, and say so when they are followed', async () => {
      const u = await user({ links: [ref('place/gone')] });
      expect((await read(`user/${u}`, 'links/*')).links).toEqual([
        {
          _ref: 'managed/place/gone',
          _refProperties: expect.any(Object),
          _refError: true,
          _refErrorMessage: "Object 'managed/place/gone' not found",
        },
      ]);
    });
  });

  describe('validated', () => {
    it('are refused when they are there already, from either side', async () => {
      const r = await role();
      const u = await user({ roles: [ref(`role/${r}`)] });
      const again = await patch(`user/${u}`, {
        operation: 'add',
        field: '/roles/-',
        value: ref(`role/${r}`),
      });
      expect(again.status).toBe(412);
      const other = await api('POST', `managed/role/${r}/members?_action=create`, { body: ref(`user/${u}`) });
      expect([other.status, other.body.message]).toEqual([
        412,
        `Managed object '${r}' has already been assigned relationship 'managed/user/${u}'.`,
      ]);
    });

    it('may lead to one target twice with different properties', async () => {
      const r = await role();
      const u = await user({ roles: [ref(`role/${r}`), ref(`role/${r}`, { _grantType: 'other' })] });
      expect(await roles(u)).toHaveLength(2);
    });

    it('are refused when the only place at the other end is taken', async () => {
      const [a, b] = [await user(), await user()];
      const badge = (await put(`badge/b${++next}`, { holder: ref(`user/${a}`) }))._id;
      const taken = await patch(`user/${b}`, {
        operation: 'add',
        field: '/badge',
        value: ref(`badge/${badge}`),
      });
      expect([taken.status, taken.body.message]).toEqual([
        400,
        `Field 'holder' of managed object '${badge}' is not null, and thus not available for assignment.`,
      ]);
      const u = await user({ manager: ref(`user/${a}`) });
      const report = await api('POST', `managed/user/${b}/reports`, { body: ref(`user/${u}`) });
      expect([report.status, report.body.message]).toEqual([400, expect.stringContaining("Field 'manager'")]);
    });

    it('make one edge of fifty that come at once', async () => {
      const r = await role();
      const u = await user();
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          n % 2 === 0
            ? api('POST', `managed/role/${r}/members`, { body: ref(`user/${u}`) })
            : patch(`user/${u}`, { operation: 'add', field: '/roles/-', value: ref(`role/${r}`) }),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status < 300)).toHaveLength(1);
      expect(statuses.filter((status) => status === 412)).toHaveLength(49);
      expect(await roles(u)).toHaveLength(1);
    });

    it('give one of fifty the place that there is only once', async () => {
      const u = await user();
      const bosses: string[] = [];
      for (let n = 0; n < 50; n++) bosses.push(await user());
      const answers = await Promise.all(
        bosses.map((boss) => api('POST', `managed/user/${boss}/reports`, { body: ref(`user/${u}`) })),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(49);
      expect((await read(`user/${u}`, 'manager')).manager._ref).toMatch(/^managed\/user\//);
    });

    it('give one of many the place where both ends are the same property', async () => {
      const u = await user();
      const others: string[] = [];
      for (let n = 0; n < 10; n++) others.push(await user());
      await Promise.all(
        others.map((other) =>
          patch(`user/${other}`, { operation: 'add', field: '/spouse', value: ref(`user/${u}`) }),
        ),
      );
      const { rows } = await server.database.pool.query(
        `select count(*) from relationship_end where owner_property = 'spouse' and owner_id = $1`,
        [u],
      );
      expect(rows[0].count).toBe(1);
      const circle = [...others, u];
      await Promise.all(
        circle.map((other, index) =>
          patch(`user/${other}`, {
            operation: 'add',
            field: '/spouse',
            value: ref(`user/${circle[(index + 1) % circle.length]}`),
          }),
        ),
      );
      const crowded = await server.database.pool.query(
        `select owner_id from relationship_end where owner_property = 'spouse' group by 1 having count(*) > 1`,
      );
      expect(crowded.rows).toEqual([]);
    });
  });

  describe('at their own endpoint', () => {
    it('are created, read, replaced, patched and deleted, without identity at the top', async () => {
      const r = await role();
      const u = await user();
      const created = await api('POST', `managed/role/${r}/members?_action=create`, {
        body: ref(`user/${u}`, { note: 'a' }),
      });
      expect([created.status, created.headers.get('etag'), created.headers.get('location')]).toEqual([
        201,
        null,
        null,
      ]);
      expect(Object.keys(created.body)).toEqual(['_ref', '_refProperties']);
      const path = `managed/role/${r}/members/${created.body._refProperties._id}`;
      expect((await api('GET', path)).body).toEqual(created.body);
      const replaced = await api('PUT', path, { body: ref(`user/${u}`, { note: 'b' }) });
      expect(replaced.body._refProperties).toMatchObject({ note: 'b', _rev: '1' });
      const patched = await api('PATCH', path, {
        body: [{ operation: 'replace', field: '/_refProperties/note', value: 'c' }],
      });
      expect(patched.body._refProperties).toMatchObject({ note: 'c', _rev: '2' });
      const stale = await api('DELETE', path, { headers: { 'If-Match': '"0"' } });
      expect(stale.status).toBe(412);
      const deleted = await api('DELETE', path);
      expect([deleted.status, deleted.body]).toEqual([200, patched.body]);
      expect((await api('GET', path)).status).toBe(404);
      expect(await roles(u)).toEqual([]);
    });

    it('are created with the id of the URL', async () => {
      const r = await role();
      const u = await user();
      const path = `managed/role/${r}/members/mine-${++next}`;
      const created = await api('PUT', path, { body: ref(`user/${u}`) });
      expect([created.status, created.body._refProperties._id]).toEqual([201, `mine-${next}`]);
      expect(
        (await api('PUT', path, { body: ref(`user/${u}`), headers: { 'If-None-Match': '*' } })).status,
      ).toBe(412);
    });

    it('answer a patch that changes nothing with the edge', async () => {
      const r = await role();
      const u = await user({ roles: [ref(`role/${r}`, { note: 'a' })] });
      const [grant] = await roles(u);
      const path = `managed/user/${u}/roles/${grant!._refProperties['_id']}`;
      const body = [{ operation: 'replace', field: '/_refProperties/note', value: 'a' }];
      expect((await api('PATCH', path, { body })).body).toMatchObject({ _ref: grant!._ref });
    });

    it('belong to one property of one object, and are not found under another', async () => {
      const [r, other] = [await role(), await role()];
      const u = await user({ roles: [ref(`role/${r}`)] });
      const id = (await roles(u))[0]!._refProperties['_id'];
      for (const [method, body] of [
        ['GET', undefined],
        ['DELETE', undefined],
        ['PATCH', []],
      ] as const) {
        expect((await api(method, `managed/role/${other}/members/${id}`, { body })).status).toBe(404);
      }
      expect((await api('GET', `managed/user/${u}/reports/${id}`)).status).toBe(404);
      expect(await roles(u)).toHaveLength(1);
    });

    it('move the revision of the owner and run its hooks, and leave the other end alone', async () => {
      const p = await user();
      const t = (await put(`team/t${++next}`))._id;
      const created = await api('POST', `managed/team/${t}/people`, { body: ref(`user/${p}`) });
      expect(created.status).toBe(201);
      expect((await api('GET', `managed/team/${t}`)).body).toMatchObject({
        _rev: '1',
        n: 1,
        seen: `managed/team/${t}`,
      });
      expect((await api('GET', `managed/user/${p}`)).body._rev).toBe('0');
    });

    it('are rolled back with a hook that refuses', async () => {
      const p = await user();
      const t = (await put(`team/t${++next}`, { refuse: true }))._id;
      expect((await api('POST', `managed/team/${t}/people`, { body: ref(`user/${p}`) })).status).toBe(409);
      expect((await read(`team/${t}`, 'people')).people).toEqual([]);
    });

    it('of one are read and replaced, but neither queried nor deleted', async () => {
      const [a, b] = [await user(), await user()];
      const u = await user();
      const path = `managed/user/${u}/manager`;
      expect((await api('GET', path)).status).toBe(404);
      const update = (target: string) =>
        api('PUT', path, { body: ref(`user/${target}`), headers: { 'If-Match': '*' } });
      expect((await update(a)).status).toBe(404);
      expect((await api('PUT', path, { body: ref(`user/${a}`) })).status).toBe(201);
      expect((await update(b)).body._ref).toBe(`managed/user/${b}`);
      expect((await api('GET', path)).body._ref).toBe(`managed/user/${b}`);
      expect(
        (await api('PATCH', path, { body: [{ operation: 'add', field: '/_refProperties/n', value: 1 }] }))
          .body,
      ).toMatchObject({ _refProperties: { n: 1 } });
      expect((await api('DELETE', path)).status).toBe(400);
      expect((await api('POST', path, { body: ref(`user/${a}`) })).status).toBe(400);
      expect((await query(`user/${u}/manager`, 'true')).status).toBe(400);
    });

    it('have no actions, and there is nothing at the path of a plain property', async () => {
      const u = await user();
      expect((await api('POST', `managed/user/${u}/roles?_action=patch`, { body: [] })).status).toBe(501);
      expect((await api('GET', `managed/user/${u}/userName`)).status).toBe(404);
      expect((await api('GET', `managed/user/${u}/roles`)).status).toBe(400);
      expect((await query('user/nobody/roles', 'true')).status).toBe(404);
    });

    it('are queried by what the edge says and by what it leads to', async () => {
      const r = await role();
      const [a, b] = [await user(), await user()];
      await user({ roles: [ref(`role/${r}`)] });
      await api('POST', `managed/role/${r}/members`, { body: ref(`user/${a}`, { level: 1 }) });
      await api('POST', `managed/role/${r}/members`, { body: ref(`user/${b}`, { level: 2 }) });
      const found = async (filter: string) =>
        (await query(`role/${r}/members`, filter)).body.result.map((edge: Edge) => edge._ref);
      expect(await found('/_refProperties/level ge 2')).toEqual([`managed/user/${b}`]);
      expect(await found(`/_ref eq "managed/user/${a}"`)).toEqual([`managed/user/${a}`]);
      expect(await found(`userName eq "${b}"`)).toEqual([`managed/user/${b}`]);
      expect(await found(`!(/_refProperties/level pr) and userName pr`)).toHaveLength(1);
      const sorted = await query(`role/${r}/members`, 'userName pr', '&_sortKeys=-userName&_fields=userName');
      const names = sorted.body.result.map((row: { userName: string }) => row.userName);
      expect(names).toEqual(names.toSorted().toReversed());
    });

    it('are paged with cookies and counted', async () => {
      const r = await role();
      for (let n = 0; n < 5; n++) await user({ roles: [ref(`role/${r}`)] });
      const seen: string[] = [];
      let cookie: string | null = null;
      do {
        const page: {
          body: { result: Edge[]; pagedResultsCookie: string | null; totalPagedResults: number };
        } = await query(
          `role/${r}/members`,
          'true',
          `&_pageSize=2&_totalPagedResultsPolicy=EXACT${cookie === null ? '' : `&_pagedResultsCookie=${cookie}`}`,
        );
        expect(page.body.totalPagedResults).toBe(5);
        seen.push(...page.body.result.map((edge) => edge._ref));
        cookie = page.body.pagedResultsCookie;
      } while (cookie !== null);
      expect(new Set(seen).size).toBe(5);
      expect(seen).toHaveLength(5);
    });

    it('know the queries of the protocol by name', async () => {
      const r = await role();
      await user({ roles: [ref(`role/${r}`)] });
      const named = (id: string) => api('GET', `managed/role/${r}/members?_queryId=${id}`);
      expect((await named('query-all')).body.result).toHaveLength(1);
      expect((await named('query-all-ids')).body.result).toEqual([{ _id: expect.any(String) }]);
      expect((await named('find-relationships-for-resource')).body.result).toHaveLength(1);
      expect((await named('for-userName')).status).toBe(400);
      expect((await api('GET', `managed/role/${r}/members?_queryExpression=x`)).status).toBe(400);
    });

    it('show fields of what they lead to, but nothing private to callers from outside', async () => {
      const r = await role();
      const u = await user({ roles: [ref(`role/${r}`)], secret: 'hush' });
      const { body } = await query(
        `role/${r}/members`,
        'true',
        '&_fields=_ref,_refProperties,userName,secret',
      );
      expect(body.result).toEqual([
        { _ref: `managed/user/${u}`, _refProperties: expect.any(Object), userName: u },
      ]);
      const whole = await query(`role/${r}/members`, 'true', '&_fields=*');
      expect(whole.body.result[0]).toMatchObject({
        _id: u,
        _rev: '0',
        userName: u,
        _ref: `managed/user/${u}`,
      });
      expect(whole.body.result[0]).not.toHaveProperty('secret');
      expect((await query(`role/${r}/members`, 'secret eq "hush"')).body.result).toEqual([]);
    });
  });

  describe('when objects are deleted', () => {
    it('vanish at both ends, and one-way references to the object dangle', async () => {
      const r = await role();
      const u = await user({ roles: [ref(`role/${r}`)] });
      const admirer = await user({ links: [ref(`user/${u}`)] });
      await api('DELETE', `managed/user/${u}`);
      expect((await read(`role/${r}`, 'members')).members).toEqual([]);
      expect((await read(`user/${admirer}`, 'links')).links).toHaveLength(1);
      expect((await api('GET', `managed/role/${r}`)).body._rev).toBe('0');
    });

    it('leave nothing behind when deletions and new references come at once', async () => {
      const targets = await Promise.all(Array.from({ length: 20 }, () => role()));
      await Promise.all(
        targets.flatMap((target) => [
          api('DELETE', `managed/role/${target}`),
          api('POST', 'managed/user', { body: { userName: `x-${target}`, roles: [ref(`role/${target}`)] } }),
        ]),
      );
      const { rows } = await server.database.pool.query(
        `select count(*) from relationship r where first_collection = 'managed/role'
         and not exists (select from managed_object o where o.type = 'role' and o.id = r.first_id)`,
      );
      expect(rows[0].count).toBe(0);
    });
  });

  describe('in _fields', () => {
    it('are shown one level deep, under the name of their property', async () => {
      const boss = await user({ mail: 'boss@example.com' });
      const r = await role();
      const u = await user({ manager: ref(`user/${boss}`), roles: [ref(`role/${r}`)] });
      expect(await read(`user/${u}`, 'userName,manager/mail,roles/*/name')).toEqual({
        _id: u,
        _rev: '0',
        userName: u,
        manager: { mail: 'boss@example.com', ...ref(`user/${boss}`, { _id: expect.any(String), _rev: '0' }) },
        roles: [{ name: r, ...ref(`role/${r}`, { _id: expect.any(String), _rev: '0' }) }],
      });
      expect((await read(`user/${u}`, 'roles/*')).roles[0]).toMatchObject({ _id: r, _rev: '0', name: r });
      expect((await read(`user/${u}`, 'roles/0/name')).roles).toHaveLength(1);
      expect((await read(`user/${u}`, 'roles/7')).roles).toEqual([]);
      const all = await read(`user/${u}`, '*_ref');
      expect(Object.keys(all).sort()).toEqual(
        [
          '_id',
          '_rev',
          'badge',
          'friends',
          'home',
          'links',
          'manager',
          'reports',
          'roles',
          'shown',
          'spouse',
        ].sort(),
      );
      expect(all).toMatchObject({ spouse: null, friends: [] });
      expect(await read(`user/${u}`, '*,roles')).toMatchObject({ userName: u, roles: [{}] });
    });

    it('cost a page of a hundred the same statements as a page of one', async () => {
      const boss = await user({ manager: ref(`user/${await user()}`) });
      const granted = [await role(), await role(), await role()];
      const marker = `page-${++next}`;
      for (let n = 0; n < 100; n++) {
        await user({ marker, manager: ref(`user/${boss}`), roles: granted.map((id) => ref(`role/${id}`)) });
      }
      const count = await countFor(async (size) => {
        const { body } = await query(
          'user',
          `marker eq "${marker}"`,
          `&_pageSize=${size}&_fields=*,roles/*,manager/*`,
        );
        expect(body.result).toHaveLength(size);
        expect(body.result[0]).toMatchObject({
          manager: { userName: boss },
          roles: [{ _id: granted[0] }, {}, {}],
        });
      });
      // The page, its edges, the roles, the managers, and the edges that those show by default.
      expect(count).toEqual({ one: 5, hundred: 5 });
    });
  });
});

/** Statements that it takes for one, and for a hundred. */
async function countFor(ask: (size: number) => Promise<void>) {
  return { one: await countStatements(() => ask(1)), hundred: await countStatements(() => ask(100)) };
}
