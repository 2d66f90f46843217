import { describe, expect, it } from 'vitest';
import { type Edge, useRelatedTypes } from '../support/related-types.ts';

describe('relationships from both ends', () => {
  const { api, database, patch, put, query, read, ref, role, roles, unused, user } = useRelatedTypes();

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
      const id = `mine-${unused()}`;
      const path = `managed/role/${r}/members/${id}`;
      const created = await api('PUT', path, { body: ref(`user/${u}`) });
      expect([created.status, created.body._refProperties._id]).toEqual([201, id]);
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
      const t = (await put(`team/t${unused()}`))._id;
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
      const t = (await put(`team/t${unused()}`, { refuse: true }))._id;
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

    it('are not there under an unknown id or an unknown object, and are not made by an update', async () => {
      const u = await user();
      const body = ref(`role/${await role()}`);
      const update = { body, headers: { 'If-Match': '*' } };
      expect((await api('PUT', `managed/user/${u}/roles/nothing`, update)).status).toBe(404);
      expect((await api('GET', 'managed/user/nobody/roles/nothing')).status).toBe(404);
      expect((await api('POST', 'managed/user/nobody/roles', { body })).status).toBe(404);
      expect(
        (await query(`role/${body._ref.slice('managed/role/'.length)}/members`, 'true')).body.result,
      ).toEqual([]);
    });

    it('lead elsewhere after a patch of _ref, and never to an object that is not there', async () => {
      const [r1, r2] = [await role(), await role()];
      const u = await user({ roles: [ref(`role/${r1}`)] });
      const path = `managed/user/${u}/roles/${(await roles(u))[0]!._refProperties['_id']}`;
      const move = (target: string) =>
        api('PATCH', path, {
          body: [{ operation: 'replace', field: '/_ref', value: `managed/role/${target}` }],
        });
      expect((await move(r2)).body).toMatchObject({
        _ref: `managed/role/${r2}`,
        _refProperties: { _rev: '1' },
      });
      expect((await read(`role/${r1}`, 'members')).members).toEqual([]);
      expect((await read(`role/${r2}`, 'members')).members).toHaveLength(1);
      expect((await move('nowhere')).status).toBe(400);
      expect((await api('PUT', path, { body: ref('role/nowhere') })).status).toBe(400);
      expect((await roles(u))[0]!._ref).toBe(`managed/role/${r2}`);
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
      const badge = (await put(`badge/b${unused()}`, { holder: ref(`user/${a}`) }))._id;
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
      const { rows } = await database().pool.query(
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
      const crowded = await database().pool.query(
        `select owner_id from relationship_end where owner_property = 'spouse' group by 1 having count(*) > 1`,
      );
      expect(crowded.rows).toEqual([]);
    });
  });
});
