/** Reads users by id through `pg`, prepared, without any HTTP. */
import { openDatabase } from '#database/index.ts';
import { answerParent } from './child.ts';
import { Latency } from './latency.ts';
import type { LoadResult } from './load.ts';
import { USERS } from './users.ts';

export interface QueryLoopTask {
  readonly ms: number;
  /** Reads under way at once; they share ten connections. */
  readonly parallel: number;
}

const database = openDatabase({ url: process.env['BENCH_DATABASE_URL']!, prepares: true });

answerParent(async ({ ms, parallel }: QueryLoopTask): Promise<LoadResult> => {
  const latency = new Latency();
  const startedAt = performance.now();
  let count = 0;
  const read = async () => {
    for (let sentAt = startedAt; sentAt < startedAt + ms; sentAt = performance.now()) {
      await database.pool.query({
        name: 'find-user',
        text: 'select id, rev, data from managed_object where type = $1 and id = $2',
        values: ['user', `user-${1 + Math.floor(Math.random() * USERS)}`],
      });
      latency.add(performance.now() - sentAt);
      count++;
    }
  };
  await Promise.all(Array.from({ length: parallel }, read));
  const seconds = (performance.now() - startedAt) / 1000;
  return { perSecond: count / seconds, p50Ms: latency.percentile(0.5), p99Ms: latency.percentile(0.99) };
});
