import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#database/index.ts';
import type { Connection } from '#resource/index.ts';
import { seededRandom } from '../../support/hostile-requests.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';
import { createProject } from '../../support/project.ts';
import { SEED } from '../../support/property-seed.ts';
import { withoutHooks } from '../../support/without-hooks.ts';
import { openWorkflowCore, statementsOf } from '../../support/workflow-core.ts';
import '../../support/takes-long.ts';

describe('a request that changes nothing but one object', () => {
  const scope = new AsyncDisposableStack();
  let database: Database;
  let connection: Connection;

  beforeAll(async () => {
    database = scope.use(await createMigratedDatabase());
    const project = scope.use(await createProject({ 'conf/managed.json': withoutHooks() }));
    ({ connection } = await openWorkflowCore(database as never, project.location));
  });
  afterAll(() => scope.disposeAsync());

  let users = 0;
  const createUser = async (more = {}) => {
    const n = ++users;
    const user = { userName: `user${n}`, givenName: 'G', sn: 'S', mail: `${n}@example.com`, ...more };
    return String((await connection.create('managed/user', null, user)).id);
  };
  const patch = (id: string, field: string, value: string) =>
    connection.patch(`managed/user/${id}`, null, [{ operation: 'replace', field: [field], value }]);

  it('takes two ways to the database, of which one only reads', async () => {
    const id = await createUser();
    const sent = await statementsOf(() => patch(id, 'mail', 'new@example.com'));
    expect(sent.length, sent.join('\n')).toBe(2);
    expect(sent[0]).toMatch(/^select/);
  });

  it('shares its commit with others', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 40; n++) ids.push(await createUser());
    const sent = await statementsOf(() => Promise.all(ids.map((id) => patch(id, 'sn', `of ${id}`))));
    expect(sent.filter((text) => /\bupdate\b/.test(text)).length).toBeLessThan(20);
    for (const id of ids)
      expect((await connection.read(`managed/user/${id}`)).content).toMatchObject({ sn: `of ${id}` });
  });

  it('follows conditions, roles and names that others change meanwhile', async () => {
    const random = seededRandom(SEED);
    const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!;
    const ids = await Promise.all(Array.from({ length: 12 }, () => createUser({ department: 'a' })));
    const roles = await Promise.all(
      ['one', 'two'].map(async (name) =>
        String((await connection.create('managed/role', name, { name, description: name })).id),
      ),
    );
    const departments = ['a', 'b', 'c'];
    const changeCondition = (id: string) =>
      connection.patch(`managed/role/${id}`, null, [
        pick([true, false])
          ? { operation: 'replace', field: ['condition'], value: `department eq "${pick(departments)}"` }
          : { operation: 'remove', field: ['condition'] },
      ]);
    const changeName = (id: string) =>
      connection.patch(`managed/role/${id}`, null, [
        { operation: 'replace', field: ['description'], value: String(random()) },
      ]);
    for (let round = 0; round < 10; round++) {
      const work = Array.from({ length: 24 }, () => () => patch(pick(ids), 'department', pick(departments)));
      for (const id of roles) work.splice(Math.floor(random() * work.length), 0, () => changeCondition(id));
      work.splice(Math.floor(random() * work.length), 0, () => changeName(pick(roles)));
      const outcomes = await Promise.allSettled(work.map((start) => start()));
      expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
      const conditions = await Promise.all(
        roles.map(
          async (id) =>
            [id, (await connection.read(`managed/role/${id}`)).content as { condition?: string }] as const,
        ),
      );
      for (const id of ids) {
        const { content } = await connection.read(`managed/user/${id}`, {
          fields: [['*'], ['roles']],
        } as never);
        const {
          department,
          effectiveRoles,
          roles: held,
        } = content as {
          department: string;
          effectiveRoles: { _ref: string }[];
          roles: { _ref: string }[];
        };
        const due = conditions
          .filter(([, { condition }]) => condition === `department eq "${department}"`)
          .map(([role]) => `managed/role/${role}`);
        expect(held.map(({ _ref }) => _ref).sort()).toEqual(due.sort());
        expect(effectiveRoles.map(({ _ref }) => _ref).sort()).toEqual(due.sort());
      }
    }
  });
});
