/** What there may be at most: of processes that one caller has under way, of an answer, of a page. Two nodes on one database. */
import { readFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile, workflowApi } from '../support/workflow.ts';
import { end, path, start, user } from '../unit/workflow/engine/bpmn.ts';
import '../support/takes-long.ts';

const PASSWORD = 'Passw0rd-of-users';
const ANSWER_LIMIT = 2 ** 20;
const MOST_OPEN = 6;
const MOST_CALLED = 15;
const LARGE = 'x'.repeat(60_000);
const review = (key: string) =>
  processFile(
    key,
    start() + user('look', { 'flowable:assignee': 'mallory' }) + end() + path('s', 'look', 'e'),
  );
/** Calls as many as its caller says, at once or in a job of each. */
const calling = (key: string, attributes = '') =>
  processFile(
    key,
    '<startEvent id="s"><extensionElements><flowable:formProperty id="n" type="long"/></extensionElements></startEvent>' +
      `<callActivity id="calls" calledElement="review"${attributes}>` +
      '<extensionElements><flowable:failedJobRetryTimeCycle>R1/PT1S</flowable:failedJobRetryTimeCycle></extensionElements>' +
      '<multiInstanceLoopCharacteristics>' +
      `<loopCardinality>\${n}</loopCardinality></multiInstanceLoopCharacteristics></callActivity>` +
      end() +
      path('s', 'calls', 'e'),
  );
const FILES = {
  'conf/managed.json': {
    objects: [
      ...JSON.parse(readFileSync(new URL('../../conf/managed.json', import.meta.url), 'utf8')).objects,
      {
        name: 'blob',
        schema: {
          properties: {
            leaves: {
              type: 'array',
              items: {
                type: 'relationship',
                reverseRelationship: true,
                reversePropertyName: 'blob',
                resourceCollection: [{ path: 'managed/leaf' }],
              },
            },
          },
        },
      },
      {
        name: 'leaf',
        schema: {
          properties: {
            blob: {
              type: 'relationship',
              reverseRelationship: true,
              reversePropertyName: 'leaves',
              resourceCollection: [{ path: 'managed/blob' }],
            },
          },
        },
      },
    ],
  },
  'conf/workflow.json': { maxOpenInstances: MOST_OPEN, maxCalledInstances: MOST_CALLED },
  'script/access.js': readFileSync(new URL('../../script/access.js', import.meta.url), 'utf8'),
  'workflow/review.bpmn20.xml': review('review'),
  'workflow/many.bpmn20.xml': calling('many'),
  'workflow/spread.bpmn20.xml': calling('spread', ' flowable:async="true"'),
};

const nodes: TestServer[] = [];
let api: Api;
let workflow: ReturnType<typeof workflowApi>;
let close: () => Promise<void>;

beforeAll(async () => {
  await using scope = new AsyncDisposableStack();
  const database = scope.use(await createSchemaDatabase());
  const environment = { SVC_ANSWER_LIMIT: String(ANSWER_LIMIT) };
  for (let node = 0; node < 2; node += 1) {
    nodes.push(scope.use(await startTestServer({ files: FILES, environment, database })));
  }
  api = nodes[0]!.api;
  workflow = workflowApi(api);
  for (const userName of ['mallory', 'alice', 'bob']) {
    const person = { userName, givenName: userName, sn: 'Test', mail: `${userName}@example.com` };
    const { status } = await api('PUT', `managed/user/${userName}-id`, {
      body: { ...person, password: PASSWORD },
    });
    expect(status).toBe(201);
  }
  await eventually(
    () => workflow.list('processdefinition'),
    (definitions) => definitions.length === 3,
  );
  const kept = scope.move();
  close = () => kept.disposeAsync();
});
afterAll(() => close());

const startAs = (userName: string, node = 0): Promise<Answer> =>
  nodes[node]!.api('POST', 'workflow/processinstance', {
    user: userName,
    password: PASSWORD,
    body: { _key: 'review' },
  });
const evaluate = (source: string) =>
  api('POST', 'script?_action=eval', { body: { type: 'text/javascript', source } });

