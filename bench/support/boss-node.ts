/** One process of pg-boss that fetches and completes batches of 1000 as fast as it can. */
import { PgBoss } from 'pg-boss';
import { answerParent } from './child.ts';
import type { PeerTask } from './graphile-node.ts';

const BATCH = 1_000;

answerParent(async ({ ms }: PeerTask): Promise<{ done: number }> => {
  const boss = new PgBoss({
    connectionString: process.env['BENCH_DATABASE_URL']!,
    supervise: false,
    schedule: false,
  });
  boss.on('error', () => {});
  await boss.start();
  let done = 0;
  const until = performance.now() + ms;
  while (performance.now() < until) {
    const jobs = await boss.fetch('none', { batchSize: BATCH });
    if (jobs.length === 0) break;
    await boss.complete(
      'none',
      jobs.map(({ id }) => id),
    );
    done += jobs.length;
  }
  await boss.stop({ graceful: false });
  return { done };
});
