/**
 * GET of a managed object by its id: our whole server next to a bare Hono server with one static body, to Hono with one
 * query a request (`pg` prepared, and Kysely), and to the query alone.
 */
import { startChild } from './support/child.ts';
import type { LoadResult } from './support/load.ts';
import type { QueryLoopTask } from './support/query-loop.ts';
import { openRestBench } from './support/rest.ts';
import { compare } from './support/row.ts';
import { AUTHORIZATION } from './support/service.ts';
import { sampleUser, USER_PATHS } from './support/users.ts';

const BENCH = 'read-by-id';
const CONNECTIONS = 32;
const READ = { method: 'GET', paths: USER_PATHS, headers: { Authorization: AUTHORIZATION } } as const;

await using scope = new AsyncDisposableStack();
const bench = await openRestBench(scope, { connections: CONNECTIONS });
if (process.argv.includes('--profile')) await bench.profile(READ);
else await measure();

async function measure(): Promise<void> {
  const environment = { BENCH_DATABASE_URL: bench.databaseUrl };
  const queries = scope.use(await startChild<QueryLoopTask, LoadResult>('./query-loop.ts', environment));
  const ours = await bench.startOurs();
  const still = await bench.startPlain('static', await sampleUser(bench.databaseUrl));
  const pg = await bench.startPlain('pg');
  const kysely = await bench.startPlain('kysely');
  const rounds = await bench.measure({
    ours: (ms) => bench.load(ours, READ, ms),
    static: (ms) => bench.load(still, READ, ms),
    pg: (ms) => bench.load(pg, READ, ms),
    kysely: (ms) => bench.load(kysely, READ, ms),
    query: (ms) => queries.ask({ ms, parallel: CONNECTIONS }),
  });
  const rates = (name: keyof typeof rounds) => rounds[name].map(({ perSecond }) => perSecond);
  const rate = { bench: BENCH, quantity: 'GET by id', unit: 'requests/s', ours: rates('ours') };
  compare({ ...rate, goal: { atLeast: 0.5 } }, 'Hono, static body', rates('static'));
  compare({ ...rate, goal: { atLeast: 3 } }, 'Hono + Kysely', rates('kysely'));
  compare(rate, 'Hono + pg prepared', rates('pg'));
  compare(rate, 'pg prepared, no HTTP', rates('query'));
  for (const key of ['p50Ms', 'p99Ms'] as const) {
    const times = (name: keyof typeof rounds) => rounds[name].map((result) => result[key]);
    const quantity = `GET by id, ${key.slice(0, 3)}`;
    const time = { bench: BENCH, quantity, unit: 'ms', ours: times('ours'), lessIsBetter: true };
    compare(time, 'Hono, static body', times('static'));
    compare(time, 'Hono + Kysely', times('kysely'));
  }
}
