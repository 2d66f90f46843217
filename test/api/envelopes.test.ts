/** Encrypted and hashed values on their way in and out, wherever no resource keeps them itself. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCrypto } from '#crypto/index.ts';
import { ADMIN_PASSWORD, type Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { COMMON_RING } from '../support/key-ring.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile, workflowApi } from '../support/workflow.ts';
import { end, path, start, tag, user } from '../unit/workflow/engine/bpmn.ts';

const js = (source: string) => ({ type: 'text/javascript', source });
const WORD = 'open-sesame';
const ALIAS = 'svc-sym-default';
const COMMON: Record<string, string[]> = JSON.parse(COMMON_RING);
const OLD = Buffer.alloc(32, 1).toString('base64');
/** Before the key in use there was another one. */
const RING = { ...COMMON, [ALIAS]: [...(COMMON[ALIAS] ?? []), OLD] };
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
  server = await startTestServer({ files: FILES, environment: { SVC_KEYS: JSON.stringify(RING) } });
  api = server.api;
  workflow = workflowApi(api);
  await api('PUT', 'managed/safe/one', { body: { word: WORD, print: WORD } });
  const source = "svc.read('managed/safe/one').word";
  envelope = (await api('POST', 'script?_action=eval', { body: js(source) })).body;
});
afterAll(() => server?.[Symbol.asyncDispose]());

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

describe('keys', () => {
  const ring = (act: string, options: Parameters<Api>[2] = {}) => api('POST', `key?_action=${act}`, options);
  const last = async () => (await api('GET', 'key/rotation')).body;
  const ended = () => eventually(last, ({ state }) => state !== 'ACTIVE');
  const counts = async () => {
    const { result } = (await api('GET', `key?_queryFilter=alias+eq+"${ALIAS}"`)).body;
    const [used] = result.filter((key: { encrypting: string[] }) => key.encrypting.length > 0);
    const [old] = result.filter((key: { encrypting: string[] }) => key.encrypting.length === 0);
    return { used, old };
  };
  const stored = async () =>
    (await server.database.pool.query("select data, rev from managed_object where id = 'aged'")).rows[0];

  beforeAll(async () => {
    expect((await api('PUT', 'managed/safe/aged', { body: { word: 'aged word' } })).status).toBe(201);
    const aged = await openCrypto({ keyRing: { [ALIAS]: [OLD] } }).encrypt('aged word', null, null);
    await server.database.pool.query(
      "update managed_object set data = jsonb_set(data, '{word}', $1) where id = 'aged'",
      [JSON.stringify(aged)],
    );
  });

  it('are counted and rotated by nobody but administrators, and rehearsed without a trace', async () => {
    await api('PUT', 'repo/internal/user/clerk', {
      body: { password: ADMIN_PASSWORD, roles: [{ _ref: 'repo/internal/role/svc-authorized' }] },
    });
    for (const act of ['count', 'rotate', 'cancel']) {
      expect((await ring(act, { user: 'clerk' })).status).toBe(403);
      expect((await ring(act, { user: null })).status).toBe(401);
    }
    expect((await api('GET', 'key/rotation', { user: 'clerk' })).status).toBe(403);
    const rehearsed = await api('POST', 'key?_action=rotate&_dryRun=true');
    expect(rehearsed.body).toMatchObject({
      dryRun: true,
      changes: [{ resource: 'key/rotation', operation: 'create', after: { act: 'rotate', state: 'ACTIVE' } }],
    });
    expect((await api('GET', 'key/rotation')).body.detail.id).toBe('CRYPTO_NO_ROTATION');
    expect((await ring('cancel')).body.detail.id).toBe('CRYPTO_NO_ROTATION');
    expect((await counts()).used).not.toHaveProperty('values');
  });

  it('say how many values are under each of them, once these have been counted', async () => {
    const begun = await ring('count');
    expect([begun.status, begun.body]).toMatchObject([200, { act: 'count', state: 'ACTIVE' }]);
    const counted = await ended();
    expect(counted).toMatchObject({
      id: begun.body.id,
      state: 'COMPLETED',
      rewritten: 0,
      failures: { count: 0 },
    });
    const { used, old } = await counts();
    expect([old.values, old.countedAt]).toEqual([1, counted.endedAt]);
    expect(used.values).toBeGreaterThanOrEqual(1);
    expect(counted.values[used._id]).toBe(used.values);
    expect(JSON.stringify(counted)).not.toMatch(/aged word|"iv"|"data"/);
  });

  it('are rotated: nothing is under an older one any more, and nobody notices', async () => {
    const [before, { used, old }] = [await stored(), await counts()];
    expect((await ring('rotate')).status).toBe(200);
    expect(await ended()).toMatchObject({ act: 'rotate', state: 'COMPLETED', rewritten: 1, files: [] });
    const after = await stored();
    expect(before.data.word.$crypto.value.keyId).toBe(old.key);
    expect(after.data.word.$crypto.value.keyId).toBe(used.key);
    expect(after.rev).toBe(before.rev);
    const now = await counts();
    expect([now.old.values, now.used.values]).toEqual([0, used.values + 1]);
    const opened = "svc.decrypt(svc.read('managed/safe/aged').word)";
    expect((await api('POST', 'script?_action=eval', { body: js(opened) })).body).toBe('aged word');
  });

  it('are rotated once at a time, and no further when that is cancelled', async () => {
    const { pool } = server.database;
    await pool.query(
      `insert into crypto_rotation (id, act, asked_by, ring, progress)
       select gen_random_uuid(), act, asked_by, ring, progress from crypto_rotation order by asked_at desc limit 1`,
    );
    const refused = await ring('count');
    expect([refused.status, refused.body.detail.id]).toEqual([409, 'CRYPTO_ROTATION_UNDER_WAY']);
    expect((await ring('cancel')).body).toMatchObject({ state: 'CANCELLED' });
    expect(await last()).toMatchObject({ state: 'CANCELLED', endedAt: expect.any(String) });
    const changes = await eventually(
      async () => (await api('GET', 'audit/activity?_queryFilter=objectId+eq+"key/rotation"')).body.result,
      (entries: { userId: string }[]) => entries.length >= 3,
    );
    expect(changes.map(({ userId }) => userId)).toContain('svc-admin');
  });
});
