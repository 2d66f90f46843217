import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile, workflowApi } from '../support/workflow.ts';
import {
  boundary,
  end,
  error,
  extension,
  flow,
  gateway,
  path,
  service,
  start,
  tag,
  user,
} from '../unit/workflow/engine/bpmn.ts';

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

/** The script stands in a CDATA section, as authors write it. */
const script = (id: string, source: string, attributes = {}) =>
  tag(
    'scriptTask',
    id,
    { scriptFormat: 'javascript', ...attributes },
    `<script><![CDATA[${source}]]></script>`,
  );
const scripted = processFile(
  'scripted',
  start() +
    script(
      'read',
      "execution.setVariable('name', JSON.stringify([0][1] === undefined) === 'true' && svc.read('managed/user/' + userId).userName); 1 + 1",
      {
        'flowable:resultVariable': 'two',
      },
    ) +
    script(
      'assign',
      'total = two * 10; name = name.toUpperCase(); var kept = 1; var two = two + 1; if (kept) { var inBlock = [two]; } let hidden = 1; function f() { var inner = 1; }',
      {
        'flowable:autoStoreVariables': 'true',
      },
    ) +
    script(
      'change',
      "if (fails) throw new BpmnError('BROKEN', 'no luck'); if (crashes) throw new Error('crashed'); execution.setBusinessKey('key-' + total); execution.setBusinessStatus('checked')",
    ) +
    boundary('caught', 'change', error('broken')) +
    user(
      'check',
      {},
      extension(
        '<flowable:taskListener event="create" type="script"><flowable:field name="language"><flowable:string>javascript</flowable:string></flowable:field><flowable:field name="script"><flowable:string>task.addCandidateGroup("auditors"); task.setPriority(70); task.setVariable("listened", task.eventName + " " + task.name)</flowable:string></flowable:field></flowable:taskListener>',
      ),
    ) +
    end() +
    end('failed') +
    path('s', 'read', 'assign', 'change', 'check', 'e') +
    flow('caught', 'failed'),
);
const FORTNIGHT_MS = 14 * 86_400_000;
const dated = processFile(
  'dated',
  start() +
    script(
      'js',
      `execution.setVariable('seen', [day instanceof Date, day.toISOString(), execution.getVariable('day').getTime()]);
       execution.setVariable('again', new Date(day.getTime() + 1));
       new Date(day.getTime() + ${FORTNIGHT_MS})`,
      { 'flowable:resultVariable': 'fromScript' },
    ) +
    script('groovy', 'kept = fromScript - 13; seen.add(day.class.name); seen.add(day < fromScript)', {
      scriptFormat: 'groovy',
      'flowable:autoStoreVariables': 'true',
    }) +
    script('result', 'day + 2', { scriptFormat: 'groovy', 'flowable:resultVariable': 'fromGroovy' }) +
    tag('serviceTask', 'own', {
      'flowable:delegateExpression': $('dates'),
      'flowable:resultVariable': 'fromDelegate',
    }) +
    service('juel', $('day.time == seen[2] && fromScript.after(day) && day < again'), {
      'flowable:resultVariable': 'compared',
    }) +
    user(
      'wait',
      { name: `Until ${$('fromDelegate')}`, 'flowable:dueDate': $('fromGroovy') },
      extension(
        '<flowable:taskListener event="create" type="script"><flowable:field name="language"><flowable:string>javascript</flowable:string></flowable:field><flowable:field name="script"><flowable:string>task.setDueDate(new Date(task.dueDate.getTime() + 1000))</flowable:string></flowable:field></flowable:taskListener>',
      ),
    ) +
    end() +
    path('s', 'js', 'groovy', 'result', 'own', 'juel', 'wait', 'e'),
);
const delegated = processFile(
  'delegated',
  start() +
    tag(
      'serviceTask',
      'greet',
      { 'flowable:delegateExpression': $('greeter'), 'flowable:resultVariable': 'greeting' },
      extension(
        `<flowable:field name="whom"><flowable:expression>${$('name')}</flowable:expression></flowable:field>`,
      ),
    ) +
    service('create', $("svc.create('managed/user', null, user)"), {
      'flowable:resultVariableName': 'created',
    }) +
    user('wait') +
    end() +
    path('s', 'greet', 'create', 'wait', 'e'),
);

