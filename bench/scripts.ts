/**
 * Script evaluations a second: through the whole server (POST /script?_action=eval, 32 connections, with 1, 2 and
 * 4 script threads), and in the sandboxes of one thread without a server. A script is sent with each request, as
 * the specification has it, and reads real objects. With `--profile` it says instead where the threads of our
 * server spend their time while it evaluates the longer one.
 */
import { startChild } from './support/child.ts';
import { type LoadResult, startLoadGenerator } from './support/load.ts';
import type { PlainServerTask } from './support/plain-server.ts';
import { createBenchDatabase } from './support/postgres.ts';
import { profileService } from './support/profile-service.ts';
import { interleave } from './support/rounds.ts';
import { compare, report } from './support/row.ts';
import type { SandboxLoopTask } from './support/sandbox-loop.ts';
import { FIFTY_LINES, SCRIPT_OBJECT, SCRIPT_SAMPLES } from './support/script-samples.ts';
import { AUTHORIZATION, call, createProject, startService } from './support/service.ts';
import { fillUsers, USER_TYPE } from './support/users.ts';

const BENCH = 'scripts';
const THREADS = [1, 2, 4] as const;
const CONNECTIONS = 32;
const ROUNDS = 3;
const ROUND_MS = 2_000;
const EVAL = '/svc/script?_action=eval';

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
await fillUsers(databaseUrl);
const project = scope.use(await createProject(USER_TYPE));
const generator = scope.use(await startLoadGenerator());
const options = { databaseUrl, project: project.location, environment: { SVC_ROLES: 'api' } };
if (process.argv.includes('--profile')) {
  await profileService(options, (url) => load(url, FIFTY_LINES.source, 15_000));
} else {
  await measure();
}

async function measure(): Promise<void> {
  const sandboxes = scope.use(await startChild<SandboxLoopTask, number>('./sandbox-loop.ts'));
  const plain = scope.use(
    await startChild<PlainServerTask, string>('./plain-server.ts', { BENCH_DATABASE_URL: databaseUrl }),
  );
  const plainUrl = await plain.ask({ kind: 'static', body: '{"found":1}' });
  const services = new Map<number, string>();
  for (const threads of THREADS) {
    const service = await startService({
      ...options,
      name: `bench-${threads}`,
      environment: { ...options.environment, SVC_SCRIPT_THREADS: String(threads) },
    });
    services.set(threads, scope.use(service).url);
  }

  for (const { title, source } of SCRIPT_SAMPLES) {
    // Says what is wrong with a script, which the generator could not.
    await call(services.get(1)!, 'POST', 'script?_action=eval', evalBody(source));
    const contenders = (ms: number) => ({
      plain: () => rate(plainUrl, source, ms),
      sandbox: () => sandboxes.ask({ source, ms, parallel: 16 }),
      threads1: () => rate(services.get(1)!, source, ms),
      threads2: () => rate(services.get(2)!, source, ms),
      threads4: () => rate(services.get(4)!, source, ms),
    });
    await interleave(1, contenders(ROUND_MS));
    const rounds = await interleave(ROUNDS, contenders(ROUND_MS));
    report({
      bench: BENCH,
      quantity: `${title}: sandboxes of one thread`,
      unit: 'runs/s',
      ours: rounds.sandbox,
    });
    for (const threads of THREADS) {
      const quantity = `${title}: eval over HTTP, ${threads} script ${threads === 1 ? 'thread' : 'threads'}`;
      const row = { bench: BENCH, quantity, unit: 'requests/s', ours: rounds[`threads${threads}` as const] };
      compare(row, 'sandboxes of one thread', rounds.sandbox);
      if (threads === 4) compare(row, 'Hono, static body', rounds.plain);
    }
  }

  async function rate(url: string, source: string, ms: number): Promise<number> {
    return (await load(url, source, ms)).perSecond;
  }
}

function load(url: string, source: string, ms: number): Promise<LoadResult> {
  return generator.ask({
    url,
    method: 'POST',
    paths: [EVAL],
    headers: { Authorization: AUTHORIZATION },
    body: JSON.stringify(evalBody(source)),
    connections: CONNECTIONS,
    ms,
  });
}

function evalBody(source: string): object {
  return { type: 'text/javascript', source, object: SCRIPT_OBJECT };
}
