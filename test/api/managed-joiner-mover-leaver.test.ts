import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

type Grant = { _ref: string; _refProperties: { _grantType?: string } };

/** The shipped example: conf/managed.json with script/joiner-mover-leaver.js. */
describe('people who join, move and leave', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer();
    api = server.api;
    const role = (id: string, body: object) =>
      api('PUT', `managed/role/${id}`, { body: { name: id, description: id, ...body } });
    await api('PUT', 'managed/assignment/crm', {
      body: { name: 'crm', description: 'Account in the CRM', mapping: 'users_crm' },
    });
    await role('seller', {
      condition: 'department eq "sales"',
      assignments: [{ _ref: 'managed/assignment/crm' }],
    });
    await role('engineer', { condition: 'department eq "engineering"' });
    await role('employee', { condition: 'accountStatus eq "active"' });
    for (const id of ['keys', 'budget', 'first-aid']) await role(id, {});
    const person = (id: string, body: object) =>
      api('PUT', `managed/user/${id}`, {
        body: { userName: id, givenName: id, sn: 'Test', mail: `${id}@example.com`, ...body },
      });
    await person('ceo', {});
    await person('boss', { department: 'sales', manager: { _ref: 'managed/user/ceo' } });
    await person('joan', { department: 'sales', manager: { _ref: 'managed/user/boss' } });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const rolesOf = async (id: string) => {
    const { body } = await api('GET', `managed/user/${id}?_fields=roles`);
    return (body.roles as Grant[])
      .map(
        ({ _ref, _refProperties }) =>
          `${_ref.split('/')[2]}${_refProperties._grantType === 'conditional' ? '' : '!'}`,
      )
      .sort();
  };
  const set = async (id: string, field: string, value: string) =>
    api('PATCH', `managed/user/${id}`, { body: [{ operation: 'replace', field, value }] });
  const grant = (id: string, role: string, properties: object = {}) =>
    api('PATCH', `managed/user/${id}`, {
      body: [
        {
          operation: 'add',
          field: '/roles/-',
          value: { _ref: `managed/role/${role}`, _refProperties: properties },
        },
      ],
    });

  it('get at once what their department and their status give them', async () => {
    expect(await rolesOf('joan')).toEqual(['employee', 'seller']);
    const { body } = await api('GET', 'managed/user/joan?_fields=effectiveAssignments,manager/userName');
    expect(body).toMatchObject({ effectiveAssignments: [{ _id: 'crm' }], manager: { userName: 'boss' } });
  });

  it('keep all that was theirs when they get their first department', async () => {
    await grant('ceo', 'keys');
    await set('ceo', '/department', 'sales');
    expect(await rolesOf('ceo')).toEqual(['employee', 'keys!', 'seller']);
  });

  it('keep what was theirs, and lose what was the department’s, when they move', async () => {
    await grant('joan', 'first-aid');
    await grant('joan', 'budget', { department: 'sales' });
    expect(await rolesOf('joan')).toEqual(['budget!', 'employee', 'first-aid!', 'seller']);
    const moved = await set('joan', '/department', 'engineering');
    expect(moved.body).toMatchObject({ department: 'engineering', effectiveAssignments: [] });
    expect(await rolesOf('joan')).toEqual(['employee', 'engineer', 'first-aid!']);
  });

  it('lose what was granted by hand when they leave, and whoever reported to them reports to their manager', async () => {
    await grant('boss', 'keys');
    expect((await set('joan', '/endDate', '')).status).toBe(200);
    await api('PATCH', 'managed/user/boss', {
      body: [{ operation: 'replace', field: '/endDate', value: '2020-01-31' }],
    });
    const run = await api('POST', 'script?_action=eval', {
      body: {
        type: 'text/javascript',
        file: 'script/deactivate-leavers.js',
        globals: { object: { batchSize: 10 } },
      },
    });
    expect(run.body).toBe(1);
    expect(await rolesOf('boss')).toEqual(['seller']);
    const joan = (await api('GET', 'managed/user/joan?_fields=manager')).body;
    expect(joan.manager._ref).toBe('managed/user/ceo');
    const reports = await api('GET', 'managed/user/ceo/reports?_queryFilter=true&_fields=userName');
    expect(reports.body.result.map(({ userName }: { userName: string }) => userName).sort()).toEqual([
      'boss',
      'joan',
    ]);
    const records = await api('GET', 'managed/deactivation?_queryFilter=true');
    expect(records.body.result).toMatchObject([{ userName: 'boss', endDate: '2020-01-31' }]);
  });

  it.each(['31.12.2030', '2030-02-31', '2030-2-1'])('have no last day %j', async (day) => {
    const { status, body } = await set('ceo', '/endDate', day);
    expect([status, body.detail?.failedPolicyRequirements]).toEqual([
      403,
      expect.arrayContaining([expect.objectContaining({ property: 'endDate' })]),
    ]);
    expect((await api('GET', 'managed/user/ceo')).body.endDate).toBeUndefined();
  });

  it('that leave are nobody’s loss when it is only rehearsed', async () => {
    const { body } = await api('PATCH', 'managed/user/ceo?_dryRun=true', {
      body: [{ operation: 'replace', field: '/accountStatus', value: 'inactive' }],
    });
    expect(body.changes.map(({ resource }: { resource: string }) => resource)).toEqual(
      expect.arrayContaining(['managed/user/joan', 'managed/user/boss', 'managed/user/ceo']),
    );
    expect((await api('GET', 'managed/user/joan?_fields=manager')).body.manager._ref).toBe(
      'managed/user/ceo',
    );
  });
});
