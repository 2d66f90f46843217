import { describe, expect, it } from 'vitest';
import { countStatements } from '../support/count-statements.ts';
import { useRelatedTypes } from '../support/related-types.ts';

describe('relationships', () => {
  const { api, database, patch, put, query, read, ref, role, roles, unused, user } = useRelatedTypes();

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
      const place = await put(`place/p${unused()}`);
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

    it('are not brought back by who has read them before they went from their other end, and says so', async () => {
      const [r1, r2] = [await role(), await role()];
      const u = await user({ roles: [ref(`role/${r1}`), ref(`role/${r2}`, { note: 'x' })] });
      const seen = await roles(u);
      const { _rev } = (await api('GET', `managed/user/${u}`)).body;
      const send = (list: unknown, headers: Record<string, string>) =>
        api('PUT', `managed/user/${u}`, { body: { userName: u, roles: list }, headers });
      const [first, second] = seen.map(({ _refProperties }) => _refProperties['_id']);
      await api('PATCH', `managed/role/${r2}/members/${second}`, {
        body: [{ operation: 'replace', field: '/_refProperties/note', value: 'y' }],
      });
      const stale = async (list: unknown) => {
        const { status, body } = await send(list, { 'If-Match': `"${_rev}"` });
        return [status, body.detail?.id, (await api('GET', `managed/user/${u}`)).body._rev];
      };
      expect(await stale(seen)).toEqual([412, 'RELATIONSHIP_REVISION', _rev]);
      expect((await api('DELETE', `managed/role/${r1}/members/${first}`)).status).toBe(200);
      const now = await roles(u);
      expect(await stale([seen[0], ...now])).toEqual([412, 'RELATIONSHIP_REVISION', _rev]);
      expect(await roles(u)).toEqual(now);
      const bare = [ref(`role/${r1}`), ...now];
      expect((await send(bare, { 'If-Match': `"${_rev}"` })).status).toBe(200);
      expect((await send(seen, {})).status).toBe(200);
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
      await database().pool.query(
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
      const { rows } = await database().pool.query(
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
      const marker = `page-${unused()}`;
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