describe('the processes that one caller has under way', () => {
  it('are so many and no more, however many starts come at once and to which node', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => startAs('mallory', at % 2)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(answers.length - refused.length).toBe(MOST_OPEN);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
    expect(refused[0]!.body).toMatchObject({
      message: expect.stringContaining(`${MOST_OPEN}`),
      detail: {
        id: 'WORKFLOW_TOO_MANY_OPEN',
        hint: expect.any(String),
        open: MOST_OPEN,
        allowed: MOST_OPEN,
      },
    });
    expect(await workflow.list('processinstance/history', 'startUserId=mallory')).toHaveLength(MOST_OPEN);
  });

  it('are others when some have ended', async () => {
    const [first] = await workflow.list('processinstance', 'startUserId=mallory');
    expect((await workflow.completeAt(first._id, 'look')).status).toBe(200);
    expect([(await startAs('mallory')).status, (await startAs('mallory', 1)).status]).toEqual([201, 429]);
  });

  it('bind neither other callers nor administrators nor scripts', async () => {
    expect((await startAs('alice')).status).toBe(201);
    for (let time = 0; time <= MOST_OPEN; time += 1) await workflow.start('review');
    const asMallory = `
      for (var i = 0; i <= ${MOST_OPEN}; i++) svc.create('workflow/processinstance', null, { _key: 'review' });`;
    expect((await evaluate(asMallory)).status).toBe(200);
  });
});

describe('the processes that one request has called', () => {
  const callAs = (userName: string, n: number) =>
    api('POST', 'workflow/processinstance', {
      user: userName,
      password: PASSWORD,
      body: { _key: 'many', n },
    });

  it('are so many and no more, though the caller says how many', async () => {
    const before = await workflow.list('processinstance');
    const refused = await callAs('alice', MOST_OPEN + 1);
    expect([refused.status, refused.body.detail]).toEqual([
      429,
      {
        id: 'WORKFLOW_TOO_MANY_CALLED',
        hint: expect.any(String),
        wanted: MOST_OPEN + 1,
        allowed: MOST_OPEN,
      },
    ]);
    expect(await workflow.list('processinstance')).toHaveLength(before.length);
    expect((await callAs('alice', MOST_OPEN)).status).toBe(201);
    expect(await workflow.list('processinstance')).toHaveLength(before.length + 1 + MOST_OPEN);
  });

  it('are not counted for administrators', async () => {
    expect(await workflow.start('many', { n: MOST_OPEN + 1 })).toBeDefined();
  });
});

describe('the processes that those of one caller have called', () => {
  const startSpread = (n: number, userName = 'bob') =>
    api('POST', 'workflow/processinstance', {
      user: userName,
      password: PASSWORD,
      body: { _key: 'spread', n },
    });
  const startedBy = async (userName: string) =>
    (await workflow.list('processinstance', `startUserId=${userName}&processDefinitionKey=review`)).length;
  const stuck = async () => (await workflow.list('job/deadletter')).length;

  it('are so many and no more, though each is called in a job; the job of another fails, and goes on when there is room', async () => {
    expect((await startSpread(MOST_CALLED + 3)).status).toBe(201);
    await eventually(stuck, (jobs) => jobs === 3);
    expect(await startedBy('bob')).toBe(MOST_CALLED);
    const [dead] = await workflow.list('job/deadletter');
    const { rows } = await nodes[0]!.database.pool.query(
      'select exception from workflow_job where is_dead limit 1',
    );
    expect(rows[0].exception).toContain(`${MOST_CALLED} at most`);
    const refused = await api('POST', 'workflow/processinstance', {
      user: 'bob',
      password: PASSWORD,
      body: { _key: 'many', n: 5 },
    });
    expect([refused.status, refused.body.detail.id]).toEqual([429, 'WORKFLOW_TOO_MANY_CALLED_OPEN']);
    for (let time = 0; time < 5; time += 1) {
      const [open] = await workflow.list('processinstance', 'startUserId=bob&processDefinitionKey=review');
      expect((await workflow.completeAt(open._id, 'look')).status).toBe(200);
    }
    const before = await stuck();
    expect((await api('POST', `workflow/job/deadletter/${dead._id}?_action=retry`)).status).toBe(200);
    await eventually(stuck, (jobs) => jobs === before - 1);
    await eventually(
      () => startedBy('bob'),
      (open) => open === MOST_CALLED - 4,
    );
  });

  it('are not counted for administrators', async () => {
    await workflow.start('spread', { n: MOST_CALLED + 3 });
    await eventually(
      () => startedBy('svc-admin'),
      (open) => open >= MOST_CALLED + 3,
    );
  });
});

