/**
 * What user interfaces ask for, over HTTP, among 100,000 users, schedules, tasks, firings and entries of the audit, with `--full` among
 * 1,000,000, and 5,000,000 firings: pages of 50, search, the state of the cluster; and how far behind its commit an event is heard.
 */
import { fillEverything, fillHistory, LISTED_PROCESS } from './support/growth-fill.ts';
import { Latency } from './support/latency.ts';
import { createBenchDatabase } from './support/postgres.ts';
import { report } from './support/row.ts';
import { AUTHORIZATION, call, createProject, startService } from './support/service.ts';
import { isFull, isQuick } from './support/settings.ts';

const BENCH = 'lists';
const COUNT = isQuick ? 20_000 : isFull ? 1_000_000 : 100_000;
const FIRINGS = isFull ? 5 * COUNT : COUNT;
/** What is slower than any goal is asked less often: the bench ends, whatever it finds. */
const MOST_MS = 15_000;
const ASKED = isQuick ? 10 : 50;
const CHANGES = isQuick ? 10 : 100;
const searchable = { type: 'string', searchable: true };
const USER_TYPE = {
  'conf/managed.json': {
    objects: [
      {
        name: 'user',
        schema: {
          type: 'object',
          order: ['userName', 'sn', 'mail'],
          properties: { userName: searchable, givenName: searchable, sn: searchable, mail: searchable },
        },
      },
    ],
  },
};

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
const project = scope.use(await createProject(USER_TYPE));
{
  // Makes the schema and the indexes of the type.
  await using service = await startService({ databaseUrl, project: project.location });
  const file = { name: 'listed.bpmn20.xml', content: LISTED_PROCESS };
  await call(service.url, 'POST', 'workflow/deployment?_action=deploy', file);
}
await fillEverything(databaseUrl, COUNT, { firings: FIRINGS });
await fillHistory(databaseUrl, COUNT);
const { url } = scope.use(await startService({ databaseUrl, project: project.location }));

const filtered = (path: string, filter: string, more = '') =>
  `${path}?_queryFilter=${encodeURIComponent(filter)}&_pageSize=50${more}`;
const byName = (path: string) => (parameters: string) =>
  `${path}?_queryId=filtered-query&_pageSize=50&${parameters}`;
const tasks = byName('workflow/taskinstance');
const instances = byName('workflow/processinstance');
const lists: Readonly<Record<string, (n: number) => string>> = {
  'users, by id': () => filtered('managed/user', 'true', '&_sortKeys=_id'),
  'users, by name': () => filtered('managed/user', 'true', '&_sortKeys=userName'),
  'users by the beginning of a name': (n) =>
    filtered('managed/user', `userName sw "user${n}"`, '&_sortKeys=userName'),
  'users by one of two names': (n) =>
    filtered('managed/user', `userName eq "user${n}" or mail eq "user${n + 7}@example.com"`),
  'users by name, with an estimate of how many': () =>
    filtered('managed/user', 'true', '&_sortKeys=userName&_totalPagedResultsPolicy=ESTIMATE'),
  'search for a name': (n) => `search?q=user${n}`,
  'schedules, by id': () => filtered('scheduler/job', 'true', '&_sortKeys=_id'),
  'firings, newest first': () => filtered('scheduler/firing', 'true', '&_sortKeys=-plannedAt'),
  'firings of a schedule, newest first': (n) =>
    filtered('scheduler/firing', `schedule eq "job-${1 + n}"`, '&_sortKeys=-plannedAt'),
  'entries of the audit, newest first': () => filtered('audit/activity', 'true', '&_sortKeys=-timestamp'),
  'entries of the audit of an object': (n) =>
    filtered('audit/activity', `objectId eq "managed/user/user-${n + 1}"`, '&_sortKeys=-timestamp'),
  'tasks, newest first': () => tasks('_sortKeys=-createTime'),
  'tasks of somebody': (n) => tasks(`assignee=user-${n}`),
  'processes under way, newest first': () => instances('_sortKeys=-startTime'),
  'all of the audit, newest first': () => filtered('audit/_all', 'true', '&_sortKeys=-timestamp'),
};
const amount = `${COUNT.toLocaleString('en')} of each${isFull ? ', and five times as many firings' : ''}`;
for (const [what, pathOf] of Object.entries(lists)) await measure(`${what}, of ${amount}`, pathOf, 300);
await measure(`the state of the cluster, ${amount}`, () => 'status', 50);
await measureEvents();

async function measure(quantity: string, pathOf: (n: number) => string, atMost: number): Promise<void> {
  await call(url, 'GET', pathOf(ASKED));
  const latency = new Latency();
  const begun = performance.now();
  for (let n = 0; n < ASKED && performance.now() - begun < MOST_MS; n++) {
    const sentAt = performance.now();
    await call(url, 'GET', pathOf(n));
    latency.add(performance.now() - sentAt);
  }
  for (const share of [0.5, 0.99]) {
    const ours = [latency.percentile(share)];
    const row = { bench: BENCH, unit: 'ms', lessIsBetter: true, goal: { atMost } };
    report({ ...row, quantity: `${quantity}, p${share * 100}`, ours });
  }
}

/** From the answer to a change until a client that listens has heard of it; the answer is sent after the commit. */
async function measureEvents(): Promise<void> {
  const abort = new AbortController();
  const stream = await fetch(`${url}/svc/events?topics=object:user`, {
    headers: { Authorization: AUTHORIZATION },
    signal: abort.signal,
  });
  const heard = new Map<string, number>();
  const listening = hear(stream, heard).catch((error: unknown) => {
    if (!abort.signal.aborted) throw error;
  });
  const latency = new Latency();
  for (let n = 1; n <= CHANGES; n++) {
    const id = `user-${n}`;
    await call(url, 'PATCH', `managed/user/${id}`, [
      { operation: 'replace', field: '/sn', value: `Changed ${n}` },
    ]);
    const answeredAt = performance.now();
    while (!heard.has(id)) await new Promise((resolve) => setTimeout(resolve, 1));
    latency.add(Math.max(heard.get(id)! - answeredAt, 0.001));
  }
  abort.abort();
  await listening;
  for (const share of [0.5, 0.99]) {
    const quantity = `from the answer to a change until it is heard of, p${share * 100}`;
    const ours = [latency.percentile(share)];
    report({ bench: BENCH, quantity, unit: 'ms', lessIsBetter: true, ours, goal: { atMost: 100 } });
  }
}

async function hear(stream: Response, heard: Map<string, number>): Promise<void> {
  let text = '';
  for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
    const at = performance.now();
    text += chunk;
    for (const [, id] of text.matchAll(/"resource":"managed\/user\/([^"]+)"/g))
      if (!heard.has(id!)) heard.set(id!, at);
    text = text.slice(text.lastIndexOf('\n') + 1);
  }
}
