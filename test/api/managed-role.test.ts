import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { DAY_MS, FUTURE, type Grant, NOW, PAST, rolesApi, span } from '../support/roles.ts';
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

  const { named, user, role, assignment, role_, patch, set, read, rolesOf, effective } = rolesApi(() => api);

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
      expect([refused.status, refused.body.message, refused.body.detail]).toEqual([
        409,
        'Cannot delete a role that is currently granted',
        expect.objectContaining({
          id: 'ROLE_GRANTED',
          field: '/members',
          hint: expect.stringContaining(`GET managed/role/${r}/members?_queryFilter=true`),
        }),
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
      const department = named('d');
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
      const department = named('d');
      const r = await role({ condition: `department eq "${department}"` });
      const u = await user({ department });
      await patch(`user/${u}`, { operation: 'add', field: '/roles/-', value: role_(r) });
      expect(await rolesOf(u)).toEqual([[r, 'manual']]);
    });

    it('are told from others by their condition, where they are looked up', async () => {
      const department = named('d');
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
      const [a, b] = [named('a'), named('b')];
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
      const department = named('d');
      const r = await role({ condition: 'department eq "none"' });
      const coming = Array.from({ length: 30 }, () => user({ department }));
      await set(`role/${r}`, '/condition', `department eq "${department}"`);
      const users = await Promise.all(coming);
      for (const u of users) expect(await rolesOf(u)).toEqual([[r, 'conditional']]);
    });

    it('are refused when the condition is no filter', async () => {
      const refused = await api('POST', 'managed/role', {
        body: { name: named('r'), description: 'x', condition: 'department is x' },
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

    it('that end with the last of all years are meant for ever, and no end is scheduled', async () => {
      const duration = '2020-01-01T00:00:00.000Z/9999-12-31T23:59:59.999Z';
      const r = await role({ temporalConstraints: [{ duration }] });
      const u = await user({ roles: [role_(r)] });
      expect(await effective(u)).toEqual([r]);
      const end = await api('GET', `scheduler/job/managed-role-${r}-temporalConstraint-0-end`);
      expect(end.status).toBe(404);
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
        body: { name: named('r'), description: 'x', temporalConstraints },
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

  it('with grants that lead nowhere leave their users readable', async () => {
    const r = await role();
    const u = await user({ roles: [role_(r)] });
    await server.database.pool.query('delete from managed_object where id = $1', [r]);
    expect(await effective(u)).toEqual([]);
  });
});
