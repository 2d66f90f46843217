/**
 * Firings a second that claimers in processes of their own claim and complete, without running anything: our
 * claim statement from Node, next to pgbench with the same statements on the same tables. What one round fired is
 * read from the tables, for both alike, and at the end every trigger must be there once.
 */
import { type Child, startChild } from './support/child.ts';
import type { ClaimerResult, ClaimerTask } from './support/claimer.ts';
import { findPgbench, runPgbench } from './support/pgbench.ts';
import { createBenchDatabase } from './support/postgres.ts';
import { interleave } from './support/rounds.ts';
import { compare, type Measured, remark, report } from './support/row.ts';
import {
  type CompletionShape,
  checkTriggers,
  claimScript,
  countFirings,
  earliestDue,
  fillScheduler,
  settle,
} from './support/scheduler-load.ts';

const BENCH = 'claims';
const quick = process.argv.includes('--quick');
const TRIGGERS = quick ? 50_000 : 200_000;
const ROUNDS = quick ? 1 : 2;
const SECONDS = 1;
const CLAIMERS = quick ? [1, 4] : [1, 2, 4];
const BATCHES = quick ? [1, 500] : [1, 100, 500];
/** The goal is set for large batches; a claim of one is bound by the disk, whoever sends it. */
const GOAL = { atLeast: 0.75 };

await using scope = new AsyncDisposableStack();
const { url } = scope.use(await createBenchDatabase());
await fillScheduler(url, TRIGGERS);
const claimers: Child<ClaimerTask, ClaimerResult>[] = [];
for (let n = 0; n < Math.max(...CLAIMERS); n++) {
  claimers.push(scope.use(await startChild('./claimer.ts', { BENCH_DATABASE_URL: url })));
}
const pgbench = findPgbench();
if (pgbench === undefined) remark(BENCH, 'pgbench is not on the PATH, so there is nothing to compare with');

for (const batch of BATCHES) {
  for (const count of CLAIMERS) {
    await measure(`claim ${batch}, complete; ${claimersOf(count)}`, count, batch, 'complete');
  }
}
for (const count of [1, 4]) {
  await measure(`claim 500, complete with ledger; ${claimersOf(count)}`, count, 500, 'complete-with-ledger');
}
for (const count of [1, 4]) await measureEach(count);
await checkTriggers(url, TRIGGERS);

async function measure(quantity: string, count: number, batch: number, shape: CompletionShape) {
  const goal = batch === 1 ? {} : { goal: GOAL };
  const ours = () => firedByUs(count, batch, shape);
  if (pgbench === undefined) {
    const rounds = await interleave(ROUNDS, { ours });
    report({ bench: BENCH, quantity, unit: 'firings/s', ours: rounds.ours });
    return;
  }
  const rounds = await interleave(ROUNDS, { ours, theirs: () => firedByPgbench(count, batch, shape) });
  const measured: Measured = { bench: BENCH, quantity, unit: 'firings/s', ours: rounds.ours, ...goal };
  compare(measured, 'pgbench, same SQL', rounds.theirs);
}

/** What the product does today, a completion for each run, next to what completing a batch at once gives. */
async function measureEach(count: number) {
  const quantity = `claim 500, start, complete each by itself over 10 connections; ${claimersOf(count)}`;
  const rounds = await interleave(ROUNDS, {
    each: () => firedByUs(count, 500, 'each'),
    batched: () => firedByUs(count, 500, 'complete-with-ledger'),
  });
  compare(
    { bench: BENCH, quantity, unit: 'firings/s', ours: rounds.each },
    'ours, completed in batches',
    rounds.batched,
  );
}

async function firedByUs(count: number, batch: number, completion: ClaimerTask['completion']) {
  await settle(url);
  const watermark = await earliestDue(url);
  const before = await countFirings(url);
  const results = await Promise.all(
    claimers
      .slice(0, count)
      .map((claimer, n) => claimer.ask({ nodeId: n + 1, batch, ms: SECONDS * 1000, watermark, completion })),
  );
  const seconds = Math.max(...results.map(({ ms }) => ms)) / 1000;
  return ((await countFirings(url)) - before) / seconds;
}

async function firedByPgbench(count: number, batch: number, shape: CompletionShape) {
  await settle(url);
  const watermark = await earliestDue(url);
  const before = await countFirings(url);
  const { seconds } = await runPgbench({
    url,
    script: await claimScript(shape),
    clients: count,
    seconds: SECONDS,
    variables: { batch, watermark },
  });
  return ((await countFirings(url)) - before) / seconds;
}

function claimersOf(count: number): string {
  return count === 1 ? '1 claimer' : `${count} claimers`;
}
