/**
 * GET of a managed object by its id, 32 connections: our whole server next to a bare Hono server with one static
 * body, to Hono with one query a request (`pg` prepared, and Kysely), and to the query alone. With `--profile` it
 * says instead where the threads of our server spend their time.
 */
import { startChild } from './support/child.ts';
import { type LoadResult, startLoadGenerator } from './support/load.ts';
import type { PlainServerKind, PlainServerTask } from './support/plain-server.ts';
import { createBenchDatabase } from './support/postgres.ts';
import { profileService } from './support/profile-service.ts';
import type { QueryLoopTask } from './support/query-loop.ts';
import { interleave } from './support/rounds.ts';
import { compare } from './support/row.ts';
import { AUTHORIZATION, createProject, startService } from './support/service.ts';
import { fillUsers, sampleUser, USER_PATHS, USER_TYPE } from './support/users.ts';

const BENCH = 'read-by-id';
const CONNECTIONS = 32;
const ROUNDS = 5;
const ROUND_MS = 2_500;
const WARM_UP_MS = 3_000;

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
await fillUsers(databaseUrl);
const body = await sampleUser(databaseUrl);
const project = scope.use(await createProject(USER_TYPE));
const generator = scope.use(await startLoadGenerator());

const options = { databaseUrl, project: project.location, environment: { SVC_ROLES: 'api' } };
if (process.argv.includes('--profile')) await profileService(options, (url) => load(url, 15_000));
else await measure();

async function measure(): Promise<void> {
  const service = scope.use(await startService(options));
  const environment = { BENCH_DATABASE_URL: databaseUrl };
  const queries = scope.use(await startChild<QueryLoopTask, LoadResult>('./query-loop.ts', environment));
  const servers = {
    ours: service.url,
    static: await startPlain('static'),
    pg: await startPlain('pg'),
    kysely: await startPlain('kysely'),
  };
  const contenders = (ms: number) => ({
    ours: () => load(servers.ours, ms),
    static: () => load(servers.static, ms),
    pg: () => load(servers.pg, ms),
    kysely: () => load(servers.kysely, ms),
    query: () => queries.ask({ ms, parallel: CONNECTIONS }),
  });
  await interleave(1, contenders(WARM_UP_MS));
  const rounds = await interleave(ROUNDS, contenders(ROUND_MS));

  const rates = (name: keyof typeof rounds) => rounds[name].map(({ perSecond }) => perSecond);
  const rate = { bench: BENCH, quantity: 'GET by id', unit: 'requests/s', ours: rates('ours') };
  compare({ ...rate, goal: { atLeast: 0.5 } }, 'Hono, static body', rates('static'));
  compare(rate, 'Hono + pg prepared', rates('pg'));
  compare({ ...rate, goal: { atLeast: 3 } }, 'Hono + Kysely', rates('kysely'));
  compare(rate, 'pg prepared, no HTTP', rates('query'));
  for (const [name, key] of [
    ['p50', 'p50Ms'],
    ['p99', 'p99Ms'],
  ] as const) {
    const times = (contender: keyof typeof rounds) => rounds[contender].map((result) => result[key]);
    const time = {
      bench: BENCH,
      quantity: `GET by id, ${name}`,
      unit: 'ms',
      ours: times('ours'),
      lessIsBetter: true,
    };
    compare(time, 'Hono, static body', times('static'));
    compare(time, 'Hono + Kysely', times('kysely'));
  }

  async function startPlain(kind: PlainServerKind): Promise<string> {
    const child = scope.use(await startChild<PlainServerTask, string>('./plain-server.ts', environment));
    return child.ask({ kind, body });
  }
}

function load(url: string, ms: number): Promise<LoadResult> {
  return generator.ask({
    url,
    method: 'GET',
    paths: USER_PATHS,
    headers: { Authorization: AUTHORIZATION },
    connections: CONNECTIONS,
    ms,
  });
}
