import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { makeDue, processFile, workflowApi } from '../support/workflow.ts';

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
  const role = (name: string, more: object) =>
    api('PUT', `managed/role/${name}`, {
      body: { name, description: `May do what the ${name} does`, ...more },
    });
  await role('auditor', { requestable: true });
  await role('treasurer', { requestable: false });
});
afterAll(() => server?.[Symbol.asyncDispose]());

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
      { userName: 'emil', role: 'treasurer', reason: 'x' },
      { userName: 'nobody', role: 'auditor', reason: 'x' },
    ]) {
      const answer = await api('POST', 'workflow/processinstance', {
        body: { _key: 'accessRequest', ...body },
      });
      expect(answer.status).toBe(404);
      expect(answer.body.message).toMatch(
        /There is no (role '(pilot|treasurer)' that can be asked for|user 'nobody')/,
      );
    }
    expect(await count()).toBe(before);
  });

  test('grants no role that cannot be asked for, nor one that no longer can', async () => {
    const ask = (role: string) => as('otto').start('accessRequest', { userName: 'emil', role, reason: 'x' });
    const setRequestable = (value: boolean) =>
      api('PATCH', 'managed/role/auditor', {
        body: [{ operation: 'replace', field: '/requestable', value }],
      });
    const before = await rolesOf('emil');
    const hidden = await ask('treasurer');
    expect((await workflow.completeAt(hidden, 'approve', { decision: 'accept' })).status).toBe(404);
    const late = await ask('auditor');
    await setRequestable(false);
    const refused = await as('boss').complete((await task(late, 'approve'))._id, { decision: 'accept' });
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('no longer')]);
    await setRequestable(true);
    expect(await rolesOf('emil')).toEqual(before);
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
    const open = await task(id, 'approve');
    expect(open).toMatchObject({ name: 'Approve Cleo Tract for sales' });
    const { formProperties } = await workflow.get(`taskinstance/${open._id}`);
    expect(formProperties).toEqual([
      { mail: contractor.mail },
      { lastDay: '2099-12-31' },
      { decision: null },
    ]);
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

  test.each(['never', '31/12/2099x', ''])('is not asked for without a last day: %j', async (lastDay) => {
    const { status, body } = await api('POST', 'workflow/processinstance', {
      user: 'otto',
      password: PASSWORD,
      body: { _key: 'contractorOnboarding', ...contractor, lastDay },
    });
    expect([status, body.detail?.id, body.detail?.field]).toEqual([400, 'WORKFLOW_FORM', '/lastDay']);
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

describe('a process of which a new version shuts somebody out', () => {
  const review = (starters: string) =>
    processFile(
      'review',
      '<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="e"/><endEvent id="e"/>',
      {
        'flowable:candidateStarterUsers': starters,
      },
    );
  const deploy = async (starters: string): Promise<string> => {
    const body = { name: 'review.bpmn20.xml', content: review(starters) };
    const deployed = await api('POST', 'workflow/deployment?_action=deploy', { body });
    expect(deployed.status).toBeLessThan(300);
    const versions = await workflow.list('processdefinition', 'key=review');
    const [latest] = versions.sort((one: Version, other: Version) => other.version - one.version);
    return latest._id;
  };
  interface Version {
    readonly version: number;
  }
  const begin = async (user: string, definition: string, caller: Api = api) =>
    (
      await caller('POST', 'workflow/processinstance', {
        user,
        password: PASSWORD,
        body: { _processDefinitionId: definition },
      })
    ).status;
  /** As `auth/customAuthz` has it for expressions that are scripts. */
  const mayByScript = async (user: string, definition: string) => {
    const asked = {
      method: 'create',
      resourcePath: 'workflow/processinstance',
      content: { _processDefinitionId: definition },
    };
    const authorization = { id: user, component: 'managed/user', roles: ['svc-authorized'] };
    const source = `require('auth/customAuthz').of(${JSON.stringify(asked)}, { security: { authenticationId: '${user}', authorization: ${JSON.stringify(authorization)} } }).isAllowedToStartProcess()`;
    const { status, body } = await api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source },
    });
    expect([status, typeof body]).toEqual([200, 'boolean']);
    return body;
  };

  test('is started by them in no version, and by the others in any that is offered to them', async () => {
    const before = await deploy('otto,emil,boss');
    expect(await begin('otto', before)).toBe(201);
    const after = await deploy('emil,svc-admin');
    for (const [user, definition, status] of [
      ['otto', before, 403],
      ['otto', after, 403],
      ['emil', before, 201],
      ['emil', after, 201],
    ] as const) {
      expect([user, await begin(user, definition)]).toEqual([user, status]);
      expect([user, await mayByScript(user, definition)]).toEqual([user, status === 201]);
    }
    // Nor by anybody else as long as the latest one is suspended.
    const suspended = await api('POST', `workflow/processdefinition/${after}?_action=suspend`);
    expect(suspended.status).toBe(200);
    expect(await begin('emil', before)).toBe(403);
    expect(await mayByScript('emil', before)).toBe(false);
  });
});
