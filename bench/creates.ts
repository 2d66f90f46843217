/**
 * POST of a managed object by 64 clients, each of which waits for the answer to its last one: our whole server next to
 * Hono with one INSERT a request, by `pg` prepared and by Kysely.
 */
import { NUMBER } from './support/load.ts';
import { openRestBench } from './support/rest.ts';
import { compare } from './support/row.ts';
import { AUTHORIZATION } from './support/service.ts';
import { sampleUser } from './support/users.ts';

const BENCH = 'creates';

await using scope = new AsyncDisposableStack();
const bench = await openRestBench(scope, { connections: 64 });
const { _id, _rev, ...user } = JSON.parse(await sampleUser(bench.databaseUrl));
const create = {
  method: 'POST',
  paths: ['/svc/managed/user'],
  headers: { Authorization: AUTHORIZATION },
  body: JSON.stringify({ ...user, userName: `user-${NUMBER}` }),
} as const;
if (process.argv.includes('--profile')) await bench.profile(create);
else await measure();

async function measure(): Promise<void> {
  const ours = await bench.startOurs();
  const pg = await bench.startPlain('pg');
  const kysely = await bench.startPlain('kysely');
  const rounds = await bench.measure({
    ours: (ms) => bench.load(ours, create, ms),
    pg: (ms) => bench.load(pg, create, ms),
    kysely: (ms) => bench.load(kysely, create, ms),
  });
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
