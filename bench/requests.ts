/**
 * What a request over HTTP costs: processor time of the node's main thread, of all its threads and of Postgres, with users that have
 * no hooks and with processes. `--next-to <folder>` measures another checkout in turn, `--profile patch` profiles one of them instead.
 */
import { type Child, startChild } from './support/child.ts';
import { type LoadResult, type LoadTask, NUMBER } from './support/load.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { profileService } from './support/profile-service.ts';
import { openCostMeter, type RequestCost } from './support/request-cost.ts';
import { interleave } from './support/rounds.ts';
import { compare, report } from './support/row.ts';
import { AUTHORIZATION, call, createProject, startService } from './support/service.ts';
import { ROUND_MS, ROUNDS, WARM_UP_MS } from './support/settings.ts';
import { fillUsers, sampleUser, USER_PATHS, USER_TYPE } from './support/users.ts';
import type { WorkflowResult, WorkflowTask } from './support/workflow-client.ts';

const BENCH = 'requests';
const CONNECTIONS = 32;

interface Asked {
  readonly requests: number;
}
type Ask = (url: string, ms: number) => Promise<Asked>;

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
await fillUsers(databaseUrl);
await onServer(
  databaseUrl,
  `insert into managed_object (type, id, data) select 'person', id, data from managed_object where type = 'user';
   analyze managed_object`,
);
/** Users whose names are looked at as those of the shipped type are. */
const PERSON = {
  name: 'person',
  schema: {
    properties: {
      userName: {
        type: 'string',
        searchable: true,
        policies: [{ policyId: 'unique' }, { policyId: 'no-internal-user-conflict' }],
      },
    },
  },
};
const { objects } = USER_TYPE['conf/managed.json'];
const project = scope.use(await createProject({ 'conf/managed.json': { objects: [...objects, PERSON] } }));
const generator: Child<LoadTask, LoadResult> = scope.use(await startChild('./load-generator.ts'));
const clients: Child<WorkflowTask, WorkflowResult> = scope.use(await startChild('./workflow-client.ts'));
const { _id, _rev, ...user } = JSON.parse(await sampleUser(databaseUrl));

const headers = { Authorization: AUTHORIZATION };
const over =
  (task: Pick<LoadTask, 'method' | 'paths' | 'body'>): Ask =>
  async (url, ms) => {
    const { perSecond } = await generator.ask({ ...task, headers, url, connections: CONNECTIONS, ms });
    return { requests: (perSecond * ms) / 1_000 };
  };
const instances =
  (key: string, completes: boolean): Ask =>
  async (url, ms) => {
    const { perSecond } = await clients.ask({ url, key, completes, clients: CONNECTIONS, ms });
    return { requests: (perSecond * ms) / 1_000 };
  };
const patch = [{ operation: 'replace', field: '/mail', value: `m${NUMBER}@example.com` }];
const REQUESTS: Readonly<Record<string, Ask>> = {
  'a user by id': over({ method: 'GET', paths: USER_PATHS }),
  'a user by name': over({
    method: 'GET',
    paths: USER_PATHS.map((_, n) => `/svc/managed/user?_queryFilter=userName+eq+%22user${n + 1}%22`),
  }),
  'a page of 20 users': over({
    method: 'GET',
    paths: ['/svc/managed/user?_queryFilter=true&_pageSize=20&_fields=userName,mail'],
  }),
  'a new user': over({
    method: 'POST',
    paths: ['/svc/managed/user'],
    body: JSON.stringify({ ...user, userName: `user-${NUMBER}` }),
  }),
  'a new person with a name that nobody has': over({
    method: 'POST',
    paths: ['/svc/managed/person'],
    body: JSON.stringify({ ...user, userName: `person-${NUMBER}` }),
  }),
  'a changed property': over({ method: 'PATCH', paths: USER_PATHS, body: JSON.stringify(patch) }),
  'a process with three service tasks': instances('threeServices', false),
  'a process with a user task, and its completion': instances('oneTask', true),
};

const flow = (from: string, to: string) =>
  `<sequenceFlow id="${from}-${to}" sourceRef="${from}" targetRef="${to}"/>`;
const service = (id: string) =>
  `<serviceTask id="${id}" flowable:expression="\${count + 1}" flowable:resultVariable="count"/>`;
const PROCESSES = {
  oneTask: `<startEvent id="s"/><userTask id="t" flowable:candidateGroups="clerks"/><endEvent id="e"/>${flow('s', 't')}${flow('t', 'e')}`,
  threeServices: `<startEvent id="s"/>${service('a')}${service('b')}${service('c')}<endEvent id="e"/>${flow('s', 'a')}${flow('a', 'b')}${flow('b', 'c')}${flow('c', 'e')}`,
};

const options = { databaseUrl, project: project.location, environment: { SVC_ROLES: 'api' } };
const argument = (name: string) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};
const profiled = argument('--profile');
const other = argument('--next-to');
const asked = Object.entries(REQUESTS).filter(([name]) => name.includes(argument('--only') ?? ''));
if (profiled === undefined) await measureAll();
else await profile(profiled);

async function measureAll(): Promise<void> {
  const meter = scope.use(await openCostMeter(databaseUrl));
  const nodes = { ours: scope.use(await startService({ ...options, name: 'ours' })) };
  const theirs =
    other === undefined
      ? {}
      : { theirs: scope.use(await startService({ ...options, name: 'theirs', root: other })) };
  await deploy(nodes.ours.url);
  for (const [quantity, ask] of asked) {
    const measured = Object.entries({ ...nodes, ...theirs }).map(
      ([name, { pid, url }]) =>
        [name, (ms: number) => (): Promise<RequestCost> => meter.measure(pid, () => ask(url, ms))] as const,
    );
    const within = (ms: number) => Object.fromEntries(measured.map(([name, measure]) => [name, measure(ms)]));
    await interleave(1, within(WARM_UP_MS));
    await interleave(1, within(WARM_UP_MS));
    const rounds = await interleave(ROUNDS, within(ROUND_MS));
    for (const where of ['main thread', 'node', 'Postgres'] as const) {
      const of = (name: string) => rounds[name]!.map((cost) => cost[where]);
      const row = { bench: BENCH, quantity: `${quantity}, ${where}`, unit: 'µs', lessIsBetter: true };
      if (other === undefined) report({ ...row, ours: of('ours') });
      else compare({ ...row, ours: of('ours') }, 'the other checkout', of('theirs'));
    }
  }
}

async function profile(name: string): Promise<void> {
  const found = Object.entries(REQUESTS).find(([quantity]) => quantity.includes(name));
  if (found === undefined) throw new Error(`There is no '${name}' among ${Object.keys(REQUESTS).join(', ')}`);
  await profileService(options, async (url) => {
    await deploy(url);
    const { requests } = await found[1](url, 12_000);
    return { perSecond: requests / 12 };
  });
}

async function deploy(url: string): Promise<void> {
  for (const [key, body] of Object.entries(PROCESSES)) {
    const content = `<?xml version="1.0"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:flowable="http://flowable.org/bpmn" targetNamespace="bench">
  <process id="${key}">${body}</process></definitions>`;
    await call(url, 'POST', 'workflow/deployment?_action=deploy', { name: `${key}.bpmn20.xml`, content });
  }
}
