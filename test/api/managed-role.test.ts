import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { countStatements } from '../support/count-statements.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

type Grant = { _ref: string; _refProperties: Record<string, unknown> };

const DAY_MS = 86_400_000;
const span = (fromMs: number, toMs: number) => [
  { duration: `${new Date(Date.now() + fromMs).toISOString()}/${new Date(Date.now() + toMs).toISOString()}` },
];
const NOW = () => span(-DAY_MS, DAY_MS);
const PAST = () => span(-2 * DAY_MS, -DAY_MS);
const FUTURE = () => span(DAY_MS, 2 * DAY_MS);

/** With the configuration that is shipped. */
describe('roles and assignments', () => {
  let server: TestServer;
  let api: Api;
  let next = 0;

  beforeAll(async () => {
    server = await startTestServer();
    api = server.api;
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const create = async (path: string, body: object) => {
    const answer = await api('PUT', `managed/${path}`, { body });
    expect(answer.body).not.toHaveProperty('code');
    return answer.body;
  };
  const user = async (more: object = {}) => {
    const id = `user${++next}`;
    const body = { userName: id, givenName: 'Uma', sn: 'Ser', mail: `${id}@example.com`, ...more };
    await create(`user/${id}`, body);
    return id;
  };
  const role = async (more: object = {}) => {
    const id = `role${++next}`;
    await create(`role/${id}`, { name: id, description: 'A role', ...more });
    return id;
  };
  const assignment = async (more: object = {}) => {
    const id = `assignment${++next}`;
    await create(`assignment/${id}`, {
      name: id,
      description: 'An assignment',
      mapping: 'directory',
      ...more,
    });
    return id;
  };
  const role_ = (id: string, properties?: object) => ({
    _ref: `managed/role/${id}`,
    ...(properties === undefined ? {} : { _refProperties: properties }),
  });
  const patch = async (path: string, ...body: object[]) => {
    const answer = await api('PATCH', `managed/${path}`, { body });
    expect(answer.body).not.toHaveProperty('code');
    return answer;
  };
  const set = (path: string, field: string, value: unknown) =>
    patch(path, value === null ? { operation: 'remove', field } : { operation: 'replace', field, value });
  const read = async (id: string) => (await api('GET', `managed/user/${id}?_fields=*,roles`)).body;
  const rolesOf = async (id: string) =>
    ((await read(id)).roles as Grant[]).map(({ _ref, _refProperties }) => [
      _ref.slice('managed/role/'.length),
      _refProperties['_grantType'] ?? 'manual',
    ]);
  const effective = async (id: string) =>
    (await read(id)).effectiveRoles.map(({ _ref }: Grant) => _ref.slice('managed/role/'.length));

  describe('granted by hand', () => {
    it('are granted from the user and from the role, and are effective', async () => {
      const [r1, r2, r3] = [await role(), await role(), await role()];
      const u = await user({ roles: [role_(r1)] });
      await patch(`user/${u}`, { operation: 'add', field: '/roles/-', value: role_(r2) });
      await patch(`role/${r3}`, {
        operation: 'add',
        field: '/members/-',
        value: { _ref: `managed/user/${u}` },
      });
      expect(await effective(u)).toEqual([r1, r2, r3]);
      expect((await read(u)).effectiveRoles[0]).toEqual({ _ref: `managed/role/${r1}` });
    });

    it('cannot be deleted while somebody has them', async () => {
      const r = await role();
      const u = await user({ roles: [role_(r)] });
      const refused = await api('DELETE', `managed/role/${r}`);
      expect([refused.status, refused.body.message]).toEqual([
        409,
        'Cannot delete a role that is currently granted',
      ]);
      await patch(`user/${u}`, { operation: 'replace', field: '/roles', value: [] });
      expect((await api('DELETE', `managed/role/${r}`)).status).toBe(200);
    });

    it('may be authorization roles of both kinds, and a new user may log in', async () => {
      const u = await user();
      const { body } = await api('GET', `managed/user/${u}?_fields=authzRoles`);
      expect(body.authzRoles).toMatchObject([{ _ref: 'repo/internal/role/svc-authorized' }]);
      const r = await role();
      await patch(`user/${u}`, { operation: 'add', field: '/authzRoles/-', value: role_(r) });
      const members = await api('GET', `managed/role/${r}/authzMembers?_queryFilter=true`);
      expect(members.body.result).toMatchObject([{ _ref: `managed/user/${u}` }]);
      const expanded = await api('GET', `managed/user/${u}?_fields=authzRoles/*`);
      expect(expanded.body.authzRoles[0]).toMatchObject({
        _id: 'svc-authorized',
        description: expect.any(String),
      });
    });
  });

  describe('granted by a condition', () => {
    it('are given and taken as the user changes, and a manual grant comes first', async () => {
      const department = `d${++next}`;
      const r = await role({ condition: `department eq "${department}"` });
      const u = await user({ department });
      expect(await rolesOf(u)).toEqual([[r, 'conditional']]);
      const [grant] = (await read(u)).roles;
      await set(`user/${u}`, '/city', 'Bern');
      expect((await read(u)).roles).toEqual([grant]);
      await set(`user/${u}`, '/department', 'elsewhere');
      expect(await rolesOf(u)).toEqual([]);
      await patch(`user/${u}`, { operation: 'add', field: '/roles/-', value: role_(r) });
      await set(`user/${u}`, '/department', department);
      expect(await rolesOf(u)).toEqual([[r, 'manual']]);
      await patch(`user/${u}`, { operation: 'remove', field: '/roles', value: role_(r) });
      expect(await rolesOf(u)).toEqual([[r, 'conditional']]);
    });

    it('are displaced by a manual grant from either side', async () => {
      const department = `d${++next}`;
      const r = await role({ condition: `department eq "${department}"` });
      const u = await user({ department });
      await patch(`user/${u}`, { operation: 'add', field: '/roles/-', value: role_(r) });
      expect(await rolesOf(u)).toEqual([[r, 'manual']]);
    });

    it('are told from others by their condition, where they are looked up', async () => {
      const department = `d${++next}`;
      const [r, plain] = [await role({ condition: `department eq "${department}"` }), await role()];
      const u = await user({ department, roles: [role_(plain)] });
      const found = await api(
        'GET',
        `managed/user/${u}/roles?_queryFilter=${encodeURIComponent('condition pr')}`,
      );
      expect(found.body.result).toMatchObject([
        { _ref: `managed/role/${r}`, _refProperties: { _grantType: 'conditional' } },
      ]);
    });

    it('cannot be made up by a client', async () => {
      const r = await role({ condition: 'department eq "nobody"' });
      const u = await user({ roles: [role_(r, { _grantType: 'conditional' })] });
      expect(await rolesOf(u)).toEqual([]);
    });

    it('are saved with a warning where those may edit what it looks at whom it is about', async () => {
      const condition = 'telephoneNumber sw "+49" and (department eq "IT" or telephoneNumber pr)';
      const path = `managed/role/doubtful`;
      const made = await api('PUT', path, { body: { name: 'doubtful', description: 'x', condition } });
      expect([made.status, made.body.warnings]).toEqual([
        201,
        [expect.stringMatching(/^condition: 'telephoneNumber' may be edited by those whom it is about/)],
      ]);
      const { body } = await api('GET', path);
      expect(body.warnings).toBeUndefined();
      const back = await api('PUT', path, { body: { ...made.body, description: 'y' } });
      expect([back.status, back.body.warnings]).toEqual([200, undefined]);
      const safe = await api('PATCH', path, {
        body: [{ operation: 'replace', field: '/condition', value: 'department eq "IT"' }],
      });
      expect([safe.status, safe.body.warnings]).toEqual([200, undefined]);
      const again = await api('PATCH', path, {
        body: [{ operation: 'replace', field: '/condition', value: condition }],
      });
      expect(again.body.warnings).toHaveLength(1);
    });

    it('are given to all and taken from all when the condition changes', async () => {
      const [a, b] = [`a${++next}`, `b${++next}`];
      const [ua, ub, both] = [
        await user({ department: a }),
        await user({ department: b }),
        await user({ city: a }),
      ];
      const r = await role({ condition: `department eq "${a}" or department eq "${b}"` });
      const manual = await user({ roles: [role_(r)] });
      expect([await rolesOf(ua), await rolesOf(ub)]).toEqual([[[r, 'conditional']], [[r, 'conditional']]]);
      const before = (await read(ub)).roles;
      await set(`role/${r}`, '/condition', `department eq "${b}" or city eq "${a}"`);
      expect([await rolesOf(ua), await rolesOf(both)]).toEqual([[], [[r, 'conditional']]]);
      expect((await read(ub)).roles).toEqual(before);
      await set(`role/${r}`, '/condition', null);
      expect([await rolesOf(ub), await rolesOf(both)]).toEqual([[], []]);
      expect(await rolesOf(manual)).toEqual([[r, 'manual']]);
    });

    it.each([[null], ['']])('are nobody’s when the condition is %j', async (condition) => {
      const r = await role({ condition: 'userName pr' });
      await api('PUT', `managed/role/${r}`, { body: { name: r, description: 'x', condition } });
      const members = await api('GET', `managed/role/${r}/members?_queryFilter=true`);
      expect(members.body.result).toEqual([]);
    });

    it('miss nobody who comes while the condition changes', async () => {
      const department = `d${++next}`;
      const r = await role({ condition: 'department eq "none"' });
      const coming = Array.from({ length: 30 }, () => user({ department }));
      await set(`role/${r}`, '/condition', `department eq "${department}"`);
      const users = await Promise.all(coming);
      for (const u of users) expect(await rolesOf(u)).toEqual([[r, 'conditional']]);
    });

    it('are refused when the condition is no filter', async () => {
      const refused = await api('POST', 'managed/role', {
        body: { name: `r${++next}`, description: 'x', condition: 'department is x' },
      });
      expect(refused.status).toBe(400);
    });
  });

  describe('in effect for a time', () => {
    it('are effective within the span of the grant, and of the role', async () => {
      const [always, now, past, future] = [
        await role(),
        await role({ temporalConstraints: NOW() }),
        await role({ temporalConstraints: PAST() }),
        await role({ temporalConstraints: FUTURE() }),
      ];
      const u = await user({ roles: [now, past, future].map((id) => role_(id)) });
      expect(await effective(u)).toEqual([now]);
      const v = await user({
        roles: [role_(always, { temporalConstraints: PAST() }), role_(now, { temporalConstraints: NOW() })],
      });
      expect(await effective(v)).toEqual([now]);
      expect(await rolesOf(v)).toHaveLength(2);
    });

    it('are scheduled to begin and to end, and no longer when the constraint is gone', async () => {
      const r = await role();
      const u = await user({ roles: [role_(r, { temporalConstraints: FUTURE() })] });
      const [grant] = (await read(u)).roles as Grant[];
      const id = grant!._refProperties['_id'];
      const job = (when: string) => api('GET', `scheduler/job/${id}-temporalConstraint-0-${when}`);
      expect((await job('start')).status).toBe(200);
      expect((await job('end')).status).toBe(200);
      await patch(`user/${u}`, { operation: 'replace', field: '/roles', value: [] });
      expect((await job('start')).status).toBe(404);
      const constrained = await role({ temporalConstraints: NOW() });
      const roleJob = (when: string) =>
        api('GET', `scheduler/job/managed-role-${constrained}-temporalConstraint-0-${when}`);
      expect([(await roleJob('start')).status, (await roleJob('end')).status]).toEqual([404, 200]);
      await api('DELETE', `managed/role/${constrained}`);
      expect((await roleJob('end')).status).toBe(404);
    });

    it('are checked when the moment comes, so that what is stored follows', async () => {
      const r = await role();
      const end = Date.now() + 1_000;
      const u = await user({ roles: [role_(r, { temporalConstraints: span(-DAY_MS, end - Date.now()) })] });
      const stored = async () => {
        const { rows } = await server.database.pool.query('select data from managed_object where id = $1', [
          u,
        ]);
        return rows[0].data.effectiveRoles;
      };
      const first = await stored();
      if (Date.now() < end) expect(first).toHaveLength(1);
      expect(await eventually(stored, (roles) => roles.length === 0)).toEqual([]);
    });

    it.each<[string, unknown, number, RegExp]>([
      ['more than one span', [...NOW(), ...NOW()], 400, /Only 1 temporal constraint is supported per role\./],
      ['no span', [{ duration: 'tomorrow' }], 400, /is not a temporal constraint/],
      ['a span that ends before it begins', span(DAY_MS, -DAY_MS), 400, /is not a temporal constraint/],
    ])('are refused with %s', async (_title, temporalConstraints, status, message) => {
      const refused = await api('POST', 'managed/role', {
        body: { name: `r${++next}`, description: 'x', temporalConstraints },
      });
      expect([refused.status, refused.body.message]).toEqual([status, expect.stringMatching(message)]);
    });
  });

  describe('with assignments', () => {
    it('give the assignments of all effective roles, each once, as whole objects', async () => {
      const [shared, own] = [
        await assignment(),
        await assignment({ attributes: [{ name: 'groups', value: ['x'] }] }),
      ];
      const ref = (id: string) => ({ _ref: `managed/assignment/${id}` });
      const r1 = await role({ assignments: [ref(shared)] });
      const r2 = await role({ assignments: [ref(shared), ref(own)] });
      const past = await role({ temporalConstraints: PAST(), assignments: [ref(await assignment())] });
      const u = await user({ roles: [role_(r1), role_(r2), role_(past)] });
      const { effectiveAssignments } = await read(u);
      expect(effectiveAssignments).toMatchObject([
        { _id: shared, _rev: '0', name: shared },
        { _id: own, attributes: [{ name: 'groups', value: ['x'] }] },
      ]);
      expect(effectiveAssignments).toHaveLength(2);
      expect((await api('DELETE', `managed/assignment/${shared}`)).status).toBe(200);
      expect((await read(u)).effectiveAssignments).toHaveLength(1);
    });

    it('are the same in a query as in a read', async () => {
      const r = await role();
      const u = await user({ roles: [role_(r)] });
      await api('DELETE', `managed/user/${u}/roles/${(await read(u)).roles[0]._refProperties._id}`);
      const filter = encodeURIComponent(`_id eq "${u}"`);
      const { body } = await api('GET', `managed/user?_queryFilter=${filter}`);
      expect(body.result[0]).toEqual((await api('GET', `managed/user/${u}`)).body);
      expect(body.result[0].effectiveRoles).toEqual([]);
    });

    it('are checked on request, for one and for all that a query finds', async () => {
      const u = await user();
      const checked = await api('POST', `managed/user/${u}?_action=triggerSyncCheck`);
      expect(checked.body).toMatchObject({ _id: u, _rev: '0' });
      const r = await role({ condition: `userName eq "${u}"` });
      expect((await api('POST', `managed/user/${u}?_action=triggerSyncCheck`)).body).toMatchObject({
        _rev: '1',
        effectiveRoles: [{ _ref: `managed/role/${r}` }],
      });
      const filter = encodeURIComponent(`userName eq "${u}"`);
      const all = await api('POST', `managed/user?_action=triggerSyncCheck&_queryFilter=${filter}`);
      expect(all.body).toEqual({ status: 'OK', countTriggered: 1 });
    });
  });

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
      const department = `d${++next}`;
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
        const department = `d${++next}`;
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

  it('with grants that lead nowhere leave their users readable', async () => {
    const r = await role();
    const u = await user({ roles: [role_(r)] });
    await server.database.pool.query('delete from managed_object where id = $1', [r]);
    expect(await effective(u)).toEqual([]);
  });
});
