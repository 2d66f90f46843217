import { makeWorkerUtils } from 'graphile-worker';
import { PgBoss } from 'pg-boss';
import { type Child, startChild } from './child.ts';
import type { PeerTask } from './graphile-node.ts';
import { createBenchDatabase, onServer } from './postgres.ts';
import { remark } from './row.ts';

/** Processes of another queue, each with jobs that do nothing, in a database of their own. */
export interface Peer extends AsyncDisposable {
  /** @returns jobs a second, of so many processes together */
  work(processes: number, ms: number): Promise<number>;
}

export function openGraphile(bench: string, processes: number): Promise<Peer> {
  return openPeer(bench, './graphile-node.ts', processes, async (url, jobs) => {
    const utils = await makeWorkerUtils({ connectionString: url });
    await utils.migrate();
    await utils.release();
    await onServer(
      url,
      `select count(*) from graphile_worker.add_jobs(array(
         select row('none', '{}', null, null, null, null, null, null)::graphile_worker.job_spec
         from generate_series(1, ${jobs})))`,
    );
  });
}

export function openBoss(bench: string, processes: number): Promise<Peer> {
  return openPeer(bench, './boss-node.ts', processes, async (url, jobs) => {
    const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
    await boss.start();
    await boss.createQueue('none');
    for (let left = jobs; left > 0; left -= 10_000) {
      const batch = Array.from({ length: Math.min(left, 10_000) }, () => ({ data: {} }));
      await boss.insert('none', batch);
    }
    await boss.stop({ graceful: false });
  });
}

/** More than any of them has done a second, for each of its rounds. */
const JOBS_PER_MS = 50;

async function openPeer(
  bench: string,
  file: string,
  processes: number,
  enqueue: (url: string, jobs: number) => Promise<void>,
): Promise<Peer> {
  await using scope = new AsyncDisposableStack();
  const { url } = scope.use(await createBenchDatabase());
  const peers: Child<PeerTask, { done: number }>[] = [];
  while (peers.length < processes) {
    peers.push(scope.use(await startChild(file, { BENCH_DATABASE_URL: url })));
  }
  let left = 0;
  const kept = scope.move();
  return {
    async work(count, ms) {
      const needed = JOBS_PER_MS * ms;
      if (left < needed) {
        await enqueue(url, needed - left);
        left = needed;
      }
      await onServer(url, 'vacuum analyze');
      const results = await Promise.all(peers.slice(0, count).map((peer) => peer.ask({ ms })));
      const done = results.reduce((sum, result) => sum + result.done, 0);
      left -= done;
      if (left <= 0) remark(bench, `${file} ran out of its jobs: its rate is a lower bound`);
      return done / (ms / 1000);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
