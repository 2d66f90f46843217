import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { makeDue, processFile, workflowApi } from '../support/workflow.ts';
import { end, extension, path, service, start, tag, user } from '../unit/workflow/engine/bpmn.ts';

const $ = (expression: string) => `\${${expression}}`;
const fields = (values: Record<string, string>) =>
  extension(
    Object.entries(values)
      .map(
        ([name, value]) =>
          `<flowable:field name="${name}"><flowable:expression>${value}</flowable:expression></flowable:field>`,
      )
      .join(''),
  );

const letter = processFile(
  'letter',
  start() +
    tag(
      'serviceTask',
      'tell',
      { 'flowable:type': 'mail' },
      fields({ to: $('to'), subject: `Hello ${$('name')}`, text: 'Welcome' }),
    ) +
    service('check', $('broken ? missing : 1')) +
    end() +
    path('s', 'tell', 'check', 'e'),
);
const asking = processFile(
  'asking',
  start() +
    tag(
      'serviceTask',
      'ask',
      { 'flowable:type': 'http' },
      fields({ requestUrl: $('url'), saveResponseVariableAsJson: 'true', responseVariableName: 'answer' }),
    ) +
    end() +
    path('s', 'ask', 'e'),
);
const later = processFile(
  'later',
  start() +
    tag(
      'serviceTask',
      'ask',
      { 'flowable:type': 'http', 'flowable:async': 'true' },
      fields({ requestUrl: $('url') }).replace(
        '</extensionElements>',
        '<flowable:failedJobRetryTimeCycle>R2/PT1H</flowable:failedJobRetryTimeCycle></extensionElements>',
      ),
    ) +
    end() +
    path('s', 'ask', 'e'),
);
const pretending = processFile(
  'pretending',
  start() +
    tag(
      'scriptTask',
      'pretend',
      { scriptFormat: 'javascript', 'flowable:async': 'true' },
      `${extension('<flowable:failedJobRetryTimeCycle>R1/PT1H</flowable:failedJobRetryTimeCycle>')}<script><![CDATA[
         throw { code: 503, message: 'as if', detail: { id: execution.getVariable('id') } };
       ]]></script>`,
    ) +
    end() +
    path('s', 'pretend', 'e'),
);
const stumbling = processFile(
  'stumbling',
  start() +
    tag(
      'scriptTask',
      'stumble',
      { scriptFormat: 'javascript', 'flowable:async': 'true' },
      '<script>var nobody = null;\n  nobody.mail;</script>',
    ) +
    end() +
    path('s', 'stumble', 'e'),
);
const child = processFile(
  'child',
  start() + user('inner', { 'flowable:assignee': 'ann' }) + end() + path('s', 'inner', 'e'),
);
const parent = processFile(
  'parent',
  start() +
    user('first', { 'flowable:assignee': 'bob', 'flowable:taskIdVariableName': 'firstTask' }) +
    tag('callActivity', 'call', { calledElement: 'child', 'flowable:idVariableName': 'childId' }) +
    service('look', $('task:get(firstTask).assignee'), { 'flowable:resultVariableName': 'who' }) +
    user('last') +
    end() +
    path('s', 'first', 'call', 'look', 'last', 'e'),
);

const byClass = (key: string, name: string) =>
  processFile(
    key,
    start() +
      tag('serviceTask', 'greet', { 'flowable:class': name, 'flowable:resultVariable': 'greeting' }) +
      end() +
      path('s', 'greet', 'e'),
  );

let mails: Awaited<ReturnType<typeof startMailServer>>;
let web: Server;
let url: string;
let server: TestServer;
let api: Api;
let workflow: ReturnType<typeof workflowApi>;

