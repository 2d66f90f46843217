/**
 * Firings a second of a native service that does nothing: poller, claim, start, completion and ledger in one, two and
 * four processes. In the same rounds pgbench with the two statements of the product, word for word; and graphile-worker
 * and pg-boss in as many processes with jobs that do nothing, which are one-shot.
 */
import { openBoss, openGraphile } from './support/peers.ts';
import { findPgbench, runPgbench } from './support/pgbench.ts';
import { interleave } from './support/rounds.ts';
import { compare, remark } from './support/row.ts';
import { sameScript } from './support/same-script.ts';
import { checkTriggers, countFirings, earliestDue, settle } from './support/scheduler-load.ts';
import { openSchedulerSite } from './support/scheduler-site.ts';
import { isQuick } from './support/settings.ts';

const BENCH = 'scheduler';
const TRIGGERS = isQuick ? 20_000 : 100_000;
const ROUNDS = isQuick ? 1 : 2;
const SECONDS = 2;
const PROCESSES = [1, 2, 4];
const BATCH = 500;

await using scope = new AsyncDisposableStack();
const most = Math.max(...PROCESSES);
const site = scope.use(await openSchedulerSite(most));
const graphile = scope.use(await openGraphile(BENCH, most));
const boss = scope.use(await openBoss(BENCH, most));
const script = await sameScript();
const hasPgbench = findPgbench() !== undefined;
if (!hasPgbench) remark(BENCH, 'pgbench is not on the PATH, so it is not compared with');

await site.fill(TRIGGERS);
await site.fire(most, 1_000);
for (const processes of PROCESSES) await measure(processes);
await checkTriggers(site.url, TRIGGERS);

async function measure(processes: number): Promise<void> {
  const { ours, pgbench, ...peers } = await interleave(ROUNDS, {
    ours: () => site.fire(processes, SECONDS * 1000),
    pgbench: () => (hasPgbench ? firedByPgbench(processes) : Promise.resolve(Number.NaN)),
    graphile: () => graphile.work(processes, SECONDS * 1000),
    boss: () => boss.work(processes, SECONDS * 1000),
  });
  const measured = {
    bench: BENCH,
    quantity: `no-op service, ${processes} ${processes === 1 ? 'process' : 'processes'}`,
    unit: 'firings/s',
    ours,
  };
  if (hasPgbench) compare({ ...measured, goal: { atLeast: 0.75 } }, 'pgbench, same SQL', pgbench);
  compare({ ...measured, goal: { atLeast: 1 } }, 'graphile-worker, local queue 500', peers.graphile);
  compare({ ...measured, goal: { atLeast: 3 } }, 'pg-boss, batches of 1000', peers.boss);
}

async function firedByPgbench(clients: number): Promise<number> {
  await settle(site.url);
  const before = await countFirings(site.url);
  const { seconds } = await runPgbench({
    url: site.url,
    script,
    clients,
    seconds: SECONDS,
    variables: { batch: BATCH, watermark: await earliestDue(site.url) },
  });
  return ((await countFirings(site.url)) - before) / seconds;
}