describe('an answer that is too large', () => {
  beforeAll(async () => {
    for (let at = 0; at < 20; at += 1) {
      const made = await api('PUT', `managed/blob/${at}`, { body: { text: LARGE } });
      expect(made.status).toBe(201);
      const leaf = await api('PUT', `managed/leaf/${at}`, { body: { blob: { _ref: 'managed/blob/0' } } });
      expect(leaf.status).toBe(201);
      await workflow.start('review', { note: LARGE });
    }
    await eventually(
      async () =>
        (await api('GET', 'audit/activity?_queryFilter=true&_pageSize=1&_totalPagedResultsPolicy=EXACT'))
          .body,
      ({ totalPagedResults }) => totalPagedResults >= 40,
    );
  });

  const told = {
    message: `What is asked for has more than ${ANSWER_LIMIT} bytes`,
    detail: { id: 'ANSWER_TOO_LARGE', allowed: ANSWER_LIMIT, hint: expect.stringContaining('_pageSize') },
  };

  it.each([
    'managed/blob?_queryFilter=true',
    'managed/blob?_queryFilter=true&_fields=_id',
    'managed/leaf?_queryFilter=true&_fields=blob/*',
    'managed/blob/0/leaves?_queryFilter=true&_fields=*,blob/*',
    'repo/managed/blob?_queryFilter=true',
    'audit/activity?_queryFilter=true',
    'workflow/processinstance?_queryId=query-all-ids',
    'workflow/processinstance?_queryId=filtered-query&unfinished=true',
    'workflow/processinstance/history?_queryId=query-all-ids',
  ])('is refused with the number, and comes in pages: %s', async (asked) => {
    const whole = await api('GET', asked);
    expect([whole.status, whole.body]).toEqual([413, expect.objectContaining({ message: told.message })]);
    expect(whole.body).toMatchObject(told);
    const larger = await api('GET', `${asked}&_pageSize=1000`);
    expect([larger.status, larger.body.detail.id]).toEqual([413, 'ANSWER_TOO_LARGE']);
    const page = await api('GET', `${asked}&_pageSize=5`);
    expect([page.status, page.body.resultCount]).toEqual([200, 5]);
  });

  it('undoes the action that would be answered so', async () => {
    const source = "svc.create('managed/blob', 'of-eval', {}); 'x'.repeat(Number(length))";
    const ask = (length: number) =>
      api('POST', 'script?_action=eval', { body: { type: 'text/javascript', source, globals: { length } } });
    const refused = await ask(ANSWER_LIMIT + 1);
    expect([refused.status, refused.body.detail]).toMatchObject([
      413,
      { id: 'ANSWER_TOO_LARGE', allowed: ANSWER_LIMIT, hint: expect.stringContaining('Nothing was changed') },
    ]);
    expect((await api('GET', 'managed/blob/of-eval')).status).toBe(404);
    expect((await ask(ANSWER_LIMIT - 100)).status).toBe(200);
    expect((await api('GET', 'managed/blob/of-eval')).status).toBe(200);
  });

  it('is no error of what is done: of a resource its id and revision are left', async () => {
    const half = 'x'.repeat(ANSWER_LIMIT / 2);
    const first = await api('PUT', 'managed/blob/wide', { body: { text: half } });
    expect(first.body.text).toBe(half);
    const body = [{ operation: 'add', field: '/more', value: half }];
    const { status, body: shown, headers } = await api('PATCH', 'managed/blob/wide', { body });
    expect([status, shown]).toEqual([200, { _id: 'wide', _rev: '1' }]);
    expect(headers.get('warning')).toContain('ANSWER_TOO_LARGE');
  });

  it('as text, though not as a value, is no error of the action that is done', async () => {
    const source = "svc.create('managed/blob', 'escaped', {}); '\\u0001'.repeat(500000)";
    const done = await evaluate(source);
    expect([done.status, done.body]).toEqual([200, {}]);
    expect(done.headers.get('warning')).toContain('too large to be shown');
    expect((await api('GET', 'managed/blob/escaped')).status).toBe(200);
  });

  it('tells a script, which may go on with less', async () => {
    const { status, body } = await evaluate(`
      var code;
      try { svc.query('managed/blob', { _queryFilter: 'true' }) } catch (e) { code = e.code }
      [code, svc.query('managed/blob', { _queryFilter: 'true', _pageSize: 3 }).result.length]`);
    expect([status, body]).toEqual([200, [413, 3]]);
  });
});

