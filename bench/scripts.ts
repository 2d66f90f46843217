/**
 * Script evaluations a second: through the whole server (POST /script?_action=eval, 32 connections, with 1, 2 and 4
 * script threads), and in the sandboxes of one thread without a server. A script is sent with each request, as the
 * specification has it, and reads real objects.
 */
import { startChild } from './support/child.ts';
import type { LoadResult } from './support/load.ts';
import { openRestBench } from './support/rest.ts';
import { compare, report } from './support/row.ts';
import type { SandboxLoopTask } from './support/sandbox-loop.ts';
import { FIFTY_LINES, SCRIPT_OBJECT, SCRIPT_SAMPLES } from './support/script-samples.ts';
import { AUTHORIZATION, call } from './support/service.ts';

const BENCH = 'scripts';
const THREADS = [1, 2, 4] as const;

await using scope = new AsyncDisposableStack();
const bench = await openRestBench(scope, { connections: 32 });
if (process.argv.includes('--profile')) await bench.profile(evalOf(FIFTY_LINES.source));
else await measure();

async function measure(): Promise<void> {
  const sandboxes = scope.use(await startChild<SandboxLoopTask, number>('./sandbox-loop.ts'));
  const plain = await bench.startPlain('static', '{"found":1}');
  const [one, two, four] = [await startThreads(1), await startThreads(2), await startThreads(4)];
  for (const { title, source } of SCRIPT_SAMPLES) {
    // Says what is wrong with a script, which the generator could not.
    await call(one, 'POST', 'script?_action=eval', bodyOf(source));
    const request = evalOf(source);
    const rounds = await bench.measure({
      plain: (ms) => bench.load(plain, request, ms),
      sandbox: async (ms): Promise<LoadResult> => {
        const perSecond = await sandboxes.ask({ source, ms, parallel: 16 });
        return { perSecond, p50Ms: 0, p99Ms: 0 };
      },
      threads1: (ms) => bench.load(one, request, ms),
      threads2: (ms) => bench.load(two, request, ms),
      threads4: (ms) => bench.load(four, request, ms),
    });
    const rates = (name: keyof typeof rounds) => rounds[name].map(({ perSecond }) => perSecond);
    const quantity = `${title}: sandboxes of one thread`;
    report({ bench: BENCH, quantity, unit: 'runs/s', ours: rates('sandbox') });
    for (const threads of THREADS) {
      const over = `${title}: eval over HTTP, ${threads} script ${threads === 1 ? 'thread' : 'threads'}`;
      const row = { bench: BENCH, quantity: over, unit: 'requests/s', ours: rates(`threads${threads}`) };
      compare(row, 'sandboxes of one thread', rates('sandbox'));
      if (threads === 4) compare(row, 'Hono, static body', rates('plain'));
    }
  }
}

function startThreads(threads: number): Promise<string> {
  return bench.startOurs({ SVC_SCRIPT_THREADS: String(threads) });
}

function evalOf(source: string) {
  return {
    method: 'POST',
    paths: ['/svc/script?_action=eval'],
    headers: { Authorization: AUTHORIZATION },
    body: JSON.stringify(bodyOf(source)),
  } as const;
}

function bodyOf(source: string): object {
  return { type: 'text/javascript', source, object: SCRIPT_OBJECT };
}
