import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { makeDue, workflowApi } from '../support/workflow.ts';

const shipped = (name: string) => readFileSync(new URL(`../../workflow/${name}`, import.meta.url), 'utf8');
const FILES = ['accessRequest.bpmn20.xml', 'contractorOnboarding.bpmn20.xml'];
const PASSWORD = 'Passw0rd-of-users';
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

let server: TestServer;
let api: Api;
let workflow: ReturnType<typeof workflowApi>;

beforeAll(async () => {
  server = await startTestServer({
    files: Object.fromEntries(FILES.map((name) => [`workflow/${name}`, shipped(name)])),
  });
  ({ api } = server);
  workflow = workflowApi(api);
  await eventually(
    () => workflow.list('processdefinition'),
    (definitions) => definitions.length === FILES.length,
  );
  const person = (userName: string, more: object = {}) => {
    const named = { userName, givenName: userName, sn: 'Test', mail: `${userName}@example.com` };
    return api('PUT', `managed/user/${userName}`, { body: { ...named, password: PASSWORD, ...more } });
  };
  await person('boss');
  await person('emil', { manager: { _ref: 'managed/user/boss' } });
  await person('otto');
  await api('PUT', 'managed/role/auditor', { body: { name: 'auditor', description: 'May read everything' } });
});
afterAll(() => server[Symbol.asyncDispose]());

/** What somebody else than the administrator does, who decides in these tests. */
const as = (userName: string) =>
  workflowApi((method, path, options) =>
    api(method, path, { ...options, user: userName, password: PASSWORD }),
  );
const rolesOf = async (user: string): Promise<string[]> => {
  const { body } = await api('GET', `managed/user/${user}?_fields=roles`);
  return body.roles.map((role: { _ref: string }) => role._ref);
};
const task = async (instance: string, element: string) => {
  const tasks = await workflow.tasks(instance);
  return tasks.find((one: { taskDefinitionKey: string }) => one.taskDefinitionKey === element);
};
const hasEnded = async (instance: string) =>
  (await workflow.get(`processinstance/history/${instance}`)).endTime !== null;

describe('the access request', () => {
  test('shows its start form and its picture', async () => {
    const [{ _id: id }] = await workflow.list('processdefinition', 'key=accessRequest');
    const definition = await workflow.get(`processdefinition/${id}`);
    expect(definition.name).toBe('Access request');
    expect(
      definition.formProperties.map(({ _id, required }: { _id: string; required: boolean }) => [
        _id,
        required,
      ]),
    ).toEqual([
      ['userName', false],
      ['role', true],
      ['reason', true],
    ]);
    const { diagram } = await workflow.get(`processdefinition/${id}?_fields=diagram`);
    expect(Buffer.from(diagram, 'base64').subarray(0, 4)).toEqual(PNG);
  });

  test('goes to the manager, who grants the role', async () => {
    const id = await as('otto').start('accessRequest', {
      userName: 'emil',
      role: 'auditor',
      reason: 'Audit',
    });
    const open = await task(id, 'approve');
    expect(open).toMatchObject({
      name: 'Approve auditor for emil Test',
      description: 'Audit',
      assignee: 'boss',
    });
    const { formProperties } = await workflow.get(`taskinstance/${open._id}`);
    expect(formProperties).toEqual([{ decision: null }, { comment: null }]);
    const { diagram } = await workflow.get(`processinstance/${id}?_fields=diagram`);
    expect(Buffer.from(diagram, 'base64').subarray(0, 4)).toEqual(PNG);
    const { diagramSvg } = await workflow.get(`processinstance/${id}?_fields=diagramSvg`);
    expect(Buffer.from(diagramSvg, 'base64').toString()).toContain(
      'data-element-id="approve" class="userTask active"',
    );
    expect(await rolesOf('emil')).toEqual([]);
    const misspelt = await as('boss').complete(open._id, { decision: 'acept' });
    expect([misspelt.status, JSON.stringify(misspelt.body)]).toEqual([400, expect.stringContaining('acept')]);
    expect((await as('boss').complete(open._id, { decision: 'accept' })).status).toBe(200);
    expect(await rolesOf('emil')).toEqual(['managed/role/auditor']);
    expect(await hasEnded(id)).toBe(true);
    const ended = await workflow.get(`processinstance/history/${id}?_fields=diagram`);
    expect(Buffer.from(ended.diagram, 'base64').subarray(0, 4)).toEqual(PNG);
  });

  test('goes to others when nobody decides in time, who refuse', async () => {
    const id = await workflow.start('accessRequest', {
      userName: 'otto',
      role: 'auditor',
      reason: 'Curiosity',
    });
    expect(await task(id, 'approve')).toMatchObject({ assignee: null });
    await makeDue(server.database.pool, id);
    await eventually(
      () => workflow.openTasks(id),
      (open) => open[0] === 'escalated',
    );
    const { tasks } = await workflow.get(`processinstance/${id}`);
    expect(tasks).toContainEqual(
      expect.objectContaining({
        taskDefinitionKey: 'approve',
        deleteReason: expect.stringContaining('boundary event'),
      }),
    );
    const candidates = await workflow.list('taskinstance', 'taskCandidateGroup=svc-tasks-manager');
    expect(candidates.map(({ name }: { name: string }) => name)).toContain('Decide on auditor for otto Test');
    await workflow.completeAt(id, 'escalated', { decision: 'reject' });
    expect(await hasEnded(id)).toBe(true);
    expect(await rolesOf('otto')).toEqual([]);
  });

  test('of a role or user that does not exist is not started', async () => {
    const count = async () => (await workflow.list('processinstance/history')).length;
    const before = await count();
    for (const body of [
      { userName: 'emil', role: 'pilot', reason: 'x' },
      { userName: 'nobody', role: 'auditor', reason: 'x' },
    ]) {
      const answer = await api('POST', 'workflow/processinstance', {
        body: { _key: 'accessRequest', ...body },
      });
      expect(answer.status).toBe(404);
      expect(answer.body.message).toMatch(/There is no (role 'pilot'|user 'nobody')/);
    }
    expect(await count()).toBe(before);
  });
});