const members = processFile(
  'members',
  start() +
    script(
      'js',
      `execution.setVariable('gone', 1);
       execution.removeVariable('gone');
       execution.setTransientVariable('fleeting', 'here');
       execution.setVariableLocal('own', 1);
       execution.setVariable('js', {
         ids: [execution.getId() === execution.id, execution.getProcessInstanceId(), execution.getProcessDefinitionId().split(':')[0]],
         at: [execution.getCurrentActivityId(), execution.getBusinessKey(), execution.processBusinessKey],
         text: [text, execution.getVariable('text'), execution.getVariables().text],
         has: [execution.hasVariable('text'), execution.hasVariable('gone'), execution.getVariable('gone')],
         own: execution.getVariableLocal('own'),
         house: [company, identityServer.getProperty('none', 'by default'), typeof svc.read, typeof console.log, typeof logger.info, typeof require],
       });
       text = 'not stored';`,
    ) +
    script(
      'groovy',
      `execution.setVariable('groovy', [
         fleeting: execution.getVariable('fleeting'), gone: execution.hasVariable('gone'), text: text,
         at: execution.getCurrentActivityId(), key: execution.processBusinessKey, instance: execution.getProcessInstanceId(),
         house: [company, identityServer.getProperty('none', 'by default')]])
       text = 'not stored'`,
      { scriptFormat: 'groovy' },
    ) +
    service('house', $("company.concat(identityServer.getProperty('none', '!'))"), {
      'flowable:resultVariable': 'expression',
    }) +
    user(
      'work',
      { 'flowable:owner': 'olga' },
      extension(
        `<flowable:taskListener event="create" type="script"><flowable:field name="language"><flowable:string>javascript</flowable:string></flowable:field><flowable:field name="script"><flowable:string><![CDATA[
           task.addCandidateUsers(['u1', 'u2']);
           task.addCandidateUser('u3');
           task.addCandidateGroups('g1,g2');
           task.setAssignee('ada');
           task.setVariableLocal('mine', 1);
           task.setVariable('listener', [task.getId(), task.executionId, task.getProcessInstanceId(), task.execution.getProcessInstanceId(), task.name, task.assignee, task.getOwner(), task.priority, task.dueDate, task.eventName, task.getVariable('text')]);
         ]]></flowable:string></flowable:field></flowable:taskListener>`,
      ),
    ) +
    end() +
    path('s', 'js', 'groovy', 'house', 'work', 'e'),
);

let server: TestServer;
let api: Api;
let workflow: ReturnType<typeof workflowApi>;

beforeAll(async () => {
  server = await startTestServer({
    files: {
      'conf/script.json': { ECMAScript: {}, properties: { company: 'Example' } },
      'workflow/members.bpmn20.xml': members,
      'workflow/scripted.bpmn20.xml': scripted,
      'workflow/delegated.bpmn20.xml': delegated,
      'workflow/dated.bpmn20.xml': dated,
      'service/dates.js':
        "export const delegates = { dates: ({ execution }) => new Date(execution.getVariable('day').getTime() + 5) };",
      'service/greeter.js': "export const delegates = { greeter: ({ fields }) => 'Hello ' + fields.whom };",
      'workflow/approval.bpmn20.xml': approval,
      'workflow/straight.bpmn20.xml': straight,
    },
  });
  ({ api } = server);
  workflow = workflowApi(api);
});
afterAll(() => server?.[Symbol.asyncDispose]());

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

