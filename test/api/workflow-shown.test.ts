import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { processFile } from '../support/workflow.ts';
import { $, ids, startWorkflowSite, type WorkflowSite } from '../support/workflow-site.ts';
import { boundary, end, flow, message, path, start, tag, timer, user } from '../unit/workflow/engine/bpmn.ts';

let site: WorkflowSite;
let api: Api;
let workflow: WorkflowSite['workflow'];

beforeAll(async () => {
  site = await startWorkflowSite();
  ({ api, workflow } = site);
});
afterAll(() => site?.[Symbol.asyncDispose]());

describe('what is shown', () => {
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

  test('of each resource is all that clients know of it', async () => {
    const body = { label: 'b', who: 'ben', due: 'P1D', priority: 7, _businessKey: 'key' };
    const id = await workflow.start('rich', body);
    const [definition] = await workflow.list('processdefinition', 'key=rich');
    const read = await workflow.get(`processdefinition/${definition._id}`);
    expect(read).toEqual({ ...definition, formProperties: [] });
    const { result } = await workflow.get(
      `processdefinition/${definition._id}/taskdefinition?_queryId=query-all-ids`,
    );
    expect(result).toEqual([
      {
        _id: 'task',
        assignee: $('who'),
        category: 'odd',
        dueDate: $('due'),
        exclusive: true,
        name: $('label'),
        priority: $('priority'),
        taskCandidateGroup: [],
        taskCandidateUser: [],
        formResourceKey: $("'form-'.concat(label)"),
        formProperties: {
          deploymentId: definition.deploymentId,
          formKey: { expressionText: $("'form-'.concat(label)") },
          formPropertyHandlers: [],
        },
      },
    ]);

    const [listed] = await workflow.tasks(id);
    const task = {
      _id: expect.any(String),
      assignee: 'ben',
      category: 'odd',
      claimTime: null,
      createTime: time,
      deleted: false,
      description: 'About b',
      dueDate: time,
      executionId: expect.any(String),
      name: 'b',
      owner: 'owner-b',
      priority: 7,
      processDefinitionId: definition._id,
      processInstanceId: id,
      processVariables: {},
      taskDefinitionKey: 'task',
      taskLocalVariables: {},
      tenantId: '',
    };
    const open = { _rev: '1', canceled: false, formKey: 'form-b', parentTaskId: null, updated: false };
    expect(listed).toEqual({ ...task, ...open });
    const { _businessKey, ...given } = body;
    expect(await workflow.get(`taskinstance/${listed._id}`)).toEqual({
      ...listed,
      formProperties: [],
      variables: { ...given, assigned: 'ben', mine: 'b' },
      candidates: { candidateUsers: [], candidateGroups: [] },
    });
    const [historic] = await workflow.list('taskinstance/history', `taskId=${listed._id}`);
    const past = { deleteReason: null, durationInMillis: null, endTime: null, startTime: listed.createTime };
    expect(historic).toEqual({ ...task, ...past });
    expect(await workflow.get(`taskinstance/history/${listed._id}`)).toEqual(historic);

    const [instance] = await workflow.list('processinstance', `processInstanceId=${id}`);
    expect(instance).toEqual({
      _id: id,
      businessKey: _businessKey,
      businessStatus: null,
      deleteReason: null,
      deleted: false,
      deploymentId: definition.deploymentId,
      description: null,
      durationInMillis: null,
      endTime: null,
      name: null,
      processDefinitionId: definition._id,
      processDefinitionKey: 'rich',
      processDefinitionName: 'Rich',
      processDefinitionResourceName: 'Rich',
      processVariables: expect.objectContaining({ ...given, assigned: 'ben' }),
      startTime: time,
      startUserId: 'svc-admin',
      superProcessInstanceId: null,
      tenantId: '',
    });
    expect(await workflow.get(`processinstance/${id}`)).toEqual({
      ...instance,
      _rev: expect.stringMatching(/^\d+$/),
      tasks: [{ ...historic, taskLocalVariables: { mine: 'b' } }],
    });
  });

  test.each<[string, string[]]>([
    ['processdefinition', ['POST', 'POST ?_action=x', 'PUT /{id}', 'PATCH /{id}']],
    [
      'processdefinition/{id}/taskdefinition',
      ['POST', 'POST ?_action=x', 'PUT /task', 'PATCH /task', 'DELETE /task', 'POST /task?_action=x'],
    ],
    ['processinstance', ['PUT /{instance}', 'POST ?_action=migrate']],
    ['processinstance/history', ['PUT /{instance}', 'POST ?_action=migrate']],
    ['taskinstance', ['POST', 'PATCH /{task}']],
    [
      'taskinstance/history',
      [
        ...['POST', 'POST ?_action=claim', 'PUT /{task}', 'PATCH /{task}'],
        ...['DELETE /{task}', 'POST /{task}?_action=claim'],
      ],
    ],
    ['job', ['PUT /{task}', 'PATCH /{task}', 'DELETE /{task}']],
    ['job/deadletter', ['POST', 'POST ?_action=retry', 'PUT /{task}', 'PATCH /{task}', 'DELETE /{task}']],
  ])('%s does not support %j', async (path, requests) => {
    const [definition] = await workflow.list('processdefinition', 'key=rich');
    const [task] = await workflow.list('taskinstance', '_pageSize=1');
    const fill = (text: string) =>
      text
        .replace('{id}', definition._id)
        .replace('{task}', task._id)
        .replace('{instance}', task.processInstanceId);
    for (const request of requests) {
      const [method, rest = ''] = request.split(' ');
      const body = method === 'DELETE' ? {} : { body: method === 'PATCH' ? [] : {} };
      const { status, body: answer } = await api(method!, `workflow/${fill(path + rest)}`, body);
      expect([request, status, answer.code]).toEqual([request, 501, 501]);
    }
  });

  test('of what was undeployed is its history, and nothing else', async () => {
    const [definition] = await workflow.list('processdefinition', 'key=fleeting');
    const tasks = `processdefinition/${definition._id}/taskdefinition`;
    expect(ids((await workflow.get(`${tasks}?_queryId=ALL_IDS`)).result)).toEqual(['wait']);
    const id = await workflow.start('fleeting');
    await workflow.completeAt(id, 'wait');
    expect((await api('DELETE', `workflow/processdefinition/${definition._id}`)).status).toBe(200);
    const status = async (path: string) => (await api('GET', `workflow/${path}`)).status;
    expect(await status(`processdefinition/${definition._id}`)).toBe(404);
    expect(await status(`${tasks}?_queryId=ALL_IDS`)).toBe(404);
    expect(await status(`${tasks}/wait`)).toBe(404);
    const [instance] = await workflow.list('processinstance/history', 'processDefinitionKey=fleeting');
    expect(instance).toMatchObject({
      _id: id,
      processDefinitionId: definition._id,
      processDefinitionName: 'Fleeting',
    });
    expect((await workflow.get(`processinstance/${id}`)).tasks).toHaveLength(1);
    const again = await api('POST', 'workflow/processinstance', { body: { _key: 'fleeting' } });
    expect(again.status).toBe(404);
  });
});

