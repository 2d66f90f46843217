/**
 * What triggers cost that are not due: firings a second among a thousand and among a million, and the CPU that a node
 * and Postgres spend on a million of which none is due.
 */
import { onServer } from './support/postgres.ts';
import { compare, report } from './support/row.ts';
import { checkTriggers, settle } from './support/scheduler-load.ts';
import { openSchedulerSite } from './support/scheduler-site.ts';
import { isQuick } from './support/settings.ts';

const BENCH = 'scheduler-growth';
const MANY = isQuick ? 100_000 : 1_000_000;
const FEW = 1_000;
const PROCESSES = 4;
const ROUND_MS = isQuick ? 1_000 : 3_000;
const ROUNDS = isQuick ? 1 : 3;
const IDLE_MS = isQuick ? 4_000 : 15_000;

await using site = await openSchedulerSite(PROCESSES);
const few = await firedAmong(FEW);
const many = await firedAmong(MANY);
compare(
  {
    bench: BENCH,
    quantity: `no-op service, ${PROCESSES} processes, ${MANY.toLocaleString('en')} triggers`,
    unit: 'firings/s',
    ours: many,
    // At most 1.2 times the cost.
    goal: { atLeast: 0.83 },
  },
  `ours, ${FEW.toLocaleString('en')} triggers`,
  few,
);
await measureIdle();

async function firedAmong(triggers: number): Promise<number[]> {
  await site.fill(triggers);
  await site.fire(PROCESSES, 1_000);
  const rates: number[] = [];
  while (rates.length < ROUNDS) rates.push(await site.fire(PROCESSES, ROUND_MS));
  await checkTriggers(site.url, triggers);
  return rates;
}

async function measureIdle(): Promise<void> {
  await onServer(
    site.url,
    "update scheduler_due set due_at = now() + interval '1 day', fire_at = now() + interval '1 day'",
  );
  await settle(site.url);
  await onServer(site.url, 'analyze scheduler_due');
  // The first look goes through all that may have been left behind.
  await site.run(1, 1_000);
  const { result, ms } = await site.cpuOf(() => site.run(1, IDLE_MS));
  const quantity = `an idle node with ${MANY.toLocaleString('en')} schedules: CPU of`;
  const row = { bench: BENCH, unit: '% of a core', lessIsBetter: true };
  report({
    ...row,
    quantity: `${quantity} the node`,
    ours: [(100 * result[0]!.cpuMs) / IDLE_MS],
    goal: { atMost: 1 },
  });
  report({
    ...row,
    quantity: `${quantity} Postgres for it`,
    ours: [(100 * ms) / IDLE_MS],
    goal: { atMost: 1 },
  });
}