describe('scripts, expressions and delegates', () => {
  let userId: string;
  beforeAll(async () => {
    const created = await api('POST', 'managed/user', {
      body: { userName: 'scriptee', givenName: 'S', sn: 'Criptee', mail: 's@example.com' },
    });
    userId = created.body._id;
  });

  test('a script task reads through svc, gives a result, and stores what it assigns when told so', async () => {
    // No variable takes the place of what the language means by its names.
    const named = { undefined: 'taken', JSON: 'taken' };
    const id = await workflow.start('scripted', { userId, fails: false, crashes: false, ...named });
    const instance = await workflow.get(`processinstance/${id}`);
    expect([instance.businessKey, instance.businessStatus]).toEqual(['key-20', 'checked']);
    expect(
      await workflow.list('processinstance', `businessStatus=checked&processInstanceId=${id}`),
    ).toHaveLength(1);
    expect(instance.processVariables).toMatchObject({
      two: 3,
      total: 20,
      kept: 1,
      inBlock: [3],
      name: 'SCRIPTEE',
      listened: 'create check',
    });
    for (const name of ['hidden', 'inner', 'f']) expect(instance.processVariables).not.toHaveProperty(name);
    const [task] = await workflow.tasks(id);
    expect(task.priority).toBe(70);
    expect((await workflow.get(`taskinstance/${task._id}`)).candidates.candidateGroups).toEqual(['auditors']);
  });

  test('execution, task, the house and its properties are there in either language and in expressions', async () => {
    const id = await workflow.start('members', { text: 'stays', _businessKey: 'key' });
    const { processVariables, tasks } = await workflow.get(`processinstance/${id}`);
    const house = ['Example', 'by default'];
    expect(processVariables).toMatchObject({
      text: 'stays',
      js: {
        ids: [true, id, 'members'],
        at: ['js', 'key', 'key'],
        text: ['stays', 'stays', 'stays'],
        has: [true, false, null],
        own: 1,
        house: [...house, 'function', 'function', 'function', 'function'],
      },
      groovy: { fleeting: 'here', gone: false, text: 'stays', at: 'groovy', key: 'key', instance: id, house },
      expression: 'Example!',
    });
    for (const name of ['gone', 'fleeting', 'company', 'mine'])
      expect(processVariables).not.toHaveProperty(name);
    const [task] = await workflow.tasks(id);
    expect(processVariables.listener).toEqual([
      ...[task._id, task.executionId, id, id],
      ...['work', 'ada', 'olga', 50, null, 'create', 'stays'],
    ]);
    const read = await workflow.get(`taskinstance/${task._id}`);
    expect(read).toMatchObject({ assignee: 'ada', variables: { mine: 1, text: 'stays' } });
    expect(read.candidates).toEqual({
      candidateUsers: ['u1', 'u2', 'u3'],
      candidateGroups: ['g1', 'g2'],
    });
    expect(tasks[0]).toMatchObject({ taskLocalVariables: { mine: 1 }, processVariables: {} });
  });

  test('dates are dates of the language to scripts and delegates, and milliseconds to clients', async () => {
    const day = Date.UTC(2026, 0, 1);
    const id = await workflow.start('dated', { day: new Date(day).toISOString() });
    const { processVariables } = await workflow.get(`processinstance/${id}`);
    expect(processVariables).toEqual({
      day,
      seen: [true, '2026-01-01T00:00:00.000Z', day, 'java.util.Date', true],
      again: day + 1,
      fromScript: day + FORTNIGHT_MS,
      kept: day + 86_400_000,
      fromGroovy: day + 2 * 86_400_000,
      fromDelegate: day + 5,
      compared: true,
    });
    const [task] = await workflow.tasks(id);
    expect(task).toMatchObject({
      name: 'Until 2026-01-01T00:00:00.005Z',
      dueDate: '2026-01-03T00:00:01.000Z',
    });
    const types = await server.database.pool.query(
      "select array_agg(name order by name) as names from workflow_variable where instance_id = $1 and type = 'date'",
      [id],
    );
    expect(types.rows[0].names).toEqual(['again', 'day', 'fromDelegate', 'fromGroovy', 'fromScript', 'kept']);
    expect(
      await workflow.list('processinstance', `processInstanceId=${id}&var-kept=${day + 86_400_000}`),
    ).toHaveLength(1);
  });

  test('a BPMN error of a script is caught at its boundary', async () => {
    const id = await workflow.start('scripted', { userId, fails: true, crashes: false });
    expect(await workflow.openTasks(id)).toEqual([]);
    expect((await workflow.get(`processinstance/${id}`)).endTime).not.toBeNull();
  });

  test('a script that fails leaves nothing behind', async () => {
    const failed = await api('POST', 'workflow/processinstance', {
      body: { _key: 'scripted', _businessKey: 'never', userId, fails: false, crashes: true },
    });
    expect([failed.status, failed.body.message]).toEqual([500, 'Error: crashed']);
    expect(failed.body.detail).toMatchObject({ element: 'change' });
    expect(await workflow.list('processinstance/history', 'processInstanceBusinessKey=never')).toEqual([]);
  });

  test('an expression writes through svc in the transaction of the process, and calls delegates by name', async () => {
    const body = {
      user: { userName: 'made', givenName: 'M', sn: 'Ade', mail: 'm@example.com' },
      name: 'Ann',
      // No variable takes its place.
      svc: { create: 'nothing' },
    };
    const id = await workflow.start('delegated', body);
    const { processVariables } = await workflow.get(`processinstance/${id}`);
    expect(processVariables).toMatchObject({ greeting: 'Hello Ann', created: { userName: 'made' } });
    const made = await api('GET', 'managed/user?_queryFilter=userName eq "made"');
    expect(made.body.resultCount).toBe(1);
  });
});
