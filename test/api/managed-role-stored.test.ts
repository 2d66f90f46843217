import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { countStatements } from '../support/count-statements.ts';
import { type Grant, PAST, rolesApi } from '../support/roles.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** With the configuration that is shipped. */
describe('roles and assignments', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer();
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const { named, user, role, assignment, role_, patch, set, read } = rolesApi(() => api);

  describe('as users store them', () => {
    const stored = async (id: string) => {
      const { body } = await api('GET', `managed/user/${id}?executeOnRetrieve=false`);
      return {
        roles: body.effectiveRoles.map(({ _ref }: Grant) => _ref.slice('managed/role/'.length)),
        assignments: body.effectiveAssignments.map(({ name }: { name: string }) => name),
      };
    };
    /** What filters see is what is read. */
    const agree = async (id: string) => {
      const [kept, shown] = [
        (await api('GET', `managed/user/${id}?executeOnRetrieve=false`)).body,
        await read(id),
      ];
      expect(kept.effectiveRoles).toEqual(shown.effectiveRoles);
      expect(kept.effectiveAssignments).toEqual(shown.effectiveAssignments);
    };
    const holders = async (name: string) => {
      const filter = encodeURIComponent(`/effectiveAssignments/0/name eq "${name}"`);
      const { body } = await api('GET', `managed/user?_queryFilter=${filter}`);
      return body.result.map(({ _id }: { _id: string }) => _id).sort();
    };
    const assignmentRef = (id: string) => ({ _ref: `managed/assignment/${id}` });
    const edgeTo = async (path: string, ref: string) => {
      const { body } = await api(
        'GET',
        `managed/${path}?_queryFilter=${encodeURIComponent(`_ref eq "${ref}"`)}`,
      );
      return `managed/${path}/${body.result[0]._refProperties._id}`;
    };

    it('follow grants that are written at the role, and at its own endpoint', async () => {
      const [r, own] = [await role(), await role()];
      const u = await user();
      const value = { _ref: `managed/user/${u}` };
      await patch(`role/${r}`, { operation: 'add', field: '/members/-', value });
      expect((await api('POST', `managed/role/${own}/members`, { body: value })).status).toBe(201);
      expect((await stored(u)).roles).toEqual([r, own]);
      await api('DELETE', await edgeTo(`role/${own}/members`, value._ref));
      await patch(`role/${r}`, { operation: 'replace', field: '/members', value: [] });
      expect((await stored(u)).roles).toEqual([]);
    });

    it.each<[string, (r: string, a: string) => Promise<unknown>, (r: string, a: string) => Promise<unknown>]>(
      [
        [
          'through the role',
          (r, a) =>
            patch(`role/${r}`, { operation: 'add', field: '/assignments/-', value: assignmentRef(a) }),
          (r) => patch(`role/${r}`, { operation: 'replace', field: '/assignments', value: [] }),
        ],
        [
          'through the assignment',
          (r, a) => patch(`assignment/${a}`, { operation: 'add', field: '/roles/-', value: role_(r) }),
          (_r, a) => patch(`assignment/${a}`, { operation: 'replace', field: '/roles', value: [] }),
        ],
        [
          'at the endpoint of the role',
          (r, a) => api('POST', `managed/role/${r}/assignments`, { body: assignmentRef(a) }),
          async (r, a) => api('DELETE', await edgeTo(`role/${r}/assignments`, `managed/assignment/${a}`)),
        ],
        [
          'at the endpoint of the assignment',
          (r, a) => api('POST', `managed/assignment/${a}/roles`, { body: role_(r) }),
          async (r, a) => api('DELETE', await edgeTo(`assignment/${a}/roles`, `managed/role/${r}`)),
        ],
      ],
    )('follow assignments that are given and taken %s', async (_title, give, take) => {
      const [r, a] = [await role(), await assignment()];
      const [u, v] = [await user({ roles: [role_(r)] }), await user({ roles: [role_(r)] })];
      await give(r, a);
      expect(await holders(a)).toEqual([u, v].sort());
      await agree(u);
      await take(r, a);
      expect(await holders(a)).toEqual([]);
      await agree(u);
    });

    it('follow the assignment itself, as it is changed and deleted', async () => {
      const a = await assignment();
      const u = await user({ roles: [role_(await role({ assignments: [assignmentRef(a)] }))] });
      await set(`assignment/${a}`, '/name', `${a} renamed`);
      expect(await stored(u)).toMatchObject({ assignments: [`${a} renamed`] });
      await agree(u);
      await api('DELETE', `managed/assignment/${a}`);
      expect(await stored(u)).toMatchObject({ assignments: [] });
    });

    it('follow the span of a role, and its condition, for all users at once', async () => {
      const department = named('d');
      const users = [await user({ department }), await user({ department })];
      const a = await assignment();
      const r = await role({ condition: `department eq "${department}"`, assignments: [assignmentRef(a)] });
      expect(await holders(a)).toEqual(users);
      await set(`role/${r}`, '/temporalConstraints', PAST());
      expect(await holders(a)).toEqual([]);
      for (const id of users) await agree(id);
      await set(`role/${r}`, '/temporalConstraints', null);
      expect(await holders(a)).toEqual(users);
      await set(`role/${r}`, '/condition', null);
      for (const id of users) expect(await stored(id)).toEqual({ roles: [], assignments: [] });
    });

    it('stay as they are, with the revision, when nothing of them changes', async () => {
      const r = await role();
      const u = await user({ roles: [role_(r)] });
      await set(`role/${r}`, '/description', 'Another text');
      expect((await read(u))._rev).toBe('0');
      const a = await assignment();
      await api('POST', `managed/role/${r}/assignments`, { body: assignmentRef(a) });
      expect((await read(u))._rev).toBe('1');
    });

    it('are not changed by what is refused', async () => {
      const r = await role();
      const u = await user({ roles: [role_(r)] });
      const body = [
        { operation: 'add', field: '/assignments/-', value: assignmentRef(await assignment()) },
        { operation: 'replace', field: '/name', value: '' },
      ];
      expect((await api('PATCH', `managed/role/${r}`, { body })).status).toBe(403);
      expect(await stored(u)).toEqual({ roles: [r], assignments: [] });
    });

    it('cost a role of a hundred users the same statements as a role of one', async () => {
      const counts: number[] = [];
      for (const size of [1, 100]) {
        const department = named('d');
        await server.database.pool.query(
          `insert into managed_object (type, id, data) select 'user', $1 || n, jsonb_build_object('department', $1::text)
           from generate_series(1, $2::int) n`,
          [department, size],
        );
        const r = await role({ condition: `department eq "${department}"` });
        const a = await assignment();
        counts.push(
          await countStatements(() =>
            api('POST', `managed/role/${r}/assignments`, { body: assignmentRef(a) }),
          ),
        );
        expect(await holders(a)).toHaveLength(size);
      }
      expect(counts[1]).toBe(counts[0]);
    });

    it('miss no user who gets a role while it gets its assignments', async () => {
      const r = await role();
      const [users, assignments] = [[] as string[], [] as string[]];
      for (let n = 0; n < 8; n++) {
        users.push(await user());
        assignments.push(await assignment());
      }
      await Promise.all([
        ...users.map((id) => patch(`user/${id}`, { operation: 'add', field: '/roles/-', value: role_(r) })),
        ...assignments.map((id) =>
          patch(`assignment/${id}`, { operation: 'add', field: '/roles/-', value: role_(r) }),
        ),
      ]);
      for (const id of users) await agree(id);
      const { body } = await api(
        'GET',
        `managed/user?_queryFilter=${encodeURIComponent(`/effectiveAssignments/7 pr`)}`,
      );
      expect(body.result).toHaveLength(users.length);
    });
  });
});
