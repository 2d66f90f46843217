import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile, workflowApi } from '../support/workflow.ts';
import { end, extension, flow, gateway, path, start, tag, user } from '../unit/workflow/engine/bpmn.ts';

const $ = (expression: string) => `\${${expression}}`;
const ids = (rows: readonly { readonly _id: string }[]) => rows.map(({ _id }) => _id);

const pooled = processFile(
  'pooled',
  start() +
    user('work', {
      'flowable:candidateUsers': 'amy',
      'flowable:candidateGroups': 'r-clerks,r-bosses',
      'flowable:priority': $('priority'),
    }) +
    end() +
    path('s', 'work', 'e'),
  { name: 'Pooled' },
);
const formed = processFile(
  'formed',
  start(
    's',
    extension(
      '<flowable:formProperty id="startDate" name="Start date" type="date" datePattern="yyyy-MM-dd" required="true"/>' +
        '<flowable:formProperty id="unit" default="Sales"/>',
    ),
    { 'flowable:formKey': 'none.xhtml' },
  ) +
    user(
      'approve',
      { 'flowable:assignee': $('manager'), 'flowable:formKey': 'approve.xhtml' },
      extension(
        '<flowable:formProperty id="decision" name="Decision" type="enum" required="true"><flowable:value id="accept" name="Accept"/><flowable:value id="reject" name="Reject"/></flowable:formProperty>' +
          '<flowable:formProperty id="unit" type="string" writable="false"/>' +
          '<flowable:formProperty id="hidden" readable="false"/>',
      ),
    ) +
    tag('subProcess', 'inner', {}, start('is') + user('nested') + end('ie') + path('is', 'nested', 'ie')) +
    end() +
    path('s', 'approve', 'inner', 'e'),
);
const called = processFile('called', start() + user('inside') + end() + path('s', 'inside', 'e'));
const caller = processFile(
  'caller',
  start() +
    tag(
      'callActivity',
      'call',
      { calledElement: 'called' },
      extension('<flowable:in source="topic" target="topic"/>'),
    ) +
    end() +
    path('s', 'call', 'e'),
);
const passedOn = processFile(
  'passedOn',
  start() +
    user(
      'work',
      { 'flowable:assignee': 'ben' },
      extension(`<flowable:taskListener event="create" expression="${$("task.delegate('amy')")}"/>`),
    ) +
    end() +
    path('s', 'work', 'e'),
);
const rich = processFile(
  'rich',
  start() +
    user(
      'task',
      {
        name: $('label'),
        'flowable:assignee': $('who'),
        'flowable:owner': $("'owner-'.concat(label)"),
        'flowable:dueDate': $('due'),
        'flowable:priority': $('priority'),
        'flowable:category': 'odd',
        'flowable:formKey': $("'form-'.concat(label)"),
      },
      `<documentation>About ${$('label')}</documentation>` +
        extension(
          `<flowable:taskListener event="assignment" expression="${$("execution.setVariable('assigned', task.assignee)")}"/>` +
            `<flowable:taskListener event="create" expression="${$("task.setVariableLocal('mine', task.name)")}"/>`,
        ),
    ) +
    end() +
    path('s', 'task', 'e'),
  { name: 'Rich' },
);
const guarded = processFile(
  'guarded',
  start() + user('guard', { 'flowable:candidateGroups': 'svc-authorized' }) + end() + path('s', 'guard', 'e'),
);
const fleeting = processFile('fleeting', start() + user('wait') + end() + path('s', 'wait', 'e'), {
  name: 'Fleeting',
});
const brokenJoin = processFile(
  'stuckable',
  start() +
    gateway('exclusive', 'choose') +
    user('one') +
    end() +
    path('s', 'choose') +
    flow('choose', 'one', $("route == 'one'")) +
    path('one', 'e'),
);

let server: TestServer;
let api: Api;
let workflow: ReturnType<typeof workflowApi>;
const tasksOf = async (parameters: string) => ids(await workflow.list('taskinstance', parameters));

/** Five tasks in the order of their creation, once: the fourth is amy's, the fifth was hers and is free again. */
let pooledTasks: Promise<string[]> | undefined;
function manyPooled(): Promise<string[]> {
  pooledTasks ??= (async () => {
    const tasks: string[] = [];
    for (const priority of [9, 5, 5, 7, 1]) {
      const [task] = await workflow.tasks(await workflow.start('pooled', { priority, batch: 'orders' }));
      tasks.push(task._id);
    }
    for (const task of tasks.slice(3)) {
      await api('POST', `workflow/taskinstance/${task}?_action=claim`, { body: { userId: 'amy' } });
    }
    await api('PUT', `workflow/taskinstance/${tasks[4]}`, { body: { assignee: null } });
    return tasks;
  })();
  return pooledTasks;
}

