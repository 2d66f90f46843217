/**
 * A store of 1,000,000 objects: a query by an indexed property next to Hono with the same SQL by `pg`, a page far
 * behind next to the first one, and the memory of a node while all objects are paged through.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from './support/child.ts';
import { type LoadResult, startLoadGenerator } from './support/load.ts';
import type { PlainServerTask } from './support/plain-server.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { interleave } from './support/rounds.ts';
import { compare, report } from './support/row.ts';
import { AUTHORIZATION, call, createProject, startService } from './support/service.ts';
import { fillUsers, USER_TYPE } from './support/users.ts';

const BENCH = 'store';
const OBJECTS = 1_000_000;
const CONNECTIONS = 32;
const ROUNDS = 5;
const ROUND_MS = 2_500;
const WARM_UP_MS = 2_000;
const PAGE = 20;
/** Pages of the walk through everything. */
const WALK_PAGE = 1_000;
/** How far behind the second page to be measured is: page 10,000. */
const FAR = 10_000 * PAGE;

interface Page {
  readonly result: readonly object[];
  readonly pagedResultsCookie: string | null;
}

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
await fillUsers(databaseUrl, OBJECTS);
const project = scope.use(await createProject(USER_TYPE));
const generator = scope.use(await startLoadGenerator());
const environment = { SVC_ROLES: 'api' };
const { url } = scope.use(await startService({ databaseUrl, project: project.location, environment }));
await indexIsThere();
await measureFilter();
const cookie = await measureWalk();
await measurePages(cookie);

/** The node makes it, because the property is searchable. */
async function indexIsThere(): Promise<void> {
  const find = "select 1 from svc_index where property = '/userName' and ready";
  while ((await onServer(databaseUrl, find)).length === 0) await sleep(250);
  await onServer(databaseUrl, 'analyze managed_object');
}

async function measureFilter(): Promise<void> {
  const child = scope.use(
    await startChild<PlainServerTask, string>('./plain-server.ts', { BENCH_DATABASE_URL: databaseUrl }),
  );
  const servers = { ours: url, pg: await child.ask({ kind: 'pg', body: '' }) };
  const paths = Array.from({ length: 20_000 }, () => {
    const name = `user${1 + Math.floor(Math.random() * OBJECTS)}`;
    return `/svc/managed/user?_pageSize=${PAGE}&_queryFilter=${encodeURIComponent(`userName eq "${name}"`)}`;
  });
  const rounds = await measure((ms) => ({
    ours: () => load(servers.ours, paths, ms),
    pg: () => load(servers.pg, paths, ms),
  }));
  compare(
    {
      bench: BENCH,
      quantity: 'filter by an indexed property',
      unit: 'requests/s',
      ours: rounds.ours.map(({ perSecond }) => perSecond),
      goal: { atLeast: 0.7 },
    },
    'Hono + pg, same SQL',
    rounds.pg.map(({ perSecond }) => perSecond),
  );
}

/** @returns the cookie of the page that lies far behind */
async function measureWalk(): Promise<string> {
  const startedAt = performance.now();
  const memory = [await residentBytes()];
  let seen = 0;
  let far = '';
  let next: string | null = '';
  while (next !== null) {
    const from: string = next === '' ? '' : `&_pagedResultsCookie=${next}`;
    const page = (await call(
      url,
      'GET',
      `managed/user?_queryFilter=true&_pageSize=${WALK_PAGE}${from}`,
    )) as Page;
    seen += page.result.length;
    next = page.pagedResultsCookie;
    if (seen === FAR) far = next!;
    if (seen % (OBJECTS / 20) === 0) memory.push(await residentBytes());
  }
  if (seen !== OBJECTS) throw new Error(`${seen} of ${OBJECTS} objects were seen`);
  const megabytes = (bytes: number) => bytes / 2 ** 20;
  const walk = { bench: BENCH, unit: 'MB', lessIsBetter: true };
  report({ ...walk, quantity: 'RSS before all objects are paged through', ours: [megabytes(memory[0]!)] });
  report({ ...walk, quantity: 'RSS while they are', ours: memory.slice(1).map(megabytes) });
  const seconds = (performance.now() - startedAt) / 1_000;
  report({ bench: BENCH, quantity: 'paged through', unit: 'objects/s', ours: [OBJECTS / seconds] });
  return far;
}

async function residentBytes(): Promise<number> {
  const { nonHeapMemoryUsage } = (await call(url, 'GET', 'health/memory')) as {
    nonHeapMemoryUsage: { committed: number };
  };
  return nonHeapMemoryUsage.committed;
}

async function measurePages(farCookie: string): Promise<void> {
  const first = `/svc/managed/user?_queryFilter=true&_pageSize=${PAGE}`;
  const rounds = await measure((ms) => ({
    far: () => load(url, [`${first}&_pagedResultsCookie=${farCookie}`], ms),
    first: () => load(url, [first], ms),
  }));
  compare(
    {
      bench: BENCH,
      quantity: `page ${FAR / PAGE} of ${PAGE}`,
      unit: 'requests/s',
      ours: rounds.far.map(({ perSecond }) => perSecond),
      goal: { atLeast: 0.8 },
    },
    'page 1',
    rounds.first.map(({ perSecond }) => perSecond),
  );
}

async function measure<Name extends string>(
  contenders: (ms: number) => Readonly<Record<Name, () => Promise<LoadResult>>>,
) {
  await interleave(1, contenders(WARM_UP_MS));
  return interleave(ROUNDS, contenders(ROUND_MS));
}

function load(server: string, paths: readonly string[], ms: number): Promise<LoadResult> {
  const headers = { Authorization: AUTHORIZATION };
  return generator.ask({ url: server, method: 'GET', paths, headers, connections: CONNECTIONS, ms });
}
