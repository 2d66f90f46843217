import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { makeDue, processFile, workflowApi } from '../support/workflow.ts';
import {
  boundary,
  cycle,
  end,
  extension,
  gateway,
  path,
  service,
  start,
  tag,
  timer,
  user,
} from '../unit/workflow/engine/bpmn.ts';

const $ = (expression: string) => `\${${expression}}`;
const retrying = (cycleText: string) =>
  extension(`<flowable:failedJobRetryTimeCycle>${cycleText}</flowable:failedJobRetryTimeCycle>`);

const files = {
  timed: processFile(
    'timed',
    start() +
      user('work') +
      boundary('late', 'work', timer('PT1H')) +
      user('escalated') +
      end() +
      path('s', 'work', 'e') +
      path('late', 'escalated', 'e'),
  ),
  reminded: processFile(
    'reminded',
    start() +
      user('work') +
      boundary('remind', 'work', cycle('R3/PT0.2S'), false) +
      service('count', $('vars:getOrDefault(reminders, 0) + 1'), { 'flowable:resultVariable': 'reminders' }) +
      end() +
      end('noted') +
      path('s', 'work', 'e') +
      path('remind', 'count', 'noted'),
  ),
  failing: processFile(
    'failing',
    start() +
      service(
        'risky',
        $("svc.read('managed/user/'.concat(who))"),
        { 'flowable:async': true, 'flowable:resultVariable': 'found' },
        retrying('R3/PT0S'),
      ) +
      user('after') +
      end() +
      path('s', 'risky', 'after', 'e'),
  ),
  pausing: processFile(
    'pausing',
    start() +
      service('risky', $('missing'), { 'flowable:async': true }, retrying('PT0S,PT2M')) +
      end() +
      path('s', 'risky', 'e'),
  ),
  repeated: processFile(
    'repeated',
    start('s', cycle('R2/PT0.3S')) +
      tag(
        'scriptTask',
        'who',
        { scriptFormat: 'javascript', 'flowable:resultVariable': 'actor' },
        "<script>context.security.authenticationId + ' ' + typeof svccontext</script>",
      ) +
      end() +
      path('s', 'who', 'e'),
  ),
  grouped: processFile(
    'grouped',
    start() +
      gateway('parallel', 'split') +
      tag('serviceTask', 'a', { 'flowable:expression': $('1'), 'flowable:async': true }) +
      tag('serviceTask', 'b', { 'flowable:expression': $('2'), 'flowable:async': true }) +
      gateway('parallel', 'join') +
      user('both') +
      end() +
      path('s', 'split', 'a', 'join', 'both', 'e') +
      path('split', 'b', 'join'),
  ),
};

let server: TestServer;
let api: Api;
let workflow: ReturnType<typeof workflowApi>;

