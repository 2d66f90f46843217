/** What the door itself costs: our pages next to Hono, with one static body and with the headers that every answer of ours has. */
import { startChild } from './support/child.ts';
import { startLoadGenerator } from './support/load.ts';
import type { PlainServerTask } from './support/plain-server.ts';
import { interleave } from './support/rounds.ts';
import { compare } from './support/row.ts';
import { ROUND_MS, ROUNDS, WARM_UP_MS } from './support/settings.ts';

const BODY = '{"state":"up"}';

await using scope = new AsyncDisposableStack();
const generator = scope.use(await startLoadGenerator());
const door = scope.use(await startChild<object, string>('./door-server.ts'));
const url = await door.ask({});
const bare = await startHono('static');
const safe = await startHono('secure');
const within = (ms: number) => ({
  door: () => load(url, '/health/live', ms),
  bare: () => load(bare, '/svc/x', ms),
  safe: () => load(safe, '/svc/x', ms),
});
await interleave(1, within(WARM_UP_MS));
const rounds = await interleave(ROUNDS, within(ROUND_MS));
const rates = (name: keyof typeof rounds) => rounds[name].map(({ perSecond }) => perSecond);
const rate = { bench: 'door', quantity: 'GET of a static page', unit: 'requests/s', ours: rates('door') };
compare(rate, 'Hono', rates('bare'));
compare({ ...rate, goal: { atLeast: 1 } }, 'Hono, same headers', rates('safe'));

async function startHono(kind: PlainServerTask['kind']): Promise<string> {
  const child = await startChild<PlainServerTask, string>('./plain-server.ts', {
    BENCH_DATABASE_URL: 'postgres://127.0.0.1/none',
  });
  return scope.use(child).ask({ kind, body: BODY });
}

function load(to: string, path: string, ms: number) {
  return generator.ask({ method: 'GET', url: to, paths: [path], headers: {}, connections: 32, ms });
}