describe('the onboarding of a contractor', () => {
  const contractor = {
    givenName: 'Cleo',
    sn: 'Tract',
    mail: 'cleo@contractors.example',
    department: 'sales',
    lastDay: '2099-12-31',
  };
  const account = async () => {
    const query = encodeURIComponent('mail eq "cleo@contractors.example"');
    return (await api('GET', `managed/user?_queryFilter=${query}`)).body.result;
  };

  test('makes an account, which is opened when everything is ready', async () => {
    const id = await as('otto').start('contractorOnboarding', contractor);
    expect(await task(id, 'approve')).toMatchObject({ name: 'Approve Cleo Tract for sales' });
    expect(await account()).toEqual([]);
    await workflow.completeAt(id, 'approve', { decision: 'accept' });
    expect(await account()).toMatchObject([
      { userName: 'x-cleo', accountStatus: 'inactive', endDate: '2099-12-31' },
    ]);
    expect((await workflow.openTasks(id)).sort()).toEqual(['badge', 'workplace']);
    const badge = await task(id, 'badge');
    expect(badge).toMatchObject({ assignee: 'otto' });
    expect((await as('otto').complete(badge._id, { badgeNumber: '4711' })).status).toBe(200);
    expect(await hasEnded(id)).toBe(false);
    await workflow.completeAt(id, 'workplace');
    expect(await hasEnded(id)).toBe(true);
    expect(await account()).toMatchObject([{ accountStatus: 'active' }]);
  });

  test('ends at once for somebody who is known, and changes nothing', async () => {
    const id = await as('otto').start('contractorOnboarding', contractor);
    await workflow.completeAt(id, 'approve', { decision: 'accept' });
    expect(await hasEnded(id)).toBe(true);
    const { processVariables } = await workflow.get(`processinstance/${id}`);
    expect(processVariables.problem).toMatchObject({ code: 'DUPLICATE' });
    expect(await account()).toHaveLength(1);
  });

  test('makes nothing for somebody who is rejected', async () => {
    const id = await workflow.start('contractorOnboarding', {
      ...contractor,
      mail: 'not@contractors.example',
    });
    await workflow.completeAt(id, 'approve', { decision: 'reject' });
    expect(await hasEnded(id)).toBe(true);
    const query = encodeURIComponent('mail eq "not@contractors.example"');
    expect((await api('GET', `managed/user?_queryFilter=${query}`)).body.result).toEqual([]);
  });
});
