/**
 * Managed objects over HTTP with 50 clients: create, read, patch and query of users that have two hooks and three
 * relationships, next to the same without hooks, which says what a hook costs. Then one role whose condition comes
 * to fit, and ceases to fit, 100,000 users. `--profile patch plain` profiles one of these loads instead.
 */
import { startChild } from './support/child.ts';
import { Latency } from './support/latency.ts';
import type { PlainServerTask } from './support/plain-server.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { profileService } from './support/profile-service.ts';
import { interleave } from './support/rounds.ts';
import { compare, report } from './support/row.ts';
import { AUTHORIZATION, call, createProject, startService } from './support/service.ts';

const BENCH = 'managed';
const CLIENTS = 50;
const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 1 : 3;
const ROUND_MS = quick ? 700 : 1_500;
const WARM_UP_MS = quick ? 300 : 500;
const MANY = quick ? 10_000 : 100_000;

const reference = (path: string, reverse: string) => ({
  type: 'relationship',
  reverseRelationship: true,
  reversePropertyName: reverse,
  validate: true,
  resourceCollection: [{ path: `managed/${path}`, label: path }],
});
const many = (items: object) => ({ type: 'array', items });
const script = (source: string) => ({ type: 'text/javascript', source });

/** Two types that differ in their hooks alone, so that one database serves both. */
const type = (name: string, hooks: object) => ({
  name,
  schema: {
    required: ['userName'],
    properties: {
      userName: { type: 'string', searchable: true },
      mail: { type: 'string' },
      department: { type: 'string', searchable: true },
      manager: reference(name, 'reports'),
      reports: many(reference(name, 'manager')),
      roles: many({ ...reference(`${name}-role`, 'members'), conditionalAssociationField: 'condition' }),
    },
  },
  ...hooks,
});
const role = (name: string) => ({
  name: `${name}-role`,
  schema: { properties: { condition: { type: 'string' }, members: many(reference(name, 'roles')) } },
});
const HOOKS = {
  onCreate: script("object.status = object.status || 'active';"),
  onUpdate: script('object.changes = (oldObject.changes || 0) + 1;'),
};
const PROJECT = {
  'conf/managed.json': {
    objects: [type('hooked', HOOKS), role('hooked'), type('plain', {}), role('plain')],
  },
};

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
const project = scope.use(await createProject(PROJECT));
const NAMES = ['plain', 'hooked'] as const;
type Name = (typeof NAMES)[number];
const USERS = 1_000;
let next = 0;

const REQUESTS: readonly { readonly quantity: string; readonly method: string; readonly make: Make }[] = [
  {
    quantity: 'create',
    method: 'POST',
    make: (name) => ({ path: `managed/${name}`, body: userOf(name, `new-${next++}`) }),
  },
  {
    quantity: 'read with roles',
    method: 'GET',
    make: (name) => ({ path: `managed/${name}/${anyId()}?_fields=*,roles` }),
  },
  {
    quantity: 'patch',
    method: 'PATCH',
    make: (name) => ({
      path: `managed/${name}/${anyId()}`,
      body: [{ operation: 'replace', field: '/mail', value: `mail-${next++}@example.com` }],
    }),
  },
  {
    quantity: 'page of 20 with roles and manager',
    method: 'GET',
    make: (name) => ({
      path: `managed/${name}?_queryFilter=true&_pageSize=20&_fields=*,roles/*,manager/*`,
    }),
  },
];
const options = { databaseUrl, project: project.location };
let url = '';
const profiled = process.argv.indexOf('--profile');
if (profiled > 0) await profile(process.argv[profiled + 1] ?? 'patch', process.argv[profiled + 2] ?? 'plain');
else await measureAll();

async function measureAll(): Promise<void> {
  ({ url } = scope.use(await startService(options)));
  for (const name of NAMES) await fill(name);
  for (const { quantity, method, make } of REQUESTS) await measure(quantity, method, make);
  await measureExpansion();
  await measureCondition();
}

/** `--profile patch hooked` says where the threads spend their time instead. */
async function profile(quantity: string, name: string): Promise<void> {
  const { method, make } = REQUESTS.find((request) => request.quantity.startsWith(quantity))!;
  const type = NAMES.find((known) => known === name)!;
  await profileService(options, async (at) => {
    url = at;
    await fill(type);
    const result = await load(method, () => make(type), 8_000);
    console.log(JSON.stringify(result));
    return result;
  });
}

