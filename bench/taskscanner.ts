/**
 * Objects that a scan of 100,000 processes in a second, with a script that only answers true and with one that patches
 * the object, on one, two and four nodes; every object in a transaction of its own, claimed, run and completed exactly
 * once, which is checked. Next to the same work written by hand: one SQL loop over one connection, and graphile-worker
 * with one job for each object. Neither has hooks, policies, scripts or a record of what failed. Rates are taken over
 * some seconds in the middle of a scan, which is cancelled then. `--profile` profiles a node instead.
 */
import { makeWorkerUtils } from 'graphile-worker';
import { type Child, startChild } from './support/child.ts';
import type { GraphileScan } from './support/graphile-scan-node.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { profileService } from './support/profile-service.ts';
import { interleave } from './support/rounds.ts';
import { compare } from './support/row.ts';
import { fillItems, ITEM_TYPE, resetItems, scanFor } from './support/scan.ts';
import { loopOverObjects } from './support/scan-loop.ts';
import { createProject, startService } from './support/service.ts';
import { isQuick } from './support/settings.ts';

const BENCH = 'taskscanner';
const OBJECTS = isQuick ? 20_000 : 100_000;
const NODES = isQuick ? [1, 2] : [1, 2, 4];
const ROUNDS = isQuick ? 1 : 2;
const MS = isQuick ? 1_000 : 2_500;
/** `numberOfThreads` of the scan, and what a worker of the peer does at once. */
const THREADS = 16;
const SCRIPTS = {
  'a script that answers true': 'true;',
  'a script that patches the object':
    'svc.patch(objectID, null, [{ operation: "replace", field: "/seen", value: "yes" }]); true;',
};
type Worker = Child<GraphileScan | { readonly stop: true }, { readonly done: number }>;

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
const project = scope.use(await createProject(ITEM_TYPE));
await fillItems(databaseUrl, OBJECTS);
if (process.argv.includes('--profile')) await profile();
else await measure();

async function measure(): Promise<void> {
  const utils = await makeWorkerUtils({ connectionString: databaseUrl });
  await utils.migrate();
  await utils.release();
  const urls: string[] = [];
  const workers: Worker[] = [];
  for (const count of NODES) {
    while (urls.length < count) {
      const name = `bench-${urls.length + 1}`;
      urls.push(scope.use(await startService({ databaseUrl, project: project.location, name })).url);
      workers.push(
        scope.use(await startChild('./graphile-scan-node.ts', { BENCH_DATABASE_URL: databaseUrl })),
      );
    }
    for (const [title, source] of Object.entries(SCRIPTS)) {
      const patches = source.includes('patch');
      const contenders = {
        ours: () => scanFor({ databaseUrl, url: urls[0]!, source, threads: THREADS, ms: MS }),
        graphile: () => graphileFor(workers, patches),
      };
      const loop = { loop: () => loopFor(patches) };
      // The loop is one, however many nodes there are.
      const rounds =
        count === 1
          ? await interleave(ROUNDS, { ...contenders, ...loop })
          : { loop: undefined, ...(await interleave(ROUNDS, contenders)) };
      const quantity = `${title}, ${count} ${count === 1 ? 'node' : 'nodes'}`;
      const row = { bench: BENCH, quantity, unit: 'objects/s', ours: rounds.ours };
      compare(row, `graphile-worker, ${count} × ${THREADS}`, rounds.graphile);
      if (rounds.loop !== undefined) compare(row, 'one SQL loop', rounds.loop);
    }
  }
}

async function loopFor(patches: boolean): Promise<number> {
  const done = await loopOverObjects({ url: databaseUrl, ms: MS, patches });
  await resetItems(databaseUrl);
  return done / (MS / 1000);
}

/** There are more jobs than can be done in the time. */
async function graphileFor(workers: readonly Worker[], patches: boolean): Promise<number> {
  await onServer(
    databaseUrl,
    `select count(*) from graphile_worker.add_jobs(array(
       select row('object', to_json(id), null, null, null, null, null, null)::graphile_worker.job_spec
       from (select id from managed_object where type = 'item' limit ${MS * 6}) o))`,
  );
  const before = await countJobs();
  const startedAt = performance.now();
  await Promise.all(workers.map((worker) => worker.ask({ patches, concurrency: THREADS })));
  await new Promise((resolve) => setTimeout(resolve, MS));
  const done = before - (await countJobs());
  const seconds = (performance.now() - startedAt) / 1000;
  await Promise.all(workers.map((worker) => worker.ask({ stop: true })));
  await onServer(databaseUrl, 'truncate graphile_worker._private_jobs');
  await resetItems(databaseUrl);
  if (done === before) throw new Error('graphile-worker ran out of jobs');
  return done / seconds;
}

async function countJobs(): Promise<number> {
  const [row] = await onServer<{ n: number }>(
    databaseUrl,
    'select count(*)::int as n from graphile_worker._private_jobs',
  );
  return row!.n;
}

async function profile(): Promise<void> {
  const source = SCRIPTS['a script that answers true'];
  await profileService({ databaseUrl, project: project.location }, async (url) => {
    const perSecond = await scanFor({ databaseUrl, url, source, threads: THREADS, ms: 15_000 });
    return { perSecond };
  });
}
