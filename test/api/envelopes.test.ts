/** Encrypted and hashed values on their way in and out, wherever no resource keeps them itself. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile, workflowApi } from '../support/workflow.ts';
import { end, path, start, tag, user } from '../unit/workflow/engine/bpmn.ts';

const js = (source: string) => ({ type: 'text/javascript', source });
const WORD = 'open-sesame';
/** What a process of a project may do with what it is given: open it, and write it down. */
const opener = processFile(
  'opener',
  start() +
    user('look', {}) +
    tag(
      'scriptTask',
      'write',
      { scriptFormat: 'javascript' },
      "<script>svc.create('managed/note', null, { text: svc.decrypt({ given: given }).given }); execution.setVariable('kept', svc.encrypt('kept word', null, 'svc-sym-default'))</script>",
    ) +
    user('rest', {}) +
    end() +
    path('s', 'look', 'write', 'rest', 'e'),
);
const told = processFile(
  'told',
  `<startEvent id="s"/><receiveTask id="r" messageRef="hello"/><endEvent id="e"/>${path('s', 'r', 'e')}`,
);
const FILES = {
  'conf/managed.json': {
    objects: [
      { name: 'note', schema: { properties: { text: { type: 'string' } } } },
      {
        name: 'safe',
        schema: {
          properties: {
            word: { type: 'string', encryption: { key: 'svc-sym-default' } },
            print: { type: 'string', secureHash: { algorithm: 'SHA-256' } },
          },
        },
        actions: { tell: js('object') },
      },
    ],
  },
  'conf/endpoint-opens.json': js(
    'JSON.stringify(svc.decrypt(request.content || request.patchOperations || null))',
  ),
  'conf/endpoint-tells.json': js(
    "var safe = svc.read('managed/safe/one'); request.method === 'query' ? [safe] : request.method === 'action' ? { list: [safe.word] } : { safe: safe, opened: svc.decrypt(safe.word) }",
  ),
  'conf/endpoint-passes.json': js("svc.read('endpoint/tells').safe.word.$crypto.value.iv === undefined"),
  'conf/router.json': {
    filters: [
      {
        pattern: 'managed/note/.*',
        methods: ['read'],
        onResponse: js("response.content.word = svc.read('managed/safe/one').word"),
      },
    ],
  },
  'workflow/opener.bpmn20.xml': opener,
  'workflow/told.bpmn20.xml': told,
};

let server: TestServer;
let api: Api;
let workflow: ReturnType<typeof workflowApi>;
/** One that the server would open. */
let envelope: { readonly $crypto: { readonly type: string; readonly value: Record<string, string> } };
const seal = (name: string, protection: string) => ({
  $crypto: {
    type: expect.any(String),
    value: { [name]: protection, sealed: expect.stringMatching(/^[0-9a-f]{16}$/) },
  },
});
const WORD_SEAL = seal('key', 'svc-sym-default');
const PRINT_SEAL = seal('algorithm', 'SHA-256');

beforeAll(async () => {
  server = await startTestServer({ files: FILES });
  api = server.api;
  workflow = workflowApi(api);
  await api('PUT', 'managed/safe/one', { body: { word: WORD, print: WORD } });
  const source = "svc.read('managed/safe/one').word";
  envelope = (await api('POST', 'script?_action=eval', { body: js(source) })).body;
});
afterAll(() => server[Symbol.asyncDispose]());

const refused = { code: 400, detail: { id: 'CRYPTO_FOREIGN_ENVELOPE' } };