async function fill(name: Name): Promise<void> {
  await call(url, 'PUT', `managed/${name}/boss`, { userName: 'boss' });
  for (const id of ['r1', 'r2']) await call(url, 'PUT', `managed/${name}-role/${id}`, {});
  for (let n = 0; n < USERS; n += CLIENTS) {
    const batch = Array.from({ length: CLIENTS }, (_, index) => `user-${n + index}`);
    await Promise.all(batch.map((id) => call(url, 'PUT', `managed/${name}/${id}`, userOf(name, id))));
  }
}

function userOf(name: Name, id: string) {
  return {
    userName: id,
    mail: `${id}@example.com`,
    manager: { _ref: `managed/${name}/boss` },
    roles: ['r1', 'r2'].map((granted) => ({ _ref: `managed/${name}-role/${granted}` })),
  };
}

function anyId(): string {
  return `user-${Math.floor(Math.random() * USERS)}`;
}

type Make = (name: Name) => { readonly path: string; readonly body?: unknown };

async function measure(quantity: string, method: string, make: Make): Promise<void> {
  const contenders = (ms: number) => ({
    hooked: () => load(method, () => make('hooked'), ms),
    plain: () => load(method, () => make('plain'), ms),
  });
  await interleave(1, contenders(WARM_UP_MS));
  const rounds = await interleave(ROUNDS, contenders(ROUND_MS));
  const rates = (name: Name) => rounds[name].map(({ perSecond }) => perSecond);
  compare(
    { bench: BENCH, quantity, unit: 'requests/s', ours: rates('hooked') },
    'without hooks',
    rates('plain'),
  );
  for (const key of ['p50', 'p99'] as const) {
    const times = (name: Name) => rounds[name].map((result) => result[key]);
    const time = { bench: BENCH, quantity: `${quantity}, ${key}`, unit: 'ms', lessIsBetter: true };
    compare({ ...time, ours: times('hooked') }, 'without hooks', times('plain'));
  }
}

/** A page with all that it refers to, next to one statement that was written for it. */
async function measureExpansion(): Promise<void> {
  const child = scope.use(
    await startChild<PlainServerTask, string>('./plain-server.ts', { BENCH_DATABASE_URL: databaseUrl }),
  );
  const plainUrl = await child.ask({ kind: 'pg', body: '' });
  const page = REQUESTS.at(-1)!;
  const contenders = (ms: number) => ({
    ours: () => load('GET', () => page.make('plain'), ms),
    pg: () => load('GET', () => ({ path: 'managed/plain' }), ms, plainUrl),
  });
  await interleave(1, contenders(WARM_UP_MS));
  const rounds = await interleave(ROUNDS, contenders(ROUND_MS));
  const rates = (name: keyof typeof rounds) => rounds[name].map(({ perSecond }) => perSecond);
  const row = { bench: BENCH, quantity: page.quantity, unit: 'requests/s', ours: rates('ours') };
  compare(row, 'Hono + pg, one statement', rates('pg'));
}

/** Each client sends its next request when it has the answer to the last. */
async function load(method: string, make: () => ReturnType<Make>, ms: number, base = url) {
  const latency = new Latency();
  const startedAt = performance.now();
  let answered = 0;
  const client = async () => {
    while (performance.now() - startedAt < ms) {
      const { path, body } = make();
      const sentAt = performance.now();
      const response = await fetch(`${base}/svc/${path}`, {
        method,
        headers: { Authorization: AUTHORIZATION, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
      latency.add(performance.now() - sentAt);
      answered++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const seconds = (performance.now() - startedAt) / 1_000;
  return { perSecond: answered / seconds, p50: latency.percentile(0.5), p99: latency.percentile(0.99) };
}

async function measureCondition(): Promise<void> {
  await onServer(
    databaseUrl,
    `insert into managed_object (type, id, data)
     select 'plain', 'many-' || n, jsonb_build_object('userName', 'many' || n, 'department',
       case when n % 2 = 0 then 'even' else 'odd' end)
     from generate_series(1, ${MANY}) n;
     analyze managed_object`,
  );
  const set = async (condition: string) => {
    const startedAt = performance.now();
    await call(url, 'PATCH', 'managed/plain-role/r1', [
      { operation: 'add', field: '/condition', value: condition },
    ]);
    return (performance.now() - startedAt) / 1_000;
  };
  const figures = { grant: [] as number[], swap: [] as number[], revoke: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    figures.grant.push(await set('department eq "even" or department eq "odd"'));
    figures.swap.push(await set('department eq "odd"'));
    figures.revoke.push(await set('department eq "none"'));
  }
  const condition = { bench: BENCH, unit: 's' };
  report({ ...condition, quantity: `condition comes to fit ${MANY} users`, ours: figures.grant });
  report({ ...condition, quantity: `condition ceases to fit half of ${MANY}`, ours: figures.swap });
  report({ ...condition, quantity: `condition ceases to fit the other half`, ours: figures.revoke });
}
