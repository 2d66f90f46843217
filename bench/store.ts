/**
 * A store of 1,000,000 objects: a query by an indexed property next to Hono with the same SQL by `pg`, a page far
 * behind next to the first one, and the memory of a node while all objects are paged through.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadResult } from './support/load.ts';
import { onServer } from './support/postgres.ts';
import { openRestBench } from './support/rest.ts';
import { compare, report } from './support/row.ts';
import { AUTHORIZATION, call } from './support/service.ts';
import { isQuick } from './support/settings.ts';

const BENCH = 'store';
const OBJECTS = isQuick ? 50_000 : 1_000_000;
const PAGE = 20;
/** Pages of the walk through everything. */
const WALK_PAGE = 1_000;
/** How far behind the second page to be measured is: page 10,000. */
const FAR = (isQuick ? 1_000 : 10_000) * PAGE;
const FIRST = `/svc/managed/user?_queryFilter=true&_pageSize=${PAGE}`;
const MB = 2 ** 20;

interface Page {
  readonly result: readonly object[];
  readonly pagedResultsCookie: string | null;
}

await using scope = new AsyncDisposableStack();
const bench = await openRestBench(scope, { users: OBJECTS, connections: 32 });
const url = await bench.startOurs();
await indexIsThere();
await measureFilter();
await measurePages(await measureWalk());

/** The node makes it, because the property is searchable. */
async function indexIsThere(): Promise<void> {
  const find = "select 1 from svc_index where property = '/userName' and ready";
  while ((await onServer(bench.databaseUrl, find)).length === 0) await delay(250);
  await onServer(bench.databaseUrl, 'analyze managed_object');
}

async function measureFilter(): Promise<void> {
  const pg = await bench.startPlain('pg');
  const paths = Array.from({ length: 20_000 }, () => {
    const name = `user${1 + Math.floor(Math.random() * OBJECTS)}`;
    return `/svc/managed/user?_pageSize=${PAGE}&_queryFilter=${encodeURIComponent(`userName eq "${name}"`)}`;
  });
  const rounds = await bench.measure({
    ours: (ms) => load(url, paths, ms),
    pg: (ms) => load(pg, paths, ms),
  });
  const rates = (name: keyof typeof rounds) => rounds[name].map(({ perSecond }) => perSecond);
  const quantity = `filter by an indexed property of ${OBJECTS.toLocaleString('en')} objects`;
  const row = { bench: BENCH, quantity, unit: 'requests/s', ours: rates('ours'), goal: { atLeast: 0.7 } };
  compare(row, 'Hono + pg, same SQL', rates('pg'));
}

/** @returns the cookie of the page that lies far behind */
async function measureWalk(): Promise<string> {
  const startedAt = performance.now();
  const before = await residentBytes();
  const memory: number[] = [];
  let seen = 0;
  let far = '';
  let next: string | null = '';
  while (next !== null) {
    const from: string = next === '' ? '' : `&_pagedResultsCookie=${next}`;
    const path = `managed/user?_queryFilter=true&_pageSize=${WALK_PAGE}${from}`;
    const page = (await call(url, 'GET', path)) as Page;
    seen += page.result.length;
    next = page.pagedResultsCookie;
    if (seen === FAR) far = next!;
    if (seen % (OBJECTS / 20) === 0) memory.push(await residentBytes());
  }
  if (seen !== OBJECTS) throw new Error(`${seen} of ${OBJECTS} objects were seen`);
  const seconds = (performance.now() - startedAt) / 1_000;
  const walk = { bench: BENCH, unit: 'MB', lessIsBetter: true };
  const quantity = `RSS while ${OBJECTS.toLocaleString('en')} objects are paged through`;
  const [early, late] = [memory.slice(2, 7), memory.slice(-5)];
  report({ ...walk, quantity: 'RSS before all objects are paged through', ours: [before / MB] });
  compare(
    { ...walk, quantity, ours: late.map((bytes) => bytes / MB), goal: { atLeast: 0.83 } },
    'when it had begun',
    early.map((bytes) => bytes / MB),
  );
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
  const rounds = await bench.measure({
    far: (ms) => load(url, [`${FIRST}&_pagedResultsCookie=${farCookie}`], ms),
    first: (ms) => load(url, [FIRST], ms),
  });
  const rates = (name: keyof typeof rounds) => rounds[name].map(({ perSecond }) => perSecond);
  const quantity = `page ${(FAR / PAGE).toLocaleString('en')} of ${PAGE}`;
  const row = { bench: BENCH, quantity, unit: 'requests/s', ours: rates('far'), goal: { atLeast: 0.8 } };
  compare(row, 'page 1', rates('first'));
}

function load(server: string, paths: readonly string[], ms: number): Promise<LoadResult> {
  return bench.load(server, { method: 'GET', paths, headers: { Authorization: AUTHORIZATION } }, ms);
}
