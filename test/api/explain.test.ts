import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/index.ts';
import type { Api } from '../support/api.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { FUTURE, NOW, rolesApi } from '../support/roles.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PASSWORD = 'Asking-4-reasons';

describe('why somebody has a role', () => {
  let server: TestServer;
  let api: Api;
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createSchemaDatabase();
    server = await startTestServer({ database });
    api = server.api;
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const { user, role, assignment, role_, patch, named } = rolesApi(() => api);
  const explain = (id: string, body: object, options: object = {}) =>
    api('POST', `managed/user/${id}?_action=explain`, { body, ...options });

  it('is told of each: how, since when, by whom, and in which request', async () => {
    const department = named('d');
    const byHand = await role();
    const forNow = await role();
    const later = await role({ temporalConstraints: FUTURE() });
    const met = await role({ condition: `department eq "${department}" and userName pr` });
    const constraints = { temporalConstraints: NOW() };
    const u = await user({ department, roles: [role_(byHand), role_(forNow, constraints), role_(later)] });
    const { status, body } = await explain(u, { property: 'effectiveRoles' });
    expect(status).toBe(200);
    const of = (id: string) =>
      body.effectiveRoles.find(({ _ref }: { _ref: string }) => _ref === `managed/role/${id}`);
    expect(of(byHand)).toMatchObject({ via: 'manual', inEffect: true, by: 'svc-admin' });
    expect(of(forNow)).toMatchObject({
      via: 'temporal',
      inEffect: true,
      window: { grant: constraints.temporalConstraints },
    });
    expect(of(later)).toMatchObject({ via: 'manual', inEffect: false, window: { role: [{}] } });
    expect(of(met)).toMatchObject({
      via: 'conditional',
      condition: `department eq "${department}" and userName pr`,
      clauses: [
        { text: `/department eq "${department}"`, result: true },
        { text: '/userName pr', result: true },
      ],
    });
    const { transaction, audit, at } = of(byHand);
    const entry = (await api('GET', `audit/activity/${audit}`)).body;
    expect([entry.transactionId, entry.operation]).toEqual([transaction, 'CREATE']);
    expect(Date.parse(at)).not.toBeNaN();
  });

  it('is told of a condition that was set when the user was there already', async () => {
    const department = named('d');
    const u = await user({ department });
    const r = await role();
    const changed = await patch(`role/${r}`, {
      operation: 'add',
      field: '/condition',
      value: `department eq "${department}"`,
    });
    const [grant] = (await explain(u, { property: 'effectiveRoles' })).body.effectiveRoles;
    expect(grant).toMatchObject({ via: 'conditional', by: 'svc-admin' });
    expect(grant.transaction).toBe(changed.headers.get('x-request-id'));
  });

  it('is told of assignments by the roles that bring them', async () => {
    const a = await assignment();
    const [open, shut] = [await role(), await role({ temporalConstraints: FUTURE() })];
    for (const r of [open, shut]) {
      await patch(`role/${r}`, {
        operation: 'add',
        field: '/assignments/-',
        value: { _ref: `managed/assignment/${a}` },
      });
    }
    const u = await user({ roles: [role_(open), role_(shut)] });
    const { body } = await explain(u, { property: 'effectiveAssignments' });
    expect(body.effectiveAssignments).toEqual([
      {
        _ref: `managed/assignment/${a}`,
        inEffect: true,
        roles: [
          { _ref: `managed/role/${open}`, inEffect: true },
          { _ref: `managed/role/${shut}`, inEffect: false },
        ],
      },
    ]);
    expect(body.roles).toHaveLength(2);
  });

  it('is told of one that is not there, by the first part of its condition that fails', async () => {
    const u = await user({ department: 'IT' });
    const r = await role({ condition: 'department eq "IT" and (city eq "Bern" or city eq "Basel")' });
    const { body } = await explain(u, { role: r });
    expect(body).toMatchObject({
      _ref: `managed/role/${r}`,
      has: false,
      why: 'Nobody has granted it, and its condition does not hold: /city eq "Bern" or /city eq "Basel" is false',
      clauses: [{ result: true }, { result: false }],
      grants: [],
    });
    const plain = await role();
    expect((await explain(u, { role: `managed/role/${plain}` })).body.why).toBe(
      'Nobody has granted it, and it has no condition that you are shown',
    );
    await patch(`user/${u}`, { operation: 'add', field: '/roles/-', value: role_(plain) });
    expect((await explain(u, { role: plain })).body).toMatchObject({
      has: true,
      why: 'It is granted by hand',
    });
  });

  it('is refused for what cannot be explained, with what can', async () => {
    const u = await user();
    expect((await explain(u, { property: 'effectiveRole' })).body).toMatchObject({
      code: 400,
      detail: { id: 'EXPLAIN_UNKNOWN_PROPERTY', hint: "Did you mean 'effectiveRoles'?" },
    });
    expect((await explain(u, { property: 'userName' })).status).toBe(400);
    expect((await explain(u, { role: 7 })).body.detail).toMatchObject({ id: 'EXPLAIN_UNKNOWN_ROLE' });
    expect((await explain(u, { role: 'nobody-knows' })).status).toBe(404);
    expect((await explain('nobody-knows', { property: 'effectiveRoles' })).status).toBe(404);
    expect((await api('POST', 'managed/assignment/x?_action=explain', { body: {} })).body.detail.id).toBe(
      'ACTION_UNKNOWN',
    );
  });

  it('is told to a user of itself alone, and without what it may not read', async () => {
    const department = named('d');
    const r = await role({ condition: `department eq "${department}"` });
    const other = await role({ condition: 'department eq "secret"' });
    const u = await user({ department, password: PASSWORD });
    const as = { user: u, password: PASSWORD };
    const { status, body } = await explain(u, { property: 'effectiveRoles' }, as);
    expect([status, body.effectiveRoles]).toEqual([
      200,
      [
        {
          _ref: `managed/role/${r}`,
          via: 'conditional',
          inEffect: true,
          edge: expect.any(String),
          at: expect.any(String),
        },
      ],
    ]);
    const [hidden, missing] = [await explain(u, { role: other }, as), await explain(u, { role: 'none' }, as)];
    expect([hidden.status, missing.status]).toEqual([404, 404]);
    expect((await explain(await user(), { property: 'effectiveRoles' }, as)).status).toBe(403);
    expect((await explain(u, { property: 'effectiveRoles' }, { user: null })).status).toBe(401);
  });

  it('is told without references that a filter takes away, which look where their objects may be read', async () => {
    const u = await user({ password: PASSWORD, roles: [role_(await role())] });
    const as = { user: u, password: PASSWORD };
    const told = async () => {
      const { body } = await explain(u, { property: 'effectiveRoles' }, as);
      const { body: read } = await api('GET', `managed/user/${u}?_fields=roles`, as);
      return [body.effectiveRoles, read.roles ?? []].map((each) => each.length);
    };
    expect(await told()).toEqual([1, 1]);
    const onResponse = { type: 'text/javascript', source: "require('relationshipFilter').filterResponse()" };
    const filters = [{ pattern: '^managed($|(/.+))', onResponse }];
    expect((await api('PUT', 'config/router', { body: { filters } })).status).toBe(200);
    expect(await told()).toEqual([0, 0]);
    expect((await api('PUT', 'config/router', { body: { filters: [] } })).status).toBe(200);
  });

  describe('is told to who may read both,', () => {
    const own = 'ada';
    const rules = readFileSync(new URL('../../script/access.js', import.meta.url), 'utf8').replace(
      /configs: *\[/,
      `configs: [
        { pattern: 'managed/role/*', roles: 'svc-authorized', methods: 'read' },
        { pattern: 'audit/activity/*', roles: 'svc-authorized', methods: 'read' },
        { pattern: 'managed/user/*', roles: 'svc-tasks-manager', methods: 'read,action', actions: 'explain' },`,
    );
    let other: TestServer;
    const readers = ['ada', 'boss'].map((user) => ({ user, password: PASSWORD }));
    const ask = async (body: object, as: object) => {
      const answer = await other.api('POST', `managed/user/${own}?_action=explain`, { body, ...as });
      expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
      return answer.body;
    };
    const hide = async (source: string) => {
      const filter = { methods: ['read'], onResponse: { type: 'text/javascript', source } };
      const body = { filters: source === '' ? [] : [filter] };
      expect((await other.api('PUT', 'config/router', { body })).status).toBe(200);
    };
    const refused = 'department eq "IT" and clearance eq "top" and city eq "Bern"';

    beforeAll(async () => {
      const managed = JSON.parse(
        readFileSync(new URL('../../conf/managed.json', import.meta.url), 'utf8'),
      ) as { objects: { name: string; schema: { properties: Record<string, object> } }[] };
      const { properties } = managed.objects.find(({ name }) => name === 'user')!.schema;
      properties['clearance'] = { type: 'string', scope: 'private' };
      other = await startTestServer({
        files: { 'script/access.js': rules, 'conf/managed.json': managed },
      });
      const put = async (path: string, body: object) =>
        expect((await other.api('PUT', path, { body })).status).toBe(201);
      const person = { givenName: 'G', sn: 'S', mail: 'g@example.com', password: PASSWORD };
      const about = { department: 'IT', city: 'Basel', clearance: 'low' };
      await put('managed/user/ada', { userName: 'ada', ...person, ...about });
      const authzRoles = [{ _ref: 'repo/internal/role/svc-tasks-manager' }];
      await put('managed/user/boss', { userName: 'boss', ...person, authzRoles });
      const description = 'A role';
      await put('managed/role/met', {
        name: 'met',
        description,
        condition: 'department eq "IT" and clearance eq "low"',
        temporalConstraints: NOW(),
      });
      await put('managed/role/unmet', { name: 'unmet', description, condition: refused });
    });
    afterAll(() => other[Symbol.asyncDispose]());
    afterEach(() => hide(''));

    it('without anything that filters store when they are asked on the way', async () => {
      await hide("if (/^managed/.test(resourcePath)) svc.create('repo/noted', null, {});");
      for (const as of readers) await ask({ role: 'met' }, as);
      await hide('');
      expect((await other.api('GET', 'repo/noted?_queryFilter=true')).body.result).toEqual([]);
    });

    it('without clauses over what it is not shown of the object', async () => {
      for (const as of readers) {
        const { clauses, why } = await ask({ role: 'unmet' }, as);
        expect(clauses).toEqual([
          { text: '/department eq "IT"', result: true },
          { text: '/clearance eq "top"', result: null, reason: 'You are not shown clearance' },
          { text: '/city eq "Bern"', result: false },
        ]);
        expect(why).toContain('/city eq "Bern" is false');
        const [grant] = (await ask({ property: 'effectiveRoles' }, as)).effectiveRoles;
        expect(grant).toMatchObject({ clauses: [{ result: true }, { result: null }], by: 'svc-admin' });
      }
      const { clauses } = await ask({ role: 'unmet' }, {});
      expect(clauses.map(({ result }: { result: boolean }) => result)).toEqual([true, false, false]);
    });

    it('nor over what a filter takes from it, be it there or not', async () => {
      await hide("if (resourcePath === 'managed/user/ada') delete response.content.city; response");
      for (const as of readers) {
        const { clauses, why } = await ask({ role: 'unmet' }, as);
        expect(clauses.map(({ result }: { result: boolean | null }) => result)).toEqual([true, null, null]);
        expect(why).toBe('Nobody has granted it, and its condition looks at what you are not shown');
      }
    });

    it('without the condition and the time span that a filter takes from the role', async () => {
      await hide(`if (resourcePath.startsWith('managed/role/')) {
          delete response.content.condition;
          delete response.content.temporalConstraints;
        }
        if (resourcePath.startsWith('audit/')) delete response.content.userId;
        response`);
      for (const as of readers) {
        const [grant] = (await ask({ property: 'effectiveRoles' }, as)).effectiveRoles;
        const one = await ask({ role: 'met' }, as);
        for (const told of [grant, one, one.grants[0]]) {
          for (const name of ['condition', 'clauses', 'window', 'by']) expect(told).not.toHaveProperty(name);
        }
        expect([grant._ref, grant.via, grant.inEffect]).toEqual(['managed/role/met', 'conditional', true]);
        expect((await ask({ role: 'unmet' }, as)).why).toBe(
          'Nobody has granted it, and it has no condition that you are shown',
        );
      }
    });

    it.each(['roles', 'effectiveRoles'])(
      'without the roles that a filter takes from %s of a read',
      async (name) => {
        const told = async (as: object) => (await ask({ property: 'effectiveRoles' }, as)).effectiveRoles;
        for (const as of readers) expect(await told(as)).toHaveLength(1);
        await hide(`if (response.content.${name}) {
          response.content.${name} = response.content.${name}.filter((each) => each._ref !== 'managed/role/met');
        }
        response`);
        for (const as of readers) {
          expect(await told(as)).toEqual([]);
          const { has, grants } = await ask({ role: 'met' }, as);
          expect([has, grants]).toEqual(name === 'roles' ? [false, []] : [true, [expect.anything()]]);
        }
        expect(await told({})).toHaveLength(1);
      },
    );

    it('as if there were no role that a filter hides by whatever error', async () => {
      await hide("if (resourcePath === 'managed/role/unmet') throw { code: 400, message: 'Not here' };");
      for (const as of readers) {
        const path = `managed/user/${own}?_action=explain`;
        const [hidden, none] = [
          await other.api('POST', path, { body: { role: 'unmet' }, ...as }),
          await other.api('POST', path, { body: { role: 'none' }, ...as }),
        ];
        expect([hidden.status, none.status]).toEqual([404, 404]);
      }
    });
  });

  it('is told on the command line, while nodes run or not', async () => {
    const [has, hasNot] = [await role(), await role({ condition: 'department eq "HR"' })];
    const u = await user({ department: 'IT', roles: [role_(has)] });
    vi.stubEnv('DATABASE_URL', database.url);
    vi.stubEnv('SVC_PROJECT', server.project.location);
    const said = vi.spyOn(console, 'log').mockImplementation(() => {});
    try {
      expect(await run(['why', 'user', u])).toBe(0);
      expect(await run(['why', 'user', u, 'role', hasNot])).toBe(0);
      const [all, one] = said.mock.calls.map(([text]) => String(text));
      expect(all).toMatch(
        new RegExp(
          `^User ${u} has 1 grant\n\nmanaged/role/${has}  manual\n  since .* by svc-admin, transaction `,
        ),
      );
      expect(one).toBe(
        `User ${u} does not have managed/role/${hasNot}\nNobody has granted it, and its condition does not hold: /department eq "HR" is false.\n  /department eq "HR"  does not hold`,
      );
      vi.spyOn(console, 'error').mockImplementation(() => {});
      expect(await run(['why', 'user', 'nobody-knows'])).toBe(1);
    } finally {
      vi.restoreAllMocks();
      vi.unstubAllEnvs();
    }
  });
});
