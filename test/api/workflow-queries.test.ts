import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { ids, startWorkflowSite, type WorkflowSite } from '../support/workflow-site.ts';

let site: WorkflowSite;
let api: Api;
let workflow: WorkflowSite['workflow'];

beforeAll(async () => {
  site = await startWorkflowSite();
  ({ api, workflow } = site);
});
afterAll(() => site?.[Symbol.asyncDispose]());

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

  test.each([
    ['processdefinition?_queryId=filtered-query&keey=formed', 'keey', "Did you mean 'key'?"],
    ['processinstance?_queryId=filtered-query&startUser=eve', 'startUser', "Did you mean 'startUserId'?"],
    ['processinstance/history?_queryId=query-all-ids&nonsense=1', 'nonsense', 'It knows processDefinitionId'],
    ['taskinstance?_queryId=filtered-query&asignee=eve', 'asignee', "Did you mean 'assignee'?"],
    ['taskinstance?_queryId=filtered-query&var-=1', 'var-', 'var-<name>'],
    [
      'taskinstance?_queryId=mine&assignee=eve',
      'assignee',
      'It knows processDefinitionKey, dueBefore, dueAfter',
    ],
    [
      'taskinstance/history?_queryId=filtered-query&taskCandidateOrAssigned=a',
      'taskCandidateOrAssigned',
      'It knows',
    ],
    [
      'job/deadletter?_queryId=filtered-query&processInstance=1',
      'processInstance',
      "Did you mean 'processInstanceId'?",
    ],
    ['processdefinition/formed:1:1/taskdefinition?_queryId=query-all-ids&key=t', 'key', 'It knows none'],
  ])('%s: a parameter that nobody knows is refused, not passed over', async (query, field, hint) => {
    const { status, body } = await api('GET', `workflow/${query}`);
    expect([status, body.detail]).toEqual([
      400,
      { id: 'WORKFLOW_UNKNOWN_PARAMETER', field, hint: expect.stringContaining(hint) },
    ]);
  });

  test('all rows come whatever is asked beside all, and the page says so', async () => {
    const id = await workflow.start('pooled', { priority: 50 });
    const all = await workflow.get(
      `taskinstance?_queryId=query-all-ids&processInstanceId=${id}&_sortKeys=nonsense`,
    );
    expect(all.result.length).toBeGreaterThan(0);
    expect(all.warnings).toEqual([
      "'query-all-ids' answers all; 'processInstanceId' filters _queryId=filtered-query",
    ]);
    const [task] = await workflow.list('taskinstance', `processInstanceId=${id}`);
    expect(ids(await workflow.list('taskinstance', `_id=${task._id}`))).toEqual([task._id]);
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
