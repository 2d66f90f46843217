import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { historyKeeper } from '../../src/workflow/history/history-keeper-agent.ts';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { makeDue, processFile, workflowApi } from '../support/workflow.ts';
import {
  boundary,
  caught,
  cycle,
  end,
  escalation,
  extension,
  gateway,
  message,
  path,
  service,
  signal,
  start,
  tag,
  thrown,
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
  waiting: processFile(
    'waiting',
    start() +
      gateway('eventBased', 'first') +
      caught('told', message()) +
      caught('alarmed', signal()) +
      user('read') +
      user('run') +
      end() +
      path('s', 'first', 'told', 'read', 'e') +
      path('first', 'alarmed', 'run', 'e'),
  ),
  byMessage: processFile(
    'byMessage',
    start('s', message()) + user('answer') + end() + path('s', 'answer', 'e'),
  ),
  thrower: processFile('thrower', start() + thrown('shout', signal()) + end() + path('s', 'shout', 'e')),
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
afterAll(() => server[Symbol.asyncDispose]());

const reached = (id: string, element: string) =>
  eventually(
    () => workflow.openTasks(id),
    (open) => open.includes(element),
  );

describe('timers', () => {
  test('interrupt what takes too long, and history says so', async () => {
    const id = await workflow.start('timed');
    expect(await workflow.openTasks(id)).toEqual(['work']);
    await makeDue(server.database.pool, id);
    await reached(id, 'escalated');
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
      await reached(id, 'both');
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
    const views = await server.database.pool.query('select state from svc_process_instance where id = $1', [
      id,
    ]);
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
    await reached(id, 'after');
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
    await reached(id, 'wait');
    expect((await workflow.get(`processinstance/${id}`)).processVariables).toEqual({
      actor: 'svc-admin svc-admin',
    });
    const [task] = await workflow.tasks(id);
    expect((await workflow.get(`taskinstance/${task._id}`)).variables).not.toHaveProperty('svccontext');
  });
});

const deploy = (name: string, content: string) =>
  api('POST', 'workflow/deployment?_action=deploy', { body: { name: `${name}.bpmn20.xml`, content } });

test('a called process acts as whoever started its caller, whoever moved it on', async () => {
  const password = 'Passw0rd-of-users';
  const person = { userName: 'zoe', givenName: 'Zoe', sn: 'Zoe', mail: 'zoe@example.com', password };
  const made = await api('PUT', 'managed/user/zoe', {
    body: { ...person, authzRoles: [{ _ref: 'repo/internal/role/svc-admin' }] },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const source = "context.security.authenticationId + ' ' + svccontext.authenticationId";
  await deploy(
    'inner',
    processFile(
      'inner',
      start() +
        tag(
          'scriptTask',
          'act',
          { scriptFormat: 'javascript', 'flowable:resultVariable': 'actor' },
          `<script>${source}</script>`,
        ) +
        end() +
        path('s', 'act', 'e'),
    ),
  );
  await deploy(
    'outer',
    processFile(
      'outer',
      start() +
        user('first') +
        tag('callActivity', 'call', { calledElement: 'inner' }) +
        end() +
        path('s', 'first', 'call', 'e'),
    ),
  );
  const started = await api('POST', 'workflow/processinstance', {
    body: { _key: 'outer' },
    user: 'zoe',
    password,
  });
  expect(started.status, JSON.stringify(started.body)).toBe(201);
  expect((await workflow.completeAt(started.body._id, 'first')).status).toBe(200);
  const [called] = await workflow.list('processinstance/history', 'processDefinitionKey=inner');
  expect(called).toMatchObject({
    superProcessInstanceId: started.body._id,
    processVariables: { actor: 'zoe zoe' },
  });
  expect(called.processVariables).not.toHaveProperty('svccontext');
});

describe('an escalation out of a called process', () => {
  test.each([true, false])(
    'goes on along the boundary of its call (interrupting: %s)',
    async (interrupting) => {
      const [child, parent] = [`raised${interrupting}`, `raising${interrupting}`];
      await deploy(
        child,
        processFile(child, start() + user('work') + end('e', escalation()) + path('s', 'work', 'e')),
      );
      await deploy(
        parent,
        processFile(
          parent,
          start() +
            tag('callActivity', 'call', { calledElement: child }) +
            boundary('raised', 'call', escalation(), interrupting) +
            user('higher') +
            user('after') +
            end() +
            end('e2') +
            path('s', 'call', 'after', 'e') +
            path('raised', 'higher', 'e2'),
        ),
      );
      const id = await workflow.start(parent);
      const [called] = await workflow.list('processinstance', `superProcessInstanceId=${id}`);
      const completed = await workflow.completeAt(called._id, 'work');
      expect([completed.status, completed.body]).toEqual([200, expect.anything()]);
      expect((await workflow.get(`processinstance/history/${called._id}`)).endTime).not.toBeNull();
      expect((await workflow.openTasks(id)).sort()).toEqual(interrupting ? ['higher'] : ['after', 'higher']);
      for (const element of await workflow.openTasks(id)) await workflow.completeAt(id, element);
      expect((await workflow.get(`processinstance/history/${id}`)).endTime).not.toBeNull();
    },
  );
});

describe('messages and signals', () => {
  const send = (kind: 'message' | 'signal', body: Record<string, unknown>) =>
    api('POST', `workflow/${kind}?_action=send`, { body });

  test('a message goes to one receiver, a signal to all; the first event of several wins', async () => {
    const [first, second, third] = [
      await workflow.start('waiting'),
      await workflow.start('waiting'),
      await workflow.start('waiting'),
    ];
    const { waitsFor } = await workflow.get(`processinstance/${second}?_fields=waitsFor`);
    expect(waitsFor.map((wait: { type: string; element: string }) => [wait.type, wait.element])).toEqual([
      ['message', 'told'],
      ['signal', 'alarmed'],
    ]);
    const named = await send('message', {
      name: 'hello',
      processInstanceId: second,
      variables: { word: 'hi' },
    });
    expect([named.status, named.body]).toEqual([200, { processInstanceId: second }]);
    expect(await workflow.openTasks(second!)).toEqual(['read']);
    expect((await workflow.get(`processinstance/${second}`)).processVariables).toEqual({ word: 'hi' });
    expect((await send('message', { name: 'hello' })).body).toEqual({ processInstanceId: first });

    expect((await send('signal', { name: 'alarm' })).body).toEqual({ processInstanceIds: [third] });
    expect(await workflow.openTasks(third!)).toEqual(['run']);
    expect((await send('signal', { name: 'alarm' })).body).toEqual({ processInstanceIds: [] });

    const started = await send('message', { name: 'hello', variables: { word: 'you' } });
    expect(await workflow.openTasks(started.body.processInstanceId)).toEqual(['answer']);
    expect((await send('message', { name: 'nobody' })).status).toBe(404);
    expect((await send('message', {})).status).toBe(400);
    expect((await send('signal', { name: 'alarm', variables: 1 })).status).toBe(400);
  });

  test('a message starts the latest version, and the one before it when that is gone', async () => {
    const version = async (element: string) => {
      const content = processFile(
        'herald',
        start('s', message()) + user(element) + end() + path('s', element, 'e'),
      ).replace('name="hello"', 'name="news"');
      const body = { name: 'herald.bpmn20.xml', content };
      const answer = await api('POST', 'workflow/deployment?_action=deploy', { body });
      return answer.body.definitions[0]._id;
    };
    const started = async () => {
      const { processInstanceId } = (await send('message', { name: 'news' })).body;
      return [processInstanceId, ...(await workflow.openTasks(processInstanceId))];
    };
    await version('one');
    expect((await started())[1]).toBe('one');
    const second = await version('two');
    const [id, ...open] = await started();
    expect(open).toEqual(['two']);
    await api('DELETE', `workflow/processinstance/${id}`);
    expect((await api('DELETE', `workflow/processdefinition/${second}`)).status).toBe(200);
    expect((await started())[1]).toBe('one');
  });

  test('a signal reaches one that is busy as soon as it is free', async () => {
    const id = await workflow.start('waiting');
    const client = await server.database.pool.connect();
    try {
      await client.query('begin');
      await client.query('select 1 from workflow_state where instance_id = $1 for update', [id]);
      expect((await send('signal', { name: 'alarm' })).body).toEqual({ processInstanceIds: [id] });
      expect(await workflow.openTasks(id)).toEqual([]);
    } finally {
      await client.query('commit');
      client.release();
    }
    await reached(id, 'run');
  });

  test('a script that moves its own instance by the way is refused', async () => {
    const script = "svc.action('workflow/taskinstance/' + other, 'complete', {})";
    const content = processFile(
      'meddling',
      start() +
        gateway('parallel', 'split') +
        user('a') +
        user('b') +
        tag('scriptTask', 'meddle', { scriptFormat: 'javascript' }, `<script>${script}</script>`) +
        end() +
        path('s', 'split', 'a', 'meddle', 'e') +
        path('split', 'b', 'e'),
    );
    await api('POST', 'workflow/deployment?_action=deploy', {
      body: { name: 'meddling.bpmn20.xml', content },
    });
    const id = await workflow.start('meddling');
    const tasks = await workflow.tasks(id);
    const other = tasks.find((task: { taskDefinitionKey: string }) => task.taskDefinitionKey === 'b')._id;
    const refused = await workflow.completeAt(id, 'a', { other });
    expect([refused.status, refused.body.detail.id]).toEqual([409, 'WORKFLOW_MOVED_MEANWHILE']);
    expect((await workflow.openTasks(id)).sort()).toEqual(['a', 'b']);
  });

  test('a process signals others in its own step', async () => {
    const waiting = await workflow.start('waiting');
    await workflow.start('thrower');
    expect(await workflow.openTasks(waiting)).toEqual(['run']);
  });
});

describe('history', () => {
  test('in full tells every step of an instance, without the context that it keeps', async () => {
    const id = await workflow.start('waiting', { secret: 1 });
    await api('POST', 'workflow/message?_action=send', { body: { name: 'hello', processInstanceId: id } });
    await workflow.completeAt(id, 'read', { done: true });
    const { events } = await workflow.get(`processinstance/${id}?_fields=events`);
    expect(events.map((event: { stimulus: { kind: string } }) => event.stimulus.kind)).toEqual([
      'start',
      'message',
      'complete',
    ]);
    expect(events[2]).toMatchObject({
      number: 3,
      userId: 'svc-admin',
      stimulus: { variables: { done: true } },
    });
    expect(JSON.stringify(events)).not.toContain('svccontext');
  });

  test('older than is kept is forgotten, a running instance never', async () => {
    const [old, running] = [await workflow.start('thrower'), await workflow.start('waiting')];
    await server.database.pool.query(
      "update workflow_instance set started_at = now() - interval '90 days', ended_at = case when id = $1 then now() - interval '31 days' end where id = any($2)",
      [old, [old, running]],
    );
    const keptFor = async (days: number) => {
      const observe = () => {};
      const keeper = historyKeeper({ database: server.database, observe }, () => days);
      await keeper.start();
      await eventually(
        async () => keeper.lastBeatAt,
        (at) => at > 0,
      );
      await keeper.stop();
    };
    await keptFor(0);
    expect((await api('GET', `workflow/processinstance/${old}`)).status).toBe(200);
    await keptFor(30);
    expect((await api('GET', `workflow/processinstance/${old}`)).status).toBe(404);
    expect((await api('GET', `workflow/processinstance/${running}`)).status).toBe(200);
  });

  test('is kept for a year as shipped', async () => {
    const shipped = new URL('../../conf/workflow.json', import.meta.url);
    expect(JSON.parse(readFileSync(shipped, 'utf8'))).toMatchObject({ historyKeepDays: 365 });
  });
});