beforeAll(async () => {
  server = await startTestServer({
    files: {
      'conf/workflow.json': { history: 'full', historyKeepDays: 0 },
      ...Object.fromEntries(
        Object.entries(files).map(([name, text]) => [`workflow/${name}.bpmn20.xml`, text]),
      ),
    },
  });
  ({ api } = server);
  workflow = workflowApi(api);
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('timers', () => {
  test('interrupt what takes too long, and history says so', async () => {
    const id = await workflow.start('timed');
    expect(await workflow.openTasks(id)).toEqual(['work']);
    await makeDue(server.database.pool, id);
    await workflow.reached(id, 'escalated');
    const tasks = (await workflow.get(`processinstance/${id}`)).tasks;
    expect(tasks[0]).toMatchObject({ taskDefinitionKey: 'work', deleteReason: 'boundary event' });
  });

  test('that are cleared do nothing', async () => {
    const id = await workflow.start('timed');
    await workflow.completeAt(id, 'work');
    const jobs = await server.database.pool.query('select 1 from workflow_job where instance_id = $1', [id]);
    expect(jobs.rowCount).toBe(0);
    expect((await workflow.get(`processinstance/${id}`)).endTime).not.toBeNull();
  });

  test('repeat as often as they say', async () => {
    const id = await workflow.start('reminded');
    const { processVariables } = await eventually(
      () => workflow.get(`processinstance/${id}`),
      (instance) => instance.processVariables.reminders === 3,
    );
    expect(processVariables).toEqual({ reminders: 3 });
    const jobs = await server.database.pool.query('select 1 from workflow_job where instance_id = $1', [id]);
    expect(jobs.rowCount).toBe(0);
    expect(await workflow.openTasks(id)).toEqual(['work']);
  });

  test('start instances in nobody’s name, as often as they say', async () => {
    const found = await eventually(
      () => workflow.list('processinstance/history', 'processDefinitionKey=repeated'),
      (instances) => instances.length === 2,
    );
    for (const instance of found)
      expect(instance).toMatchObject({
        startUserId: null,
        processVariables: { actor: 'system undefined' },
      });
    const jobs = await server.database.pool.query("select 1 from workflow_job where kind = 'startTimer'");
    expect(jobs.rowCount).toBe(0);
  });
});

describe('jobs', () => {
  test('join once, whichever of them comes last', async () => {
    const started = await Promise.all(Array.from({ length: 5 }, () => workflow.start('grouped')));
    for (const id of started) {
      await workflow.reached(id, 'both');
      expect(await workflow.openTasks(id)).toEqual(['both']);
    }
  });

  test('are dead letters after their last attempt, and a retry gives them one more', async () => {
    const id = await workflow.start('failing', { who: 'late-comer' });
    const find = () => workflow.list('job/deadletter', `processInstanceId=${id}`);
    const [dead] = await eventually(find, (jobs) => jobs.length === 1);
    expect(dead).toMatchObject({
      _rev: expect.any(String),
      createTime: expect.stringMatching(/Z$/),
      elementId: 'risky',
      exceptionMessage: expect.stringContaining('late-comer'),
      jobType: 'async',
      processDefinitionId: expect.stringMatching(/^failing:1:/),
      retries: 0,
    });
    await server.observed('workflow.deadLetter', ({ instance }) => instance === id);
    expect(
      await workflow.list('job/deadletter', `jobId=${dead._id}&executionId=${dead.executionId}`),
    ).toHaveLength(1);
    const waits = (await workflow.get(`processinstance/${id}?_fields=waitsFor`)).waitsFor;
    expect(waits).toMatchObject([{ type: 'job', element: 'risky', isDeadLetter: true, jobId: dead._id }]);
    const views = await server.database.pool.query(
      'select state from svc_process_instance where instance_id = $1',
      [id],
    );
    expect(views.rows).toEqual([{ state: 'dead letter' }]);

    const retry = () => api('POST', `workflow/job/deadletter/${dead._id}?_action=retry`);
    expect((await api('POST', `workflow/job/deadletter/${dead._id}?_action=other`)).status).toBe(400);
    expect((await retry()).body).toEqual({ 'Successfully retried dead letter job': dead._id });
    const [again] = await eventually(find, (jobs) => jobs.length === 1 && jobs[0]._rev !== dead._rev);
    expect(again._id).toBe(dead._id);

    await api('PUT', 'managed/user/late-comer', {
      body: { userName: 'late', givenName: 'L', sn: 'C', mail: 'l@example.com' },
    });
    expect((await retry()).status).toBe(200);
    await workflow.reached(id, 'after');
    expect(await find()).toEqual([]);
    const letters = await server.database.pool.query(
      "select 1 from svc_dead_letter where data->>'job' = $1",
      [dead._id],
    );
    expect(letters.rowCount).toBe(0);
    expect((await retry()).status).toBe(404);
  });

  test('that are dead are found, sorted, and can only be retried', async () => {
    const made = [
      await workflow.start('failing', { who: 'nobody' }),
      await workflow.start('failing', { who: 'none' }),
    ];
    const [first] = await workflow.list('processdefinition', 'key=failing');
    const finds = async (parameters: string): Promise<Record<string, unknown>[]> =>
      workflow.list('job/deadletter', `processDefinitionId=${first._id}&${parameters}`);
    const dead = await eventually(
      () => finds('_sortKeys=createTime'),
      (jobs) => jobs.length === 2,
    );
    expect(dead.map((job) => job['processInstanceId'])).toEqual(made);
    const [{ _id: id, ...job }] = dead as [Record<string, unknown>];
    expect(job).toEqual({
      _rev: expect.any(String),
      createTime: expect.stringMatching(/Z$/),
      dueDate: expect.stringMatching(/Z$/),
      elementId: 'risky',
      exceptionMessage: expect.stringContaining('nobody'),
      executionId: expect.any(String),
      jobType: 'async',
      processDefinitionId: first._id,
      processInstanceId: made[0],
      retries: 0,
    });
    expect(await workflow.get(`job/deadletter/${id}`)).toEqual({ _id: id, ...job });
    for (const [name, value] of [
      ['jobId', id],
      ['executionId', job['executionId']],
      ['processInstanceId', made[0]],
    ] as const) {
      expect((await finds(`${name}=${value}`)).map(({ _id }) => _id)).toEqual([id]);
      expect(await finds(`${name}=${first._id}`)).toEqual([]);
    }
    expect(await workflow.list('job/deadletter', `processDefinitionId=none&jobId=${id}`)).toEqual([]);
    for (const key of ['createTime', 'executionId', '_id', 'processInstanceId', 'retries']) {
      const [up, down] = [await finds(`_sortKeys=${key}`), await finds(`_sortKeys=-${key}`)];
      const values = up.map((one) => one[key]);
      expect(values, key).toEqual([...values].sort());
      expect(down.map(({ _id }) => _id)).toEqual(up.map(({ _id }) => _id).reverse());
    }
    const page = await workflow.get('job/deadletter?_queryId=query-all-ids&_pageSize=1');
    expect([page.resultCount, page.pagedResultsCookie]).toEqual([1, '1']);
  });
});

test('a job with a list of pauses takes each of them in turn', async () => {
  const id = await workflow.start('pausing');
  const { rows } = await eventually(
    () =>
      server.database.pool.query(
        `select j.retries, extract(epoch from q.due_at - now()) as left_s from workflow_job j
         join work_job q on q.data->>'job' = j.id::text and q.attempt > 1 and q.node_id is null
         where j.instance_id = $1 and j.retries = 1`,
        [id],
      ),
    ({ rowCount }) => rowCount === 1,
  );
  expect(Number(rows[0].left_s)).toBeGreaterThan(60);
});

describe('who acts', () => {
  test('is whoever started the instance, also in its jobs; nobody sees the context that says so', async () => {
    const body =
      "execution.setVariable('actor', context.security.authenticationId + ' ' + svccontext.authenticationId)";
    const content = processFile(
      'acting',
      start() +
        tag(
          'scriptTask',
          'act',
          { scriptFormat: 'javascript', 'flowable:async': true },
          `<script>${body}</script>`,
        ) +
        user('wait') +
        end() +
        path('s', 'act', 'wait', 'e'),
    );
    await api('POST', 'workflow/deployment?_action=deploy', { body: { name: 'acting.bpmn20.xml', content } });
    const id = await workflow.start('acting');
    await workflow.reached(id, 'wait');
    expect((await workflow.get(`processinstance/${id}`)).processVariables).toEqual({
      actor: 'svc-admin svc-admin',
    });
    const [task] = await workflow.tasks(id);
    expect((await workflow.get(`taskinstance/${task._id}`)).variables).not.toHaveProperty('svccontext');
  });
});