describe('bodies that one caller sends at once', () => {
  const validate = 'policy/managed/user/mallory-id?_action=validateProperty';
  /** A body of unknown length, which ends when it is told to. */
  function begin(userName: string): { readonly sent: ClientRequest; readonly status: Promise<number> } {
    const { promise, resolve } = Promise.withResolvers<number>();
    const sent = request(`${nodes[0]!.url}/svc/${validate}`, {
      method: 'POST',
      agent: false,
      headers: {
        'Content-Type': 'application/json',
        'X-Svc-Username': userName,
        'X-Svc-Password': PASSWORD,
      },
    });
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on('error', () => resolve(0));
    sent.write('{"note":"');
    return { sent, status: promise };
  }
  const large = (userName: string) =>
    nodes[0]!.api('POST', validate, { user: userName, password: PASSWORD, body: { note: LARGE } });

  const bodyBytes = async () => {
    const metrics = await (await fetch(new URL('/metrics', nodes[0]!.url))).text();
    return Number(/^svc_http_bodies_bytes (\d+)/m.exec(metrics)?.[1]);
  };

  it('leave room for those of others, and the next one waits', async () => {
    // An eighth of 64 MiB, which each of them may need one of.
    const held = Array.from({ length: 8 }, () => begin('mallory'));
    for (const { sent } of held) sent.write(' ');
    await eventually(bodyBytes, (bytes) => bytes >= 8 * 1_048_576);
    const order: string[] = [];
    const own = large('mallory').then((answer) => order.push('mallory') && answer.status);
    for (let time = 0; time < 5; time += 1) expect((await large('alice')).status).toBe(200);
    order.push('alice');
    const small = { user: 'mallory', password: PASSWORD, body: { note: 'x' } };
    expect((await nodes[0]!.api('POST', validate, small)).status).toBe(200);
    expect(order).toEqual(['alice']);
    for (const { sent } of held.slice(0, 4)) sent.end('"}');
    // Who goes away leaves the room, too.
    for (const { sent } of held.slice(4)) sent.destroy();
    expect(await own).toBe(200);
    expect(await Promise.all(held.slice(0, 4).map(({ status }) => status))).toEqual([200, 200, 200, 200]);
  });

  it('and do not come in keep nobody out, however many accounts hold the room', async () => {
    const accounts = Array.from({ length: 8 }, (_, n) => `slow-${n}`);
    await Promise.all(
      accounts.map((name) =>
        nodes[0]!.api('PUT', `managed/user/${name}`, {
          body: {
            userName: name,
            givenName: 'S',
            sn: 'Low',
            mail: `${name}@example.com`,
            password: PASSWORD,
          },
        }),
      ),
    );
    const held = accounts.flatMap((name) => Array.from({ length: 8 }, () => begin(name)));
    await eventually(bodyBytes, (bytes) => bytes === 64 * 1_048_576);
    expect((await large('alice')).status).toBe(200);
    const cut = await Promise.race(held.map(({ status }) => status));
    expect(cut).toBe(408);
    for (const { sent } of held) sent.destroy();
    await eventually(bodyBytes, (bytes) => bytes === 0);
  });
});

it('gettasksview answers in pages, however many tasks there are and however large', async () => {
  for (let at = 0; at < 120; at += 1) await workflow.start('review');
  const all = (await workflow.list('taskinstance', 'assignee=mallory')).map(
    ({ _id }: { _id: string }) => _id,
  );
  expect(all.length).toBeGreaterThan(120);
  const ask = async (more: string) => {
    const view = 'endpoint/gettasksview?_queryId=tasks&viewType=assignee';
    const { status, body } = await api('GET', `${view}${more}`, { user: 'mallory', password: PASSWORD });
    expect([status, body]).toEqual([200, expect.anything()]);
    const kinds = Object.values(body.result[0] ?? {}) as { tasks: { _id: string }[] }[];
    return {
      ids: kinds.flatMap(({ tasks }) => tasks.map(({ _id }) => _id)),
      cookie: body.pagedResultsCookie,
    };
  };
  const first = await ask('');
  expect(first.cookie).not.toBeNull();
  const seen: string[] = [];
  const sizes: number[] = [];
  for (let cookie: string | null = ''; cookie !== null; ) {
    const page = await ask(`&_pageSize=1000&_pagedResultsCookie=${cookie}`);
    seen.push(...page.ids);
    sizes.push(page.ids.length);
    cookie = page.cookie;
  }
  expect(seen.slice(0, first.ids.length)).toEqual(first.ids);
  expect(seen.toSorted()).toEqual(all.toSorted());
  expect(Math.max(...sizes)).toBe(100);
  expect(Math.min(...sizes)).toBeLessThan(20);
  expect((await ask('&_pageSize=3')).ids).toEqual(seen.slice(0, 3));
});
