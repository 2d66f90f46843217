import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { historyKeeper } from '../../src/workflow/history/history-keeper-agent.ts';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile, workflowApi } from '../support/workflow.ts';
import {
  boundary,
  caught,
  end,
  escalation,
  gateway,
  message,
  path,
  signal,
  start,
  tag,
  thrown,
  user,
} from '../unit/workflow/engine/bpmn.ts';

const files = {
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

  test('messages that are sent at once go to as many receivers, one to each', async () => {
    const waiting = await Promise.all(Array.from({ length: 8 }, () => workflow.start('waiting')));
    const sent = await Promise.all(waiting.map(() => send('message', { name: 'hello' })));
    expect(sent.map(({ status }) => status)).toEqual(waiting.map(() => 200));
    expect(sent.map(({ body }) => body.processInstanceId).sort()).toEqual(waiting.toSorted());
    for (const id of waiting) expect(await workflow.openTasks(id)).toEqual(['read']);
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
    await workflow.reached(id, 'run');
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