describe('a process file that is still written at', () => {
  const draft = (script: string) =>
    processFile(
      'draft',
      start() +
        user('ask') +
        boundary('late', 'ask', timer('P3D')) +
        `<scriptTask id="sum" scriptFormat="javascript" flowable:async="true"><script>${script}</script></scriptTask>` +
        tag('intermediateCatchEvent', 'paid', {}, message()) +
        end() +
        end('over') +
        path('s', 'ask', 'sum', 'paid', 'e') +
        flow('late', 'over'),
    );
  const good = draft("execution.setVariable('total', Number(count) * 2)");
  const walk = async (content: string, more: Record<string, unknown>, query = '&_dryRun=true') => {
    const body = { name: 'draft.bpmn20.xml', content, key: 'draft', ...more };
    return api('POST', `workflow/deployment?_action=rehearse${query}`, { body });
  };

  test('is walked through as far as it is answered, and nothing of it stays', async () => {
    const first = (await walk(good, {})).body.result;
    expect([first.status, first.waitsFor.map(({ element }: { element: string }) => element)]).toEqual([
      'waits',
      ['ask', 'late'],
    ]);
    const answers = { ask: { count: 4 }, paid: {} };
    const { result, changes } = (await walk(good, { variables: { topic: 'x' }, answers })).body;
    expect([result.status, result.moves, result.processVariables]).toMatchObject([
      'ended',
      3,
      { topic: 'x', count: 4, total: 8 },
    ]);
    const went = result.activities.map(({ element }: { element: string }) => element);
    expect(went).toEqual(expect.arrayContaining(['s', 'ask', 'sum', 'paid', 'e']));
    expect(changes.length).toBeGreaterThan(0);
    const late = (await walk(good, { answers: { late: {} } })).body.result;
    expect([late.status, late.activities.at(-1).element]).toEqual(['ended', 'over']);
    expect(await workflow.list('processdefinition', 'key=draft')).toEqual([]);
    expect(await workflow.list('processinstance/history', 'processDefinitionKey=draft')).toEqual([]);
  });

  test('tells where it fails, after what has gone well', async () => {
    const { result } = (await walk(draft('var a = null;\na.b'), { answers: { ask: {} } })).body;
    expect(result).toMatchObject({
      status: 'failed',
      moves: 1,
      failure: { element: 'sum', at: 'draft/sum:2:2', message: expect.stringContaining('null') },
    });
  });

  test('is not walked through for real, and not by nonsense', async () => {
    const told = async (more: Record<string, unknown>, query?: string) => {
      const { status, body } = await walk(good, more, query);
      return [status, body.detail.id, body.detail.field];
    };
    expect(await told({}, '')).toEqual([400, 'WORKFLOW_ONLY_REHEARSED', undefined]);
    expect(await told({ key: 'other' })).toEqual([400, 'WORKFLOW_NO_PROCESS', '/key']);
    expect(await told({ key: 7 })).toEqual([400, 'WORKFLOW_BAD_FIELD', '/key']);
    expect(await told({ answers: { ask: 'yes' } })).toEqual([400, 'WORKFLOW_BAD_FIELD', '/answers/ask']);
  });

  test('replaces the version that it was made from, and no other', async () => {
    const deploy = (text: string, replaces: unknown) =>
      api('POST', 'workflow/deployment?_action=deploy', {
        body: { name: 'versions.bpmn20.xml', content: processFile('versions', text), replaces },
      });
    const text = (element: string) => start() + user(element) + end() + path('s', element, 'e');
    const first = await deploy(text('one'), null);
    const [{ _id: made }] = first.body.definitions;
    const second = await deploy(text('two'), made);
    expect(second.status).toBe(200);
    const late = await deploy(text('three'), made);
    expect([late.status, late.body.detail]).toMatchObject([
      412,
      { id: 'WORKFLOW_NOT_LATEST', latest: second.body.definitions[0]._id },
    ]);
    expect((await deploy(text('three'), null)).status).toBe(412);
    expect((await deploy(text('three'), 7)).body.detail.field).toBe('/replaces');
    expect(await workflow.list('processdefinition', 'key=versions')).toHaveLength(2);
  });
});