beforeAll(async () => {
  mails = await startMailServer();
  web = createServer((_request, response) => response.end('{"free":true}')).listen(0, '127.0.0.1');
  await once(web, 'listening');
  url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/`;
  server = await startTestServer({
    environment: { SVC_EGRESS_ONLY: '127.0.0.1' },
    files: {
      'conf/workflow.json': {
        mail: { host: '127.0.0.1', port: mails.settings.port, from: 'svc@example.com' },
        http: { allow: ['127.0.0.1'] },
      },
      'workflow/letter.bpmn20.xml': letter,
      'workflow/asking.bpmn20.xml': asking,
      'workflow/child.bpmn20.xml': child,
      'workflow/stumbling.bpmn20.xml': stumbling,
      'workflow/later.bpmn20.xml': later,
      'workflow/pretending.bpmn20.xml': pretending,
      'workflow/parent.bpmn20.xml': parent,
      'workflow/java.bpmn20.xml': byClass('java', 'org.example.Greeter'),
      'workflow/stranger.bpmn20.xml': byClass('stranger', 'org.example.Stranger'),
      'service/greeter.js': "export const delegates = { greeter: () => 'Hello' };",
    },
  });
  ({ api } = server);
  workflow = workflowApi(api);
  await eventually(
    () => workflow.list('processdefinition'),
    (definitions) => definitions.length === 8,
  );
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  web.close();
  await mails.stop();
});

/** An address at which somebody listened a moment ago. */
async function closedPort(): Promise<string> {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as AddressInfo;
  gone.close();
  await once(gone, 'close');
  return `http://127.0.0.1:${port}/`;
}

const startProcess = (body: Record<string, unknown>) => api('POST', 'workflow/processinstance', { body });

describe('a mail', () => {
  test('leaves when its process has been committed, and never for a step that failed', async () => {
    const failed = await startProcess({ _key: 'letter', to: 'no@x.org', name: 'Nobody', broken: true });
    expect(failed.status).toBe(500);
    const sent = await startProcess({ _key: 'letter', to: 'ada@x.org', name: 'Ada', broken: false });
    expect(sent.body).toMatchObject({ status: 'ended' });
    await eventually(
      async () => mails.received,
      (received) => received.length > 0,
    );
    expect(mails.received).toMatchObject([{ from: 'svc@example.com', to: ['ada@x.org'] }]);
    expect(mails.received[0]!.content).toContain('Subject: Hello Ada');
  });

  test('is only listed by a rehearsal', async () => {
    const { body } = await api('POST', 'workflow/processinstance?_dryRun=true', {
      body: { _key: 'letter', to: 'dry@x.org', name: 'Dry', broken: false },
    });
    expect(body.dryRun).toBe(true);
    expect(mails.received.flatMap(({ to }) => to)).not.toContain('dry@x.org');
  });
});

describe('a request', () => {
  test('brings its answer into the process', async () => {
    const { body } = await startProcess({ _key: 'asking', url });
    const { processVariables } = await workflow.get(`processinstance/history/${body._id}`);
    expect(processVariables.answer).toEqual({ free: true });
  });

  test.each(['http://169.254.169.254/latest/meta-data/', 'http://[::1]:5432/'])(
    'does not reach %s',
    async (denied) => {
      const { status, body } = await startProcess({ _key: 'asking', url: denied });
      expect([status, body.detail.id]).toEqual([500, 'WORKFLOW_HTTP_DENIED']);
    },
  );
});

test.each(['http://93.184.216.34/', 'http://[2606:4700::1111]/'])(
  'a request goes nowhere else than the operator lists: %s',
  async (elsewhere) => {
    const { status, body } = await startProcess({ _key: 'asking', url: elsewhere });
    expect([status, body.detail]).toEqual([
      500,
      expect.objectContaining({
        id: 'WORKFLOW_HTTP_DENIED',
        hint: expect.stringContaining('SVC_EGRESS_ONLY'),
      }),
    ]);
  },
);

describe('what only looks like a failure of the database', () => {
  const deadOf = async (instance: string) => {
    const { instance: of, error } = await server.observed(
      'workflow.deadLetter',
      (letter) => letter.instance === instance,
    );
    return { of, error };
  };

  test('is told to who waits for it: a request to a port that nobody listens at', async () => {
    const closed = await closedPort();
    const { status, body } = await startProcess({ _key: 'asking', url: closed });
    expect([status, body.detail.id]).toEqual([503, 'WORKFLOW_HTTP_FAILED']);
    expect(body.message).toContain('ECONNREFUSED');
  });

  test('costs a job its attempts, and is a dead letter in the end', async () => {
    const url = await closedPort();
    const id = await workflow.start('later', { url });
    const failed = await server.observed('job.failed', ({ error }) => error.includes(new URL(url).host));
    expect(failed.dead).toBe(false);
    const [first] = (await workflow.get(`processinstance/${id}?_fields=waitsFor`)).waitsFor;
    expect(first).toMatchObject({ retries: 1 });
    await makeDue(server.database.pool, id);
    expect((await deadOf(id)).error).toContain('ECONNREFUSED');
    expect(await workflow.list('job/deadletter', `processInstanceId=${id}`)).toHaveLength(1);
  });

  test.each(['DB_UNREACHABLE', 'DB_COMMIT_UNKNOWN'])(
    'is no endless job either when a script throws %s',
    async (error) => {
      const id = await workflow.start('pretending', { id: error });
      await makeDue(server.database.pool, id);
      expect((await deadOf(id)).error).toContain('as if');
    },
  );
});

test('a job that fails is told with the process, the element and the line of its script', async () => {
  const id = await workflow.start('stumbling');
  await makeDue(server.database.pool, id);
  const { error } = await server.observed('job.failed', (said) => said.error.includes('mail'));
  expect(error).toMatch(/\(at stumbling\/stumble:2:\d+\)$/);
});

test('a Java class means the delegate of that name, and a process with one that is unknown is refused', async () => {
  const { body } = await startProcess({ _key: 'java' });
  expect((await workflow.get(`processinstance/history/${body._id}`)).processVariables).toEqual({
    greeting: 'Hello',
  });
  const { error } = await server.observed('workflow.deployFailed', ({ file }) => file.startsWith('stranger'));
  expect((error as Error).message).toContain("'greet' names 'org.example.Stranger', which is not registered");
});

test('a process knows what it has called, and finds its tasks', async () => {
  const id = await workflow.start('parent');
  await workflow.completeAt(id, 'first');
  const { childId } = (await workflow.get(`processinstance/${id}`)).processVariables;
  expect(await workflow.get(`processinstance/${childId}`)).toMatchObject({ superProcessInstanceId: id });
  await workflow.completeAt(childId, 'inner');
  expect((await workflow.get(`processinstance/${id}`)).processVariables).toMatchObject({ who: 'bob' });
  expect(await workflow.openTasks(id)).toEqual(['last']);
});
