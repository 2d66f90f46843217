/**
 * Objects that a scan processes in a second, with a script that only answers true and with one that patches the object,
 * on one, two and four nodes; every object in a transaction of its own, claimed, run and completed exactly once, which
 * is checked. Next to the same work written by hand: one SQL loop over one connection, and graphile-worker with one job
 * for each object. Neither has hooks, policies, scripts or a record of what failed.
 *
 * `--memory` scans a million objects on one node instead and reports how its memory grows.
 */
import { readFileSync } from 'node:fs';
import { makeWorkerUtils } from 'graphile-worker';
import { startChild } from './support/child.ts';
import type { GraphileScan } from './support/graphile-scan-node.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { compare, remark, report } from './support/row.ts';
import { loopOverObjects } from './support/scan-loop.ts';
import { call, createProject, type Service, startService } from './support/service.ts';

const BENCH = 'taskscanner';
const number = (flag: string, otherwise: number) => {
  const at = process.argv.indexOf(flag);
  return at === -1 ? otherwise : Number(process.argv[at + 1]);
};
const quick = process.argv.includes('--quick');
const OBJECTS = number('--objects', quick ? 2_000 : 10_000);
const NODES = process.argv.includes('--nodes') ? [number('--nodes', 1)] : quick ? [1, 2] : [1, 2, 4];
const THREADS = 16;
const SCRIPTS = {
  'a script that answers true': 'true;',
  'a script that patches the object':
    'svc.patch(objectID, null, [{ operation: "replace", field: "/seen", value: "yes" }]); true;',
};

await using scope = new AsyncDisposableStack();
const { url } = scope.use(await createBenchDatabase());
const project = scope.use(await createProject({ 'conf/managed.json': { objects: [{ name: 'item' }] } }));
if (process.argv.includes('--memory')) await measureMemory();
else await measureRates();

async function fill(objects: number): Promise<void> {
  await onServer(
    url,
    `truncate managed_object, scan_run cascade;
     insert into managed_object (type, id, data)
     select 'item', 'item-' || n, jsonb_build_object('n', n, 'name', 'Name ' || n, 'text', repeat('x', 200))
     from generate_series(1, ${objects}) n`,
  );
  await onServer(url, 'vacuum analyze managed_object');
}

async function startNodes(count: number): Promise<AsyncDisposable & { readonly first: Service }> {
  const stack = new AsyncDisposableStack();
  const services = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      startService({
        databaseUrl: url,
        project: project.location,
        name: `bench-${n}`,
        environment: { SVC_SCRIPT_THREADS: '2' },
      }),
    ),
  );
  for (const service of services) stack.use(service);
  return { first: services[0]!, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** @returns objects a second, from start to end of the run */
async function scan(node: Service, source: string, objects: number): Promise<number> {
  const { _id } = (await call(node.url, 'POST', 'taskscanner?_action=execute', {
    numberOfThreads: THREADS,
    waitForCompletion: true,
    scan: {
      object: 'managed/item',
      _queryFilter: '!(/completed pr)',
      taskState: { started: '/started', completed: '/completed' },
    },
    task: { script: { type: 'text/javascript', source } },
  })) as { _id: string };
  const [run] = await onServer<{ state: string; successes: number; seconds: number }>(
    url,
    `select state, successes::int, extract(epoch from ended_at - started_at)::float8 as seconds
     from svc_scan_run where id = '${_id}'`,
  );
  if (run?.state !== 'COMPLETED' || run.successes !== objects) throw new Error(JSON.stringify(run));
  return objects / run.seconds;
}

async function measureRates(): Promise<void> {
  for (const [quantity, source] of Object.entries(SCRIPTS)) {
    const patches = source.includes('patch');
    const byHand = await measureLoop(patches);
    for (const count of NODES) {
      const ours = await measureNodes(count, source);
      const measured = {
        bench: BENCH,
        quantity: `${quantity}, ${count} ${count === 1 ? 'node' : 'nodes'}`,
        unit: 'objects/s',
        ours: [ours],
      };
      compare(measured, 'one SQL loop', [byHand]);
      compare(measured, `graphile-worker, ${count} × ${THREADS}`, [await measureGraphile(count, patches)]);
    }
  }
}

async function measureNodes(count: number, source: string): Promise<number> {
  await fill(OBJECTS);
  await using nodes = await startNodes(count);
  // Scripts are compiled and connections are open before anything is counted.
  await call(nodes.first.url, 'GET', 'taskscanner');
  // Awaited, because the nodes stop when this function returns.
  return await scan(nodes.first, source, OBJECTS);
}

async function measureLoop(patches: boolean): Promise<number> {
  await fill(OBJECTS);
  return OBJECTS / ((await loopOverObjects({ url, objects: OBJECTS, patches })) / 1000);
}

async function measureGraphile(count: number, patches: boolean): Promise<number> {
  await fill(OBJECTS);
  const utils = await makeWorkerUtils({ connectionString: url });
  await utils.migrate();
  await utils.release();
  await using own = new AsyncDisposableStack();
  const workers = [];
  for (let n = 0; n < count; n++) {
    workers.push(
      own.use(
        await startChild<GraphileScan | { stop: true }, { done: number }>('./graphile-scan-node.ts', {
          BENCH_DATABASE_URL: url,
        }),
      ),
    );
  }
  const startedAt = performance.now();
  // One job for each object, as one statement: what a scan does page by page is part of the time.
  await onServer(
    url,
    `select count(*) from graphile_worker.add_jobs(array(
       select row('object', to_json(id), null, null, null, null, null, null)::graphile_worker.job_spec
       from managed_object where type = 'item'))`,
  );
  await Promise.all(workers.map((worker) => worker.ask({ patches, concurrency: THREADS })));
  for (;;) {
    const [left] = await onServer<{ left: number }>(
      url,
      'select count(*)::int as left from graphile_worker.jobs',
    );
    if (left!.left === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await Promise.all(workers.map((worker) => worker.ask({ stop: true })));
  return OBJECTS / seconds;
}

async function measureMemory(): Promise<void> {
  const objects = number('--objects', 1_000_000);
  await fill(objects);
  await using nodes = await startNodes(1);
  const pid = nodeProcess();
  const sizes: number[] = [];
  const timer = setInterval(() => sizes.push(residentMb(pid)), 1_000);
  const rate = await scan(nodes.first, 'true;', objects);
  clearInterval(timer);
  const part = (from: number, to: number) =>
    sizes.slice(Math.floor(sizes.length * from), Math.ceil(sizes.length * to)).sort((a, b) => a - b);
  const middle = (list: number[]) => list[Math.floor(list.length / 2)] ?? 0;
  remark(
    BENCH,
    `${objects} objects on one node: ${Math.round(rate)} objects/s, at most ${Math.max(...sizes)} MB`,
  );
  report({
    bench: BENCH,
    quantity: `resident memory in the last tenth of ${objects} objects, as a multiple of the second`,
    unit: '×',
    ours: [middle(part(0.9, 1)) / middle(part(0.1, 0.2))],
    goal: { atMost: 1.2 },
  });
}

function nodeProcess(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .trim()
    .split(' ');
  return Number(children.at(-1));
}

function residentMb(pid: number): number {
  return Math.round(
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
  );
}