beforeAll(async () => {
  server = await startTestServer({
    files: {
      'workflow/pooled.bpmn20.xml': pooled,
      'workflow/rich.bpmn20.xml': rich,
      'workflow/guarded.bpmn20.xml': guarded,
      'workflow/fleeting.bpmn20.xml': fleeting,
      'workflow/formed.bpmn20.xml': formed,
      'workflow/called.bpmn': called,
      'workflow/caller.bpmn20.xml': caller,
      'workflow/passedOn.bpmn20.xml': passedOn,
      'workflow/stuckable.bpmn20.xml': brokenJoin,
    },
  });
  ({ api } = server);
  workflow = workflowApi(api);
  await api('PUT', 'managed/role/r-clerks', { body: { name: 'clerks', description: 'Clerks' } });
  for (const [userName, authzRoles] of [
    ['amy', []],
    ['ben', [{ _ref: 'managed/role/r-clerks' }]],
    ['eve', [{ _ref: 'repo/internal/role/svc-authorized' }]],
  ] as const) {
    const made = await api('POST', 'managed/user', {
      body: { userName, givenName: userName, sn: userName, mail: `${userName}@example.com`, authzRoles },
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  }
});
afterAll(() => server[Symbol.asyncDispose]());

describe('queries', () => {
  test.each([
    ['processdefinition', 200],
    ['processinstance', 200],
    ['processinstance/history', 200],
    ['taskinstance', 200],
    ['taskinstance/history', 200],
    ['job/deadletter', 200],
    ['processdefinition/{id}/taskdefinition', 400],
  ])(
    '%s: both spellings of all, the filtered one where there is one, and nothing else',
    async (path, filtered) => {
      const [definition] = await workflow.list('processdefinition', 'key=formed');
      const at = path.replace('{id}', encodeURIComponent(definition._id));
      const status = async (query: string) => (await api('GET', `workflow/${at}?${query}`)).status;
      expect(await status('_queryId=query-all-ids')).toBe(200);
      expect(await status('_queryId=ALL_IDS')).toBe(200);
      expect(await status('_queryId=filtered-query')).toBe(filtered);
      expect(await status('_queryId=query-all')).toBe(400);
      const unknown = await api('GET', `workflow/${at}?_queryId=for-userName`);
      expect(unknown.body).toMatchObject({
        code: 400,
        reason: 'Bad Request',
        message: expect.stringContaining("Unknown query id 'for-userName'"),
      });
      const nameless = await api('GET', `workflow/${at}?_queryFilter=true`);
      expect([nameless.status, nameless.body.message]).toEqual([
        400,
        expect.stringContaining('needs a _queryId'),
      ]);
      const read = await api('GET', `workflow/${at}`);
      expect(read.body.detail?.hint).toContain('?_queryId=query-all-ids');
    },
  );

  test('unknown parameters are ignored, and all rows come whatever is asked beside all', async () => {
    const id = await workflow.start('pooled', { priority: 50 });
    const [all, odd] = await Promise.all([
      workflow.get('taskinstance?_queryId=query-all-ids&processInstanceId=nothing&_sortKeys=nonsense'),
      workflow.list('taskinstance', `processInstanceId=${id}&nonsense=1`),
    ]);
    expect(all.result.length).toBeGreaterThan(0);
    expect(odd).toHaveLength(1);
  });

  test('pages are cut by offset, the cookie is the next one, totals are counted on demand', async () => {
    const key = `page-${Date.now()}`;
    const made = [];
    for (let n = 0; n < 5; n++) made.push(await workflow.start('pooled', { priority: n, _businessKey: key }));
    const page = (parameters: string) =>
      workflow.get(
        `processinstance?_queryId=filtered-query&processInstanceBusinessKey=${key}&_sortKeys=processInstanceId&_pageSize=2&${parameters}`,
      );
    const first = await page('_totalPagedResultsPolicy=EXACT');
    expect([
      ids(first.result),
      first.pagedResultsCookie,
      first.totalPagedResults,
      first.totalPagedResultsPolicy,
    ]).toEqual([made.slice(0, 2), '2', 5, 'EXACT']);
    const second = await page('_pagedResultsCookie=2');
    expect([ids(second.result), second.pagedResultsCookie, second.totalPagedResults]).toEqual([
      made.slice(2, 4),
      '4',
      -1,
    ]);
    const last = await page('_pagedResultsOffset=4');
    expect([ids(last.result), last.pagedResultsCookie]).toEqual([made.slice(4), null]);
    const down = await page('_sortKeys=-processInstanceId'.replace('&_sortKeys=processInstanceId', ''));
    expect(down.result).toHaveLength(2);
  });

  test.each([
    [
      'processinstance',
      'processInstanceId,processDefinitionId,processInstanceBusinessKey,startTime,endTime,durationInMillis,tenantId',
    ],
    ['processinstance/history', '-endTime,durationInMillis'],
    [
      'taskinstance',
      '_id,name,description,priority,assignee,processInstanceId,executionId,createTime,dueDate,tenantId',
    ],
    [
      'taskinstance/history',
      'taskId,taskName,description,priority,assignee,processInstanceId,executionId,tenantId,_id,processDefinitionId,durationInMillis,startTime,endTime,owner,dueDate',
    ],
    ['taskinstance/history', 'deleteReason,taskDefinitionKey'],
    ['job/deadletter', 'createTime,executionId,_id,processInstanceId,retries'],
  ])('%s is sorted by each of %s, and by nothing else', async (path, keys) => {
    const sorted = await api('GET', `workflow/${path}?_queryId=filtered-query&_sortKeys=${keys}`);
    expect([sorted.status, sorted.body.message]).toEqual([200, undefined]);
    const refused = await api('GET', `workflow/${path}?_queryId=filtered-query&_sortKeys=nonsense`);
    expect(refused.status).toBe(400);
  });

  const RANKS = {
    a: { who: 'eve', due: 'P2D', priority: 20 },
    b: { who: 'ben', due: 'P3D', priority: 10 },
    c: { who: 'amy', due: 'P1D', priority: 30 },
  };
  const startRich = (label: keyof typeof RANKS, marker: string) =>
    workflow.start('rich', { ...RANKS[label], label, marker, _businessKey: label });

  test('each sort key orders by its field, nothing last, and backwards', async () => {
    const marker = `order-${Date.now()}`;
    const made = [await startRich('b', marker), await startRich('c', marker), await startRich('a', marker)];
    const order = async (path: string, keys: Record<string, string>) => {
      for (const [key, field] of Object.entries(keys)) {
        const values = async (sign: string) =>
          (await workflow.list(path, `var-marker=${marker}&_sortKeys=${sign}${key}`)).map(
            (row: Record<string, unknown>) => row[field],
          );
        const up = await values('');
        const compare = (left: string | number | null, right: string | number | null) =>
          left === right ? 0 : right === null || (left !== null && left < right) ? -1 : 1;
        expect(up, `${path} by ${key}`).toEqual([...up].sort(compare));
        expect(await values('-'), `${path} by -${key}`).toEqual([...up].reverse());
        expect(up).toHaveLength(made.length);
      }
    };
    await order('taskinstance', {
      _id: '_id',
      name: 'name',
      description: 'description',
      priority: 'priority',
      assignee: 'assignee',
      processInstanceId: 'processInstanceId',
      executionId: 'executionId',
      createTime: 'createTime',
      dueDate: 'dueDate',
      tenantId: 'tenantId',
    });
    await workflow.completeAt(made[2]!, 'task');
    await api('DELETE', `workflow/processinstance/${made[0]}`);
    await order('taskinstance/history', {
      taskId: '_id',
      taskName: 'name',
      description: 'description',
      priority: 'priority',
      assignee: 'assignee',
      processInstanceId: 'processInstanceId',
      executionId: 'executionId',
      tenantId: 'tenantId',
      _id: '_id',
      processDefinitionId: 'processDefinitionId',
      durationInMillis: 'durationInMillis',
      startTime: 'startTime',
      endTime: 'endTime',
      owner: 'owner',
      dueDate: 'dueDate',
      deleteReason: 'deleteReason',
      taskDefinitionKey: 'taskDefinitionKey',
    });
    await order('processinstance/history', {
      processInstanceId: '_id',
      processDefinitionId: 'processDefinitionId',
      processInstanceBusinessKey: 'businessKey',
      startTime: 'startTime',
      endTime: 'endTime',
      durationInMillis: 'durationInMillis',
      tenantId: 'tenantId',
    });
  });

  test('of tasks and their history: each parameter alone, and what one of them does not know', async () => {
    const marker = `task-${Date.now()}`;
    const id = await startRich('b', marker);
    const [task] = await workflow.tasks(id);
    const finds = async (path: string, parameters: string) =>
      ids(await workflow.list(path, `var-marker=${marker}&${parameters}`)).includes(task._id);
    const common = {
      executionId: task.executionId,
      processDefinitionId: task.processDefinitionId,
      processDefinitionKey: 'rich',
      processInstanceId: id,
      assignee: 'ben',
      taskId: task._id,
      owner: 'owner-b',
      description: 'About b',
      priority: '10',
      tenantId: '',
      'var-label': 'b',
    };
    for (const [path, own] of [
      ['taskinstance', { name: 'b' }],
      ['taskinstance/history', { taskName: 'b' }],
    ] as const) {
      for (const [name, value] of Object.entries({ ...common, ...own })) {
        expect(await finds(path, `${name}=${value}`), `${path} ${name}`).toBe(true);
        const other = name === 'priority' ? '11' : `x${value}`;
        expect(await finds(path, `${name}=${other}`), `${path} ${name} of another`).toBe(false);
      }
    }
    expect(await finds('taskinstance', 'unassigned=true')).toBe(false);
    for (const unknown of ['unassigned=true', 'taskCandidateOrAssigned=nobody', 'name=other'])
      expect(await finds('taskinstance/history', unknown), unknown).toBe(true);
    expect(await finds('taskinstance/history', 'deleteReason=none')).toBe(false);
  });

  test('both ends of a span of time belong to it', async () => {
    const id = await startRich('b', 'span');
    await workflow.completeAt(id, 'task');
    const { startTime, endTime } = await workflow.get(`processinstance/${id}`);
    const finds = async (parameters: string) =>
      ids(await workflow.list('processinstance/history', `processInstanceId=${id}&${parameters}`)).length;
    expect(await finds(`startedAfter=${startTime}&startedBefore=${startTime}`)).toBe(1);
    expect(await finds(`finishedAfter=${endTime}&finishedBefore=${endTime}`)).toBe(1);
    const justBefore = (time: string) => new Date(Date.parse(time) - 1).toISOString();
    expect(await finds(`startedBefore=${justBefore(startTime)}`)).toBe(0);
    expect(await finds(`finishedBefore=${justBefore(endTime)}`)).toBe(0);
  });

  test('a page knows what it is, and definitions have no order of their own', async () => {
    const id = await workflow.start('called');
    const page = `taskinstance?_queryId=filtered-query&processInstanceId=${id}`;
    const envelope = {
      result: [expect.objectContaining({ processInstanceId: id })],
      resultCount: 1,
      pagedResultsCookie: null,
      totalPagedResultsPolicy: 'NONE',
      totalPagedResults: -1,
      remainingPagedResults: -1,
    };
    expect(await workflow.get(page)).toEqual(envelope);
    expect(await workflow.get(`${page}&_totalPagedResultsPolicy=EXACT`)).toEqual(envelope);
    expect(await workflow.list('processdefinition', 'key=rich&_sortKeys=-nonsense')).toHaveLength(1);
    const [lean] = await workflow.list('processdefinition', 'key=rich&_fields=key');
    expect(lean).toEqual({ _id: expect.stringMatching(/^rich:1:/), _rev: '1', key: 'rich' });
  });

  test('sorts by what the key says, both ways', async () => {
    const key = `sort-${Date.now()}`;
    for (const priority of [30, 10, 20]) await workflow.start('pooled', { priority, marker: key });
    const priorities = async (sortKeys: string) =>
      (await workflow.list('taskinstance', `var-marker=${key}&_sortKeys=${sortKeys}`)).map(
        (task: { priority: number }) => task.priority,
      );
    expect(await priorities('priority')).toEqual([10, 20, 30]);
    expect(await priorities('-priority')).toEqual([30, 20, 10]);
    expect(await priorities('%2B/priority')).toEqual([10, 20, 30]);
  });

  test('numbers, dates and patterns that are none are refused', async () => {
    for (const query of [
      'processdefinition?_queryId=filtered-query&version=latest',
      'taskinstance?_queryId=filtered-query&priority=high',
      'processinstance?_queryId=filtered-query&startedAfter=yesterday',
      'processinstance?_queryId=filtered-query&startedAfter=0000-01-01',
      'processinstance?_queryId=filtered-query&startedBefore=9999-12-31T23:59:59.999-18:00',
      'processdefinition?_queryId=filtered-query&nameLike=Pooled%5C',
    ]) {
      expect((await api('GET', `workflow/${query}`)).status).toBe(400);
    }
  });

  test('of instances: each parameter, and variables of any scalar type', async () => {
    const key = `find-${Date.now()}`;
    const before = new Date().toISOString();
    const id = await workflow.start('pooled', {
      priority: 50,
      _businessKey: key,
      count: 7,
      flag: true,
      text: 'seven',
    });
    const [instance] = await workflow.list('processinstance', `processInstanceId=${id}`);
    expect(instance).not.toHaveProperty('_rev');
    expect(instance.processVariables).toEqual({ priority: 50, count: 7, flag: true, text: 'seven' });
    const finds = async (parameters: string, path = 'processinstance') =>
      ids(await workflow.list(path, `processInstanceBusinessKey=${key}&${parameters}`)).includes(id);
    for (const parameters of [
      `processDefinitionId=${instance.processDefinitionId}`,
      'processDefinitionKey=pooled',
      `processInstanceId=${id}`,
      'unfinished=TRUE',
      'finished=false',
      'involvedUserId=svc-admin',
      'involvedUserId=amy',
      'startUserId=svc-admin',
      `startedAfter=${before.replace('Z', '%2B00:00')}`,
      `startedBefore=${new Date(Date.now() + 60_000).toISOString()}`,
      'var-count=7&var-flag=true&var-text=seven',
    ]) {
      expect(await finds(parameters), parameters).toBe(true);
    }
    for (const parameters of [
      'processDefinitionKey=Pooled',
      'finished=true',
      'involvedUserId=nobody',
      'startUserId=amy',
      `startedAfter=${new Date(Date.now() + 60_000).toISOString()}`,
      `finishedAfter=${before}`,
      'var-count=8',
      'var-text=sev',
      'var-svccontext=svc-admin',
      'superProcessInstanceId=none',
      'businessStatus=any',
    ]) {
      expect(await finds(parameters), parameters).toBe(false);
    }
    await workflow.completeAt(id, 'work');
    expect(await finds('finished=true')).toBe(false);
    expect(await finds('finished=true', 'processinstance/history')).toBe(true);
    expect(await finds(`finishedAfter=${before}`, 'processinstance/history')).toBe(true);
  });

  test('of definitions: exact, by pattern, by version and resource', async () => {
    const keys = async (parameters: string) =>
      (await workflow.list('processdefinition', parameters)).map((row: { key: string }) => row.key);
    const [row] = await workflow.list('processdefinition', 'key=pooled');
    expect(row).toMatchObject({
      _id: expect.stringMatching(/^pooled:1:\d+$/),
      _rev: '1',
      category: 'test',
      deleted: false,
      deploymentId: expect.stringMatching(/^\d+$/),
      description: null,
      name: 'Pooled',
      processDiagramResourceName: null,
      resourceName: 'pooled.bpmn20.xml',
      suspended: false,
      updated: false,
      version: 1,
    });
    for (const parameters of [
      `_id=${row._id}`,
      `deploymentId=${row.deploymentId}`,
      'keyLike=poo%25',
      'name=Pooled&category=test',
      'nameLike=%25led&categoryLike=t%25',
      'nameLike=P%5Cooled',
      'processDefinitionResourceName=pooled.bpmn20.xml',
      'processDefinitionResourceName=OSGI-INF/flowable/pooled.bpmn20.xml',
      'processDefinitionResourceNameLike=pooled%25',
    ]) {
      expect(await keys(parameters), parameters).toEqual(['pooled']);
    }
    expect(await keys('key=pooled&version=2')).toEqual([]);
  });
});

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
      tasks: [{ ...historic, taskLocalVariables: { mine: 'b' } }],
    });
  });

  test.each<[string, string[]]>([
    ['processdefinition', ['POST', 'POST ?_action=x', 'PUT /{id}', 'PATCH /{id}', 'POST /{id}?_action=x']],
    [
      'processdefinition/{id}/taskdefinition',
      ['POST', 'POST ?_action=x', 'PUT /task', 'PATCH /task', 'DELETE /task', 'POST /task?_action=x'],
    ],
    ['processinstance', ['PUT /{instance}', 'PATCH /{instance}', 'POST ?_action=migrate']],
    ['processinstance/history', ['PUT /{instance}', 'PATCH /{instance}', 'POST ?_action=migrate']],
    ['taskinstance', ['POST', 'POST ?_action=claim', 'PATCH /{task}']],
    [
      'taskinstance/history',
      [
        ...['POST', 'POST ?_action=claim', 'PUT /{task}', 'PATCH /{task}'],
        ...['DELETE /{task}', 'POST /{task}?_action=claim'],
      ],
    ],
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

describe('tasks', () => {
  test.each([
    ['', [0, 1, 2, 4]],
    ['-_id', [4, 2, 1, 0]],
    ['createTime', [0, 1, 2, 4]],
    ['-createTime', [4, 2, 1, 0]],
    ['priority,-createTime', [4, 2, 1, 0]],
    ['-priority,_id', [0, 1, 2, 4]],
    ['name,_id', [0, 1, 2, 4]],
  ])(
    'pages of the tasks of groups in the order "%s" have each free task once',
    async (sortKeys, expected) => {
      await manyPooled();
      const order = sortKeys === '' ? '' : `&_sortKeys=${sortKeys}`;
      const asked = 'taskCandidateGroup=r-bosses,r-clerks,r-none&var-batch=orders';
      for (const pageSize of [2, 10]) {
        const found: string[] = [];
        for (let offset = 0; offset <= 4; offset += pageSize) {
          const page = `_pageSize=${pageSize}&_pagedResultsOffset=${offset}&_totalPagedResultsPolicy=EXACT`;
          const answer = await workflow.get(`taskinstance?_queryId=filtered-query&${asked}${order}&${page}`);
          expect(answer.totalPagedResults).toBe(4);
          found.push(...ids(answer.result as { _id: string }[]));
        }
        const all = await manyPooled();
        expect(found.map((id) => all.indexOf(id))).toEqual(expected);
      }
      expect(await tasksOf(`taskCandidateOrAssigned=amy&var-batch=orders${order}&_pageSize=9`)).toHaveLength(
        5,
      );
      expect(await tasksOf(`taskCandidateUser=ben&var-batch=orders${order}&_pageSize=9`)).toHaveLength(4);
    },
  );

  test('candidates find what nobody has, by name, by role, and by either', async () => {
    const id = await workflow.start('pooled', { priority: 50 });
    const [task] = await workflow.tasks(id);
    const finds = async (parameters: string) =>
      (await tasksOf(`processInstanceId=${id}&${parameters}`)).length === 1;
    expect(task).toMatchObject({
      processVariables: {},
      taskLocalVariables: {},
      executionId: expect.any(String),
      _rev: '1',
    });
    const asked = {
      'taskCandidateUser=amy': true,
      'taskCandidateUser=ben': true,
      'taskCandidateUser=eve': false,
      'taskCandidateGroup=r-bosses': true,
      'taskCandidateGroup=other,r-clerks': true,
      'taskCandidateGroup=clerks': false,
      'taskCandidateUser=eve&taskCandidateGroup=r-clerks': true,
      'taskCandidateOrAssigned=ben': true,
      'taskCandidateOrAssigned=eve': false,
      'unassigned=True': true,
      'unassigned=false': true,
      'assignee=amy': false,
    };
    for (const [parameters, expected] of Object.entries(asked))
      expect(await finds(parameters), parameters).toBe(expected);
    const both = await api(
      'GET',
      'workflow/taskinstance?_queryId=filtered-query&taskCandidateOrAssigned=a&taskCandidateUser=b',
    );
    expect(both.status).toBe(400);

    const claim = await api('POST', `workflow/taskinstance/${task._id}?_action=claim`, {
      body: { userId: 'ben' },
    });
    expect([claim.status, claim.body]).toEqual([200, { 'Task action performed': 'claim' }]);
    expect(await finds('taskCandidateUser=ben')).toBe(false);
    expect(await finds('taskCandidateGroup=r-clerks')).toBe(false);
    expect(await finds('taskCandidateOrAssigned=ben')).toBe(true);
    expect(await finds('taskCandidateOrAssigned=amy')).toBe(false);
    expect(await finds('unassigned=true')).toBe(false);
    const read = await workflow.get(`taskinstance/${task._id}`);
    expect(read).toMatchObject({ assignee: 'ben', claimTime: expect.stringMatching(/Z$/), _rev: '2' });
    expect(read.candidates).toEqual({
      candidateUsers: ['amy'],
      candidateGroups: ['r-bosses', 'r-clerks'],
    });

    const again = (userId: unknown) =>
      api('POST', `workflow/taskinstance/${task._id}?_action=claim`, { body: { userId } });
    expect((await again('ben')).status).toBe(200);
    expect((await again('amy')).status).toBe(409);
    expect((await again(null)).status).toBe(400);
    expect((await again(7)).status).toBe(400);

    const put = await api('PUT', `workflow/taskinstance/${task._id}`, {
      body: { assignee: null, name: 'Renamed', description: null, priority: 1, owner: 'eve' },
      headers: { 'If-Match': '"*"' },
    });
    expect([put.status, put.body]).toEqual([200, { _id: task._id, 'Task updated': task._id }]);
    expect(await finds('taskCandidateUser=amy&name=Renamed&owner=eve&priority=50')).toBe(true);
    expect((await workflow.get(`taskinstance/${task._id}`)).claimTime).toBeNull();
    const outdated = await api('PUT', `workflow/taskinstance/${task._id}`, {
      body: { name: 'No' },
      headers: { 'If-Match': '"1"' },
    });
    expect(outdated.status).toBe(412);
  });

  test('whoever had one stays involved; anybody may be given one, and listeners hear of it', async () => {
    const id = await workflow.start('rich', { label: 'b', who: null, due: null, priority: 1 });
    const [task] = await workflow.tasks(id);
    expect(task).toMatchObject({ assignee: null, dueDate: null });
    const at = `workflow/taskinstance/${task._id}`;
    const put = async (body: object) => (await api('PUT', at, { body })).status;
    const assigned = async () => (await workflow.get(`processinstance/${id}`)).processVariables.assigned;
    const claim = await api('POST', `${at}?_action=claim`, { body: { userId: 'stranger' } });
    expect([claim.status, await assigned()]).toEqual([200, 'stranger']);
    expect([await put({ assignee: 'amy', owner: 'olga' }), await assigned()]).toEqual([200, 'amy']);
    expect(await put({ assignee: null, description: null, owner: null, category: 'x' })).toBe(200);
    expect(await workflow.get(`taskinstance/${task._id}`)).toMatchObject({
      assignee: null,
      owner: 'olga',
      description: 'About b',
      category: 'odd',
    });
    for (const [user, count] of Object.entries({ stranger: 1, amy: 1, olga: 1, ben: 0 })) {
      const found = await workflow.list('processinstance', `processInstanceId=${id}&involvedUserId=${user}`);
      expect([user, found.length]).toEqual([user, count]);
    }
    expect(await put({ assignee: 7 })).toBe(400);
    expect((await api('POST', `${at}?_action=complete`, { body: [1] })).status).toBe(400);
  });

  test('roles of the server itself are groups too, and names of groups are taken as they are', async () => {
    const id = await workflow.start('guarded');
    const finds = async (parameters: string) =>
      (await tasksOf(`processInstanceId=${id}&${parameters}`)).length;
    expect(await finds('taskCandidateUser=eve')).toBe(1);
    expect(await finds('taskCandidateOrAssigned=eve')).toBe(1);
    expect(await finds('taskCandidateUser=nobody')).toBe(0);
    expect(await finds('taskCandidateGroup=other,svc-authorized')).toBe(1);
    expect(await finds('taskCandidateGroup=other,%20svc-authorized')).toBe(0);
  });

  test('completing changes variables, whatever type they had', async () => {
    const id = await workflow.start('called', { value: 1, list: [1], gone: 'x' });
    await workflow.completeAt(id, 'inside', { value: { deep: [1, null] }, list: 'text', gone: null });
    const { processVariables } = await workflow.get(`processinstance/${id}`);
    expect(processVariables).toEqual({ value: { deep: [1, null] }, list: 'text', gone: null });
    const found = (value: string) =>
      workflow.list('processinstance/history', `processInstanceId=${id}&${value}`);
    expect([(await found('var-value=1')).length, (await found('var-list=text')).length]).toEqual([0, 1]);
  });

  test('what cannot be done with them is refused, each in its way', async () => {
    const id = await workflow.start('pooled', { priority: 50 });
    const [task] = await workflow.tasks(id);
    const status = async (method: string, path: string, body?: unknown) =>
      (await api(method, `workflow/${path}`, body === undefined ? {} : { body })).status;
    expect(await status('DELETE', `taskinstance/${task._id}?deleteReason=why`)).toBe(409);
    expect(await status('DELETE', 'taskinstance/nobody')).toBe(404);
    expect(await status('POST', `taskinstance/${task._id}?_action=fly`)).toBe(400);
    expect(await status('POST', 'taskinstance/nobody?_action=fly')).toBe(404);
    expect(await status('POST', 'taskinstance/nobody?_action=claim', {})).toBe(404);
    expect(await status('POST', 'taskinstance?_action=complete', {})).toBe(501);
    expect(await status('POST', 'taskinstance', {})).toBe(501);
    expect(await status('PATCH', `taskinstance/${task._id}`, [])).toBe(501);
    expect(await status('PUT', 'taskinstance/nobody', { name: 'x' })).toBe(404);
    expect(await status('PUT', `taskinstance/history/${task._id}`, {})).toBe(501);
    expect(await status('DELETE', `taskinstance/history/${task._id}`)).toBe(501);
    expect(await status('POST', `taskinstance/history/${task._id}?_action=claim`, {})).toBe(501);
    expect(await status('GET', `taskinstance/history/${task._id}`)).toBe(200);
    expect(await status('POST', 'job/deadletter', {})).toBe(501);
    expect(await status('GET', 'job/deadletter/nobody')).toBe(404);
    expect(await status('POST', 'job/deadletter/nobody?_action=retry')).toBe(404);
    expect(await status('PATCH', `processinstance/${id}`, [])).toBe(501);
    expect(await status('POST', 'processinstance?_action=migrate')).toBe(501);
    expect(await status('POST', `processinstance/${id}?_action=fly`)).toBe(400);
    expect(await status('GET', 'processinstance/nobody')).toBe(404);
    expect(await status('POST', 'processdefinition', {})).toBe(501);
  });

  test('one that its process delegates shows the delegate, and is resolved before it is completed', async () => {
    const id = await workflow.start('passedOn');
    const [task] = await workflow.tasks(id);
    const read = await workflow.get(`taskinstance/${task._id}`);
    expect(read).toMatchObject({ delegate: 'amy', owner: 'ben' });
    expect(read).not.toHaveProperty('assignee');
    const act = (action: string) => api('POST', `workflow/taskinstance/${task._id}?_action=${action}`);
    expect((await act('complete')).status).toBe(409);
    const resolved = await act('resolve');
    expect([resolved.status, resolved.body]).toEqual([200, { 'Task action performed': 'resolve' }]);
    expect(await workflow.get(`taskinstance/${task._id}`)).toMatchObject({ assignee: 'ben', owner: 'ben' });
    expect((await act('resolve')).status).toBe(409);
    expect((await act('complete')).status).toBe(200);
  });

  test('history finds them by its own names, ended or not', async () => {
    const marker = `history-${Date.now()}`;
    const [open, done, killed] = [
      await workflow.start('pooled', { priority: 50, marker }),
      await workflow.start('pooled', { priority: 50, marker }),
      await workflow.start('pooled', { priority: 50, marker }),
    ];
    await workflow.completeAt(done!, 'work', { result: 'fine' });
    await api('DELETE', `workflow/processinstance/${killed}`);
    const instances = async (parameters: string) =>
      (
        await workflow.list('taskinstance/history', `var-marker=${marker}&_sortKeys=taskId&${parameters}`)
      ).map((task: { processInstanceId: string }) => task.processInstanceId);
    expect(await instances('')).toEqual([open, done, killed]);
    expect(await instances('finished=true')).toEqual([done, killed]);
    expect(await instances('unfinished=true&taskName=work&priority=50')).toEqual([open]);
    expect(await instances('processFinished=true')).toEqual([done, killed]);
    expect(await instances('processUnfinished=true')).toEqual([open]);
    expect(await instances('deleteReason=Deleted%20by%20svc.')).toEqual([killed]);
    expect(await instances('taskCandidateGroup=r-clerks')).toEqual([open, done, killed]);
    expect(await instances('taskCandidateUser=ben&finished=true')).toEqual([done, killed]);
    const [task] = await workflow.list('taskinstance/history', `processInstanceId=${done}`);
    expect(task).toMatchObject({
      deleteReason: null,
      durationInMillis: expect.any(Number),
      startTime: task.createTime,
      endTime: expect.stringMatching(/Z$/),
      processVariables: {},
    });
    expect(task).not.toHaveProperty('_rev');
  });
});

describe('forms', () => {
  test('come in three shapes', async () => {
    const [row] = await workflow.list('processdefinition', 'key=formed');
    expect(row).not.toHaveProperty('formProperties');
    const definition = await workflow.get(`processdefinition/${row._id}`);
    expect(definition.formResourceKey).toBe('none.xhtml');
    expect(definition.formGenerationTemplate).toBeNull();
    expect(definition.formProperties[0]).toEqual({
      _id: 'startDate',
      name: 'Start date',
      type: { name: 'date', values: null, datePattern: 'yyyy-MM-dd' },
      readable: true,
      required: true,
      writable: true,
      variableName: null,
      variableExpression: null,
      defaultExpression: null,
    });
    expect(definition.formProperties[1]).toMatchObject({
      type: {},
      defaultExpression: { expressionText: 'Sales' },
    });

    const path = `processdefinition/${encodeURIComponent(row._id)}/taskdefinition`;
    const { result } = await workflow.get(`${path}?_queryId=query-all-ids`);
    expect(ids(result)).toEqual(['approve', 'nested']);
    expect(result[0]).toMatchObject({
      assignee: $('manager'),
      exclusive: true,
      priority: null,
      formResourceKey: 'approve.xhtml',
    });
    const task = await workflow.get(`${path}/approve`);
    expect(task.formProperties.deploymentId).toBe(row.deploymentId);
    expect(task.formProperties.formPropertyHandlers[0]).toMatchObject({
      _id: 'decision',
      type: { name: 'enum', values: { accept: 'Accept', reject: 'Reject' } },
    });
    expect((await workflow.get(`${path}/nested`))._id).toBe('nested');
    expect((await api('GET', `workflow/${path}/s`)).status).toBe(404);
    expect((await api('GET', `workflow/${path}/nothing`)).status).toBe(404);
    expect(
      (await api('GET', 'workflow/processdefinition/nothing/taskdefinition?_queryId=ALL_IDS')).status,
    ).toBe(404);
    expect((await api('PUT', `workflow/${path}/approve`, { body: {} })).status).toBe(501);

    const id = await workflow.start('formed', { manager: 'amy', unit: 'IT', hidden: 'x' });
    const [open] = await workflow.tasks(id);
    const read = await workflow.get(`taskinstance/${open._id}`);
    expect(read.formProperties).toEqual([{ decision: null }, { unit: 'IT' }]);
    expect((await workflow.complete(open._id, { decision: 'maybe' })).status).toBe(200);
  });
});

describe('instances', () => {
  test('the id wins over the key; unknown, missing and odd control fields are told apart', async () => {
    const [row] = await workflow.list('processdefinition', 'key=called');
    const create = (body: unknown) => api('POST', 'workflow/processinstance', { body });
    const created = await create({
      _processDefinitionId: row._id,
      _key: 'pooled',
      nested: { at: '2026-01-01T00:00:00.000+01:00' },
    });
    expect(created.body.processDefinitionId).toBe(row._id);
    const read = await workflow.get(`processinstance/${created.body._id}`);
    expect(read.processVariables.nested.at).toBe(Date.UTC(2025, 11, 31, 23));
    expect((await create({ _key: 'nothing' })).status).toBe(404);
    expect((await create({ _processDefinitionId: 'nothing:1:1' })).status).toBe(404);
    expect((await create({})).status).toBe(400);
    expect((await create({ _key: 7 })).status).toBe(400);
    const put = await api('PUT', 'workflow/processinstance/mine', {
      body: { _key: 'called', svccontext: 'forged' },
    });
    expect(put.status).toBe(201);
    expect(put.body._id).not.toBe('mine');
    expect(JSON.stringify(await workflow.get(`processinstance/${put.body._id}`))).not.toContain('forged');
  });

  test('one of a file without a drawing has no diagram, whether it runs or has ended', async () => {
    const id = await workflow.start('pooled', { priority: 50 });
    const picture = () => workflow.get(`processinstance/${id}?_fields=diagram`);
    expect(await picture()).toEqual({ _id: id });
    await workflow.completeAt(id, 'work');
    expect(await picture()).toEqual({ _id: id });
  });

  test('a failing step changes nothing: the task stays open', async () => {
    const id = await workflow
      .start('pooled', { priority: 'not a number' })
      .catch((error: Error) => error.message);
    expect(id).toMatch(/^\d{3} .*not a number/);
    const stuck = await api('POST', 'workflow/processinstance', {
      body: { _key: 'stuckable', route: 'two' },
    });
    expect(stuck.status).toBe(500);
    expect(stuck.body.message).toContain("'choose'");
  });

  test('deletion cancels it with its children, and answers what was there before', async () => {
    const id = await workflow.start('caller', { topic: 'cars' });
    const [child] = await workflow.list('processinstance', `superProcessInstanceId=${id}`);
    expect(child).toMatchObject({ processVariables: { topic: 'cars' }, superProcessInstanceId: id });
    const deleted = await api('DELETE', `workflow/processinstance/${id}`);
    expect(deleted.status).toBe(200);
    expect(deleted.body).toMatchObject({ _id: id, endTime: null, deleteReason: null });
    for (const one of [id, child._id]) {
      const read = await workflow.get(`processinstance/history/${one}`);
      expect([read.endTime === null, read.deleteReason !== null]).toEqual([false, true]);
    }
    expect((await workflow.get(`processinstance/${id}`)).deleteReason).toBe('Deleted by svc.');
    const [task] = await workflow.list('taskinstance/history', `processInstanceId=${child._id}`);
    expect(task.deleteReason).toBe('Deleted by svc.');
    expect((await api('DELETE', `workflow/processinstance/${id}`)).status).toBe(404);
    expect((await api('DELETE', 'workflow/processinstance/nobody')).status).toBe(404);
  });

  test('a called process gives way to its caller when it ends', async () => {
    const id = await workflow.start('caller', { topic: 'cars' });
    const [child] = await workflow.list('processinstance', `superProcessInstanceId=${id}`);
    expect((await workflow.completeAt(child._id, 'inside')).status).toBe(200);
    expect((await workflow.get(`processinstance/${id}`)).endTime).not.toBeNull();
  });

  test('the path of the history does all the same', async () => {
    const created = await api('POST', 'workflow/processinstance/history', { body: { _key: 'called' } });
    expect([created.status, created.body.status]).toEqual([201, 'suspended']);
    const id = created.body._id;
    const at = `workflow/processinstance/history/${id}`;
    const migrated = await api('POST', `${at}?_action=migrate`);
    expect([migrated.status, migrated.body.detail.id]).toEqual([400, 'WORKFLOW_MIGRATE_LATEST']);
    const lists = async (path: string) => ids(await workflow.list(path, `processInstanceId=${id}`)).length;
    expect([await lists('processinstance'), await lists('processinstance/history')]).toEqual([1, 1]);
    expect((await api('DELETE', at)).body).toMatchObject({ _id: id, endTime: null });
    expect([await lists('processinstance'), await lists('processinstance/history')]).toEqual([0, 1]);
    const shown = await workflow.get(`processinstance/${id}`);
    expect(shown).toEqual(await workflow.get(`processinstance/history/${id}`));
    expect(shown).toMatchObject({ deleteReason: 'Deleted by svc.', durationInMillis: expect.any(Number) });
  });

  test('one whose process has no definition at all cannot migrate, and says so', async () => {
    const id = await workflow.start('called');
    await server.database.pool.query("update workflow_instance set definition_key = 'lost' where id = $1", [
      id,
    ]);
    const { status, body } = await api('POST', `workflow/processinstance/${id}?_action=migrate`);
    expect([status, body.detail.id]).toEqual([400, 'WORKFLOW_MIGRATE_NO_DEFINITION']);
  });

  test('a rehearsed start says what would be, and leaves nothing', async () => {
    const rehearsed = await api('POST', 'workflow/processinstance?_dryRun=true', {
      body: { _key: 'pooled', priority: 50, _businessKey: 'rehearsed' },
    });
    expect(rehearsed.body.dryRun).toBe(true);
    expect(rehearsed.body.result).toMatchObject({ status: 'suspended', businessKey: 'rehearsed' });
    expect(
      rehearsed.body.changes.map((change: { resource: string }) => change.resource.split('/')[1]),
    ).toEqual(['processinstance', 'taskinstance']);
    expect(await workflow.list('processinstance/history', 'processInstanceBusinessKey=rehearsed')).toEqual(
      [],
    );
  });

  test('two that complete the same task at once: one does, the other is told that it is gone', async () => {
    const id = await workflow.start('pooled', { priority: 50 });
    const [task] = await workflow.tasks(id);
    const answers = await Promise.all([1, 2, 3, 4].map(() => workflow.complete(task._id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
  });
});