describe('an encrypted value that a caller brings along', () => {
  it('is none that the server could not open', async () => {
    const source = `svc.decrypt(${JSON.stringify(envelope)})`;
    expect((await api('POST', 'script?_action=eval', { body: js(source) })).body).toBe(WORD);
  });

  it('becomes no variable of a process, with its start, its tasks and its messages', async () => {
    const started = await api('POST', 'workflow/processinstance', {
      body: { _key: 'opener', given: envelope },
    });
    expect(started.body).toMatchObject({ ...refused, detail: { ...refused.detail, field: '/given' } });
    const instance = await workflow.start('opener');
    const deep = { given: [{ deep: envelope }] };
    const completed = await workflow.completeAt(instance, 'look', deep);
    expect(completed.body).toMatchObject({ detail: { ...refused.detail, field: '/given/0/deep' } });
    const waiting = await workflow.start('told');
    const message = { name: 'hello', processInstanceId: waiting, variables: { given: envelope } };
    expect((await api('POST', 'workflow/message?_action=send', { body: message })).body).toMatchObject(
      refused,
    );
    expect((await api('POST', 'workflow/signal?_action=send', { body: message })).body).toMatchObject(
      refused,
    );
    const [task] = await workflow.tasks(instance);
    expect(
      (await api('PUT', `workflow/taskinstance/${task._id}`, { body: { description: envelope } })).body,
    ).toMatchObject(refused);
    expect(await workflow.openTasks(instance)).toEqual(['look']);
    expect((await api('GET', 'managed/note?_queryFilter=true')).body.result).toEqual([]);
  });

  it.each([
    ['POST', 'endpoint/opens', () => ({ a: [envelope] })],
    ['POST', 'endpoint/opens?_action=open', () => envelope],
    ['PUT', 'endpoint/opens', () => ({ a: envelope })],
    ['PATCH', 'endpoint/opens', () => [{ operation: 'add', field: '/a', value: { b: envelope } }]],
    ['PATCH', 'endpoint/opens', () => [{ operation: 'add', field: '/a/$crypto', value: envelope.$crypto }]],
    ['POST', 'endpoint/usernotifications?_action=x', () => ({ message: envelope })],
    ['POST', 'taskscanner?_action=execute', () => ({ globals: envelope })],
  ])('reaches no script by %s %s', async (method, to, body) => {
    const answer = await api(method, to, { body: body() });
    expect(answer.body).toMatchObject(refused);
  });

  it('is refused also as a seal, which stands for nothing there', async () => {
    const { word } = (await api('GET', 'managed/safe/one')).body;
    expect((await api('POST', 'endpoint/opens?_action=open', { body: { word } })).body).toMatchObject(
      refused,
    );
  });

  it('reaches no script of a managed object or of a policy, nor as a seal with more to it', async () => {
    const { word } = (await api('GET', 'managed/safe/one')).body;
    const padded = { $crypto: { ...envelope.$crypto, value: { ...envelope.$crypto.value, sealed: 'x' } } };
    for (const body of [envelope, { a: [envelope] }, padded, { ...word, more: envelope }]) {
      for (const to of ['managed/safe/one?_action=tell', 'policy/managed/note/x?_action=validateObject']) {
        const answer = await api('POST', to, { body });
        expect([to, answer.body]).toMatchObject([to, refused]);
      }
      for (const place of ['managed/safe/one', 'managed/safe/two', 'scheduler/job/x']) {
        expect((await api('PUT', place, { body: { word: body } })).body).toMatchObject(refused);
      }
    }
    const back = await api('PUT', 'managed/safe/one', { body: { word, print: WORD } });
    expect(back.status).toBe(200);
  });

  it('is not opened for whoever asks whether an object is valid', async () => {
    const { word } = (await api('GET', 'managed/safe/one')).body;
    const { body } = await api('POST', 'policy/managed/note/x?_action=validateObject', {
      body: { text: word },
    });
    expect(JSON.stringify(body)).not.toContain(WORD);
    expect(body.failedPolicyRequirements).toEqual([expect.objectContaining({ property: 'text' })]);
  });
});

describe('what a script answers to a caller', () => {
  it.each([
    ['GET', 'endpoint/tells', { safe: { word: WORD_SEAL, print: PRINT_SEAL }, opened: WORD }],
    ['GET', 'endpoint/tells?_queryFilter=true', { result: [{ word: WORD_SEAL, print: PRINT_SEAL }] }],
    ['POST', 'endpoint/tells?_action=x', { list: [WORD_SEAL] }],
    ['POST', 'endpoint/tells?_action=x&_dryRun=true', { dryRun: true, result: { list: [WORD_SEAL] } }],
    ['POST', 'managed/safe/one?_action=tell', { word: WORD_SEAL, print: PRINT_SEAL }],
    ['GET', 'endpoint/tells?_fields=safe/word', { word: WORD_SEAL }],
  ])('%s %s has seals in place of what is encrypted and hashed', async (method, to, shown) => {
    const { status, body } = await api(method, to);
    expect([status, body]).toMatchObject([200, shown]);
    expect(JSON.stringify(body)).not.toContain(envelope.$crypto.value['data']);
  });

  it('has no part of it, either', async () => {
    const { body } = await api('GET', 'endpoint/tells?_fields=safe/word/$crypto/value/data');
    expect(body).toEqual({});
  });

  it('is sealed too where a filter puts it in place of an answer', async () => {
    await api('PUT', 'managed/note/one', { body: { text: 'x' } });
    expect((await api('GET', 'managed/note/one')).body).toMatchObject({ word: WORD_SEAL });
  });

  it('is whole for another script, and for administrators who evaluate one', async () => {
    expect((await api('GET', 'endpoint/passes')).body).toBe(false);
    expect(envelope.$crypto.value).toMatchObject({ data: expect.any(String) });
  });

  it('is sealed as a variable of a process', async () => {
    const instance = await workflow.start('opener', { given: 'plain' });
    const { status, body } = await workflow.completeAt(instance, 'look');
    expect([status, body]).toEqual([200, expect.anything()]);
    const shown = await api('GET', `workflow/processinstance/${instance}?_fields=processVariables`);
    expect(JSON.stringify(shown.body)).toContain('"sealed"');
    expect(JSON.stringify(shown.body)).not.toMatch(/"iv"|kept word/);
    // Beside what is not kept here, and has a hint in its place.
    const part = 'events,processVariables/kept/$crypto/value/iv';
    const { body: parts } = await api('GET', `workflow/processinstance/${instance}?_fields=${part}`);
    expect(Object.keys(parts)).toContain('eventsHint');
    expect(Object.keys(parts)).not.toContain('iv');
  });
});
