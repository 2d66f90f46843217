import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile, workflowApi } from '../support/workflow.ts';
import { end, flow, gateway, path, service, start, user } from '../unit/workflow/engine/bpmn.ts';

/** `${…}` of the expression language, which is no template of ours. */
const $ = (expression: string) => `\${${expression}}`;

const approval = processFile(
  'approval',
  start('s', '', { 'flowable:initiator': 'initiator' }) +
    user('approve', { 'flowable:candidateUsers': 'boss1,boss2', 'flowable:candidateGroups': 'managers' }) +
    gateway('exclusive', 'decide', { default: 'decide-rejected' }) +
    user('provision', { 'flowable:assignee': $('initiator') }) +
    end('rejected') +
    end('done') +
    path('s', 'approve', 'decide', 'rejected') +
    flow('decide', 'provision', $("decision == 'accept'")) +
    path('provision', 'done'),
  { name: 'Approval' },
);
const straight = processFile(
  'straight',
  start() +
    service('calc', $('1 + 2'), { 'flowable:resultVariable': 'sum' }) +
    end() +
    path('s', 'calc', 'e'),
);

let server: TestServer;
let api: Api;
let workflow: ReturnType<typeof workflowApi>;

beforeAll(async () => {
  server = await startTestServer({
    files: { 'workflow/approval.bpmn20.xml': approval, 'workflow/straight.bpmn20.xml': straight },
  });
  ({ api } = server);
  workflow = workflowApi(api);
});
afterAll(() => server[Symbol.asyncDispose]());

describe('an instance', () => {
  test('is started by key, waits at its task, and ends when the tasks are completed', async () => {
    const created = await api('POST', 'workflow/processinstance?_action=create', {
      body: {
        _key: 'approval',
        _businessKey: 'bjensen',
        department: 'Sales',
        startDate: '2026-01-01T00:00:00.000Z',
      },
    });
    expect(created.status).toBe(201);
    const id = created.body._id;
    expect(created.headers.get('location')).toContain(`/workflow/processinstance/${id}`);
    expect(created.body).toEqual({
      _id: id,
      processInstanceId: id,
      status: 'suspended',
      businessKey: 'bjensen',
      processDefinitionId: expect.stringMatching(/^approval:1:\d+$/),
    });

    const [task] = await workflow.tasks(id);
    expect(task).toMatchObject({
      name: 'approve',
      taskDefinitionKey: 'approve',
      assignee: null,
      priority: 50,
    });
    const read = await workflow.get(`taskinstance/${task._id}`);
    expect(read.variables).toEqual({ department: 'Sales', startDate: 1767225600000, initiator: 'svc-admin' });
    expect(read.candidates).toEqual({ candidateUsers: ['boss1', 'boss2'], candidateGroups: ['managers'] });

    const completed = await workflow.complete(task._id, {
      decision: 'accept',
      at: '2026-01-01T00:00:00.000Z',
    });
    expect([completed.status, completed.body]).toEqual([200, { 'Task action performed': 'complete' }]);
    const [next] = await workflow.tasks(id);
    expect(next).toMatchObject({ taskDefinitionKey: 'provision', assignee: 'svc-admin' });
    expect((await workflow.complete(next._id)).status).toBe(200);
    expect((await workflow.complete(next._id)).status).toBe(404);

    const instance = await workflow.get(`processinstance/${id}`);
    expect(instance).toMatchObject({
      businessKey: 'bjensen',
      deleteReason: null,
      endTime: expect.stringMatching(/Z$/),
      processDefinitionName: 'Approval',
      processVariables: { decision: 'accept', at: '2026-01-01T00:00:00.000Z', startDate: 1767225600000 },
      startUserId: 'svc-admin',
    });
    expect(instance.durationInMillis).toBeGreaterThan(0);
    expect(instance.processVariables).not.toHaveProperty('svccontext');
    expect(instance.tasks.map((one: { taskDefinitionKey: string }) => one.taskDefinitionKey)).toEqual([
      'approve',
      'provision',
    ]);
    expect(instance.tasks[0]).toMatchObject({ endTime: expect.any(String), deleteReason: null });
  });

  test('that never waits has ended in its start', async () => {
    const created = await api('POST', 'workflow/processinstance', { body: { _key: 'straight' } });
    expect(created.body.status).toBe('ended');
    const read = await workflow.get(`processinstance/history/${created.body._id}`);
    expect(read.processVariables).toEqual({ sum: 3 });
    expect(await workflow.list('processinstance', `processInstanceId=${created.body._id}`)).toEqual([]);
  });
});
