import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { openDatabase } from '#database/index.ts';
import { ADMIN_PASSWORD, type Api, apiOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { PATIENT_LEASE_S, setLease } from '../support/lease.ts';
import { ANSWERED_BY, startLoadBalancer } from '../support/load-balancer.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createProject } from '../support/project.ts';
import { processFile, workflowApi } from '../support/workflow.ts';
import { end, path, start, tag, user } from '../unit/workflow/engine/bpmn.ts';
import '../support/takes-long.ts';

/** A step that only a worker runs, then a task for people. */
const ORDER = processFile(
  'order',
  start() +
    tag(
      'scriptTask',
      'note',
      { scriptFormat: 'javascript', 'flowable:async': true },
      "<script>svc.create('managed/mark', null, { at: 'order' })</script>",
    ) +
    user('approve') +
    end() +
    path('s', 'note', 'approve', 'e'),
);
const SCAN = {
  waitForCompletion: false,
  scan: {
    object: 'managed/item',
    _queryFilter: '!(/task/completed pr)',
    taskState: { started: '/task/started', completed: '/task/completed' },
  },
  task: { script: { type: 'text/javascript', source: 'true' } },
};
const ITEMS = 12;

const scope = new AsyncDisposableStack();
const doors: NodeProcess[] = [];
let api: Api;

beforeAll(async () => {
  const database = scope.use(await createTestDatabase());
  const project = scope.use(
    await createProject({ 'conf/managed.json': { objects: [{ name: 'item' }, { name: 'mark' }] } }),
  );
  const environment = { SVC_KEYS: JSON.stringify({ 'svc-jwtsessionhmac-key': [btoa('k'.repeat(32))] }) };
  const startNode = async (name: string, roles: string) => {
    const node = await startNodeProcess({
      name,
      databaseUrl: database.url,
      project: project.location,
      environment: { ...environment, SVC_ROLES: roles, SVC_LOG_LEVEL: 'info' },
    });
    return scope.use(node);
  };
  const nodes = { 'door-1': 'api', 'door-2': 'api', 'worker-1': 'worker', 'worker-2': 'worker' };
  const started = await Promise.all(Object.entries(nodes).map(([name, roles]) => startNode(name, roles)));
  doors.push(...started.slice(0, 2));
  const shared = openDatabase({ url: database.url, poolSize: 1 });
  await setLease(shared.db, PATIENT_LEASE_S);
  await shared.close();
  const balancer = scope.use(await startLoadBalancer(doors.map(({ url }) => url)));
  api = apiOf(balancer.url);
});
afterAll(() => scope.disposeAsync());

/** Asks twice, so that each node is asked once, and wants the same of both. */
async function ofBoth<T>(ask: () => Promise<{ headers: Headers; body: T; status: number }>): Promise<T> {
  const [first, second] = [await ask(), await ask()];
  expect(first.headers.get(ANSWERED_BY)).not.toBe(second.headers.get(ANSWERED_BY));
  expect([first.status, first.body]).toEqual([second.status, second.body]);
  return first.body;
}

test('a session that one node began is known to the other, and ended on both', async () => {
  const { headers } = await api('POST', 'authentication?_action=login');
  const session = {
    Cookie: headers.get('Set-Cookie')!.split(';')[0]!,
    'X-Requested-With': 'XMLHttpRequest',
  };
  const whoAmI = () => api('GET', 'info/login', { user: null, headers: session });
  expect(await ofBoth(whoAmI)).toMatchObject({ authenticationId: 'svc-admin' });
  await api('POST', 'authentication?_action=logout', { user: null, headers: session });
  expect(await ofBoth(whoAmI)).toMatchObject({ code: 401 });
});

test('what one node has written the other reads, from the next request on', async () => {
  for (let n = 0; n < ITEMS; n++) {
    const created = await api('PUT', `managed/item/i${n}`, { body: { n } });
    expect(created.status).toBe(201);
    const read = await api('GET', `managed/item/i${n}`);
    expect([read.body.n, read.body._rev]).toEqual([n, created.body._rev]);
  }
});

test('the pages of a query come from one node and the other in turn', async () => {
  const seen: number[] = [];
  const answeredBy = new Set<string>();
  let cookie: string | null = '';
  while (cookie !== null) {
    const page = `_pageSize=5&_sortKeys=n&_pagedResultsCookie=${encodeURIComponent(cookie)}`;
    const { headers, body } = await api('GET', `managed/item?_queryFilter=true&${page}`);
    seen.push(...body.result.map(({ n }: { n: number }) => n));
    answeredBy.add(headers.get(ANSWERED_BY)!);
    cookie = body.pagedResultsCookie;
  }
  expect(seen).toEqual(Array.from({ length: ITEMS }, (_, n) => n));
  expect(answeredBy.size).toBe(2);
});

test('a change of the configuration is in force on every node when it is answered', async () => {
  for (let n = 0; n < 4; n++) {
    const objects = [{ name: 'item' }, { name: 'mark' }, { name: `type${n}` }];
    expect((await api('PUT', 'config/managed', { body: { objects } })).status).toBe(200);
    expect((await api('PUT', `managed/type${n}/one`, { body: {} })).status).toBe(201);
    expect(await ofBoth(() => api('GET', `managed/type${n}/one`))).toMatchObject({ _id: 'one' });
    expect(await ofBoth(() => api('GET', 'config/managed'))).toMatchObject({ objects });
  }
});

test('both nodes know all four, and a schedule that one of them takes fires on a worker', async () => {
  const { results } = await ofBoth<{ results: { instanceId: string; state: string }[] }>(() =>
    api('GET', 'cluster'),
  );
  expect(results.map(({ instanceId, state }) => `${instanceId} ${state}`).sort()).toEqual([
    'door-1 running',
    'door-2 running',
    'worker-1 running',
    'worker-2 running',
  ]);
  const script = { type: 'text/javascript', source: "svc.create('managed/mark', null, { at: 'schedule' })" };
  const body = { type: 'simple', invokeService: 'script', invokeContext: { script } };
  expect((await api('PUT', 'scheduler/job/once', { body })).status).toBe(201);
  expect(await ofBoth(() => api('GET', 'scheduler/job/once'))).toMatchObject({ _id: 'once' });
  await eventually(
    () => marksAt('schedule'),
    (marks) => marks === 1,
  );
});

test('a scan that one node was asked for runs on the workers, and both tell how far it is', async () => {
  const { body } = await api('POST', 'taskscanner?_action=execute', { body: SCAN });
  const run = () => api('GET', `taskscanner/${body._id}`);
  await eventually(run, (answer) => answer.body.progress.state === 'COMPLETED');
  expect(await ofBoth(run)).toMatchObject({ progress: { successes: ITEMS, failures: 0 } });
});

test('a process comes with one node, starts on the other and is completed on the first', async () => {
  const file = new ZipFile();
  file.addBuffer(Buffer.from(ORDER), 'order.bpmn20.xml');
  file.end();
  const chunks: Buffer[] = [];
  for await (const chunk of file.outputStream) chunks.push(chunk as Buffer);
  const upload = { name: 'order.bar', content: Buffer.concat(chunks).toString('base64') };
  const deployed = await api('POST', 'workflow/deployment?_action=deploy', { body: upload });
  expect(deployed.body.definitions).toHaveLength(1);

  const workflow = workflowApi(api);
  const instance = await workflow.start('order');
  const [task] = await eventually(
    () => workflow.tasks(instance),
    (tasks) => tasks.length === 1,
  );
  expect(await marksAt('order')).toBe(1);
  expect((await workflow.complete(task._id)).status).toBe(200);
  const ended = await ofBoth(() => api('GET', `workflow/processinstance/history/${instance}`));
  expect(ended).toMatchObject({ endTime: expect.any(String) });
});

test('a script that is set on one node runs on both with the answer, and so do the rules', async () => {
  const write = async (path: string, content: string) => {
    const { status, body } = await api('PUT', `script/file/${path}`, { body: { content } });
    expect(status, JSON.stringify(body)).toBeLessThan(300);
  };
  await write('lib/shared.js', "exports.word = 'first';");
  const endpoint = { type: 'text/javascript', source: "require('lib/shared').word" };
  await api('PUT', 'config/endpoint/shared', { body: endpoint });
  for (const word of ['second', 'third', 'fourth']) {
    await write('lib/shared.js', `exports.word = '${word}';`);
    expect(await ofBoth(() => api('GET', 'endpoint/shared'))).toBe(word);
  }
  const rule = (roles: string) =>
    `var httpAccessConfig = { configs: [{ pattern: '*', roles: 'svc-admin', methods: '*', actions: '*' },
      { pattern: 'info/*', roles: '${roles}', methods: 'read', actions: '*' }] };`;
  const anybody = {
    headers: { 'X-Svc-Username': 'anonymous', 'X-Svc-Password': 'anonymous', Authorization: '' },
  };
  const statuses = async () => [
    (await api('GET', 'info/ping', anybody)).status,
    (await api('GET', 'info/ping', anybody)).status,
  ];
  for (const roles of ['svc-admin', '*', 'svc-admin']) {
    await write('access.js', rule(roles));
    expect(await statuses()).toEqual(roles === '*' ? [200, 200] : [403, 403]);
  }
  await api('POST', 'script/file/access.js?_action=revertToFile');
  expect(await statuses()).toEqual([200, 200]);
});

test('when one node is killed the balancer has the other', async () => {
  doors[0]!.signal('SIGKILL');
  await doors[0]!.ended;
  for (let n = 0; n < 4; n++) {
    const answer = await api('GET', 'managed/item/i0', { password: ADMIN_PASSWORD });
    expect([answer.status, answer.headers.get(ANSWERED_BY)]).toEqual([200, doors[1]!.url]);
  }
});

async function marksAt(at: string): Promise<number> {
  const filter = encodeURIComponent(`at eq "${at}"`);
  return (await api('GET', `managed/mark?_queryFilter=${filter}`)).body.resultCount;
}
