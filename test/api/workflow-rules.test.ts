import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import type { TestServer } from '../support/server.ts';
import { $, ids, startWorkflowSite, type WorkflowSite } from '../support/workflow-site.ts';

let site: WorkflowSite;
let server: TestServer;
let api: Api;
let workflow: WorkflowSite['workflow'];

beforeAll(async () => {
  site = await startWorkflowSite();
  ({ server, api, workflow } = site);
});
afterAll(() => site?.[Symbol.asyncDispose]());

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
    expect(await status('POST', 'taskinstance?_action=complete', {})).toBe(400);
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
    expect(await status('PATCH', `processinstance/${id}`, [])).toBe(200);
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
    expect(await picture()).toEqual({ _id: id, _rev: expect.any(String) });
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
