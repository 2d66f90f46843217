/**
 * POST of a managed object by 64 clients, each of which waits for the answer to its last one: our whole server next to
 * Hono with one INSERT a request, by `pg` prepared and by Kysely. With `--profile` it says instead where the threads of
 * our server spend their time.
 */
import { startChild } from './support/child.ts';
import { type LoadResult, startLoadGenerator } from './support/load.ts';
import type { PlainServerKind, PlainServerTask } from './support/plain-server.ts';
import { createBenchDatabase } from './support/postgres.ts';
import { profileService } from './support/profile-service.ts';
import { interleave } from './support/rounds.ts';
import { compare } from './support/row.ts';
import { AUTHORIZATION, createProject, startService } from './support/service.ts';
import { fillUsers, sampleUser, USER_TYPE } from './support/users.ts';

const BENCH = 'creates';
const CLIENTS = 64;
const ROUNDS = 5;
const ROUND_MS = 2_500;
const WARM_UP_MS = 3_000;

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
await fillUsers(databaseUrl);
const { _id, _rev, ...user } = JSON.parse(await sampleUser(databaseUrl));
const project = scope.use(await createProject(USER_TYPE));
const generator = scope.use(await startLoadGenerator());

const options = { databaseUrl, project: project.location, environment: { SVC_ROLES: 'api' } };
if (process.argv.includes('--profile')) await profileService(options, (url) => load(url, 15_000));
else await measure();

async function measure(): Promise<void> {
  const service = scope.use(await startService(options));
  const servers = { ours: service.url, pg: await startPlain('pg'), kysely: await startPlain('kysely') };
  const contenders = (ms: number) => ({
    ours: () => load(servers.ours, ms),
    pg: () => load(servers.pg, ms),
    kysely: () => load(servers.kysely, ms),
  });
  await interleave(1, contenders(WARM_UP_MS));
  const rounds = await interleave(ROUNDS, contenders(ROUND_MS));

  const rates = (name: keyof typeof rounds) => rounds[name].map(({ perSecond }) => perSecond);
  const rate = { bench: BENCH, quantity: 'create', unit: 'requests/s', ours: rates('ours') };
  compare({ ...rate, goal: { atLeast: 2.5 } }, 'Hono + pg prepared', rates('pg'));
  compare(rate, 'Hono + Kysely', rates('kysely'));
  for (const key of ['p50Ms', 'p99Ms'] as const) {
    const times = (name: keyof typeof rounds) => rounds[name].map((result) => result[key]);
    const quantity = `create, ${key.slice(0, 3)}`;
    const time = { bench: BENCH, quantity, unit: 'ms', ours: times('ours'), lessIsBetter: true };
    compare({ ...time, goal: { atLeast: 1 } }, 'Hono + pg prepared', times('pg'));
  }
}

async function startPlain(kind: PlainServerKind): Promise<string> {
  const environment = { BENCH_DATABASE_URL: databaseUrl };
  const child = scope.use(await startChild<PlainServerTask, string>('./plain-server.ts', environment));
  return child.ask({ kind, body: '' });
}

function load(url: string, ms: number): Promise<LoadResult> {
  return generator.ask({
    url,
    method: 'POST',
    paths: ['/svc/managed/user'],
    headers: { Authorization: AUTHORIZATION },
    body: JSON.stringify(user),
    connections: CLIENTS,
    ms,
  });
}
