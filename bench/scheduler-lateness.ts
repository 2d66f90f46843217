/**
 * How late firings are that are due one after the other, evenly, on two processes: by the database's clock, and none of
 * them early.
 */
import { onServer } from './support/postgres.ts';
import { report } from './support/row.ts';
import { fillScheduler } from './support/scheduler-load.ts';
import { openSchedulerSite } from './support/scheduler-site.ts';
import { isQuick } from './support/settings.ts';

const BENCH = 'scheduler-lateness';
const RATES = isQuick ? [100, 2_000] : [100, 2_000, 10_000];
const ROUNDS = isQuick ? 1 : 3;
const SECONDS = 3;
/** Until the first one is due, so that its time does not pass while they are written. */
const LEAD_MS = 4_000;
const PROCESSES = 2;

await using site = await openSchedulerSite(PROCESSES);
for (const rate of RATES) {
  const p50: number[] = [];
  const p99: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const results = await measure(rate);
    p50.push(Math.max(...results.map((each) => each.p50Ms)));
    p99.push(Math.max(...results.map((each) => each.p99Ms)));
  }
  const row = { bench: BENCH, unit: 'ms', lessIsBetter: true };
  report({ ...row, quantity: `${rate} firings a second, p50`, ours: p50, goal: { atMost: 1 } });
  report({ ...row, quantity: `${rate} firings a second, p99`, ours: p99, goal: { atMost: 10 } });
}

async function measure(rate: number) {
  const count = rate * SECONDS;
  await fillScheduler(site.url, count);
  // They fire once: those that fire each hour would do so again when the hour passes meanwhile.
  await onServer(
    site.url,
    `update scheduler_job set definition = definition || '{"schedule": "0 0 0 1 1 ?"}'`,
  );
  await onServer(
    site.url,
    `update scheduler_due d set due_at = n.at, fire_at = n.at
     from (select trigger_id, date_trunc('milliseconds', clock_timestamp())
                    + ($1 + floor(row_number() over () * 1000.0 / $2)) * interval '1 ms' as at
           from scheduler_due) n
     where d.trigger_id = n.trigger_id`,
    [LEAD_MS, rate],
  );
  await onServer(site.url, 'vacuum analyze scheduler_due');
  const results = await site.run(PROCESSES, LEAD_MS + SECONDS * 1_000 + 1_000);
  const fired = results.reduce((sum, result) => sum + result.fired, 0);
  if (fired !== count) throw new Error(`Of ${count} firings ${fired} ran`);
  const earliest = Math.min(...results.map((each) => each.earliestMs));
  if (earliest < 0) throw new Error(`A firing was ${-earliest} ms early`);
  return results;
}
