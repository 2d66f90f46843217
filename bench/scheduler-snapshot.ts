/**
 * Firings a second while another session holds a snapshot for a minute, so that nothing that was deleted meanwhile can
 * be cleaned away, next to the same without. Measured at the end of the minute, when most has gathered.
 */
import pg from 'pg';
import { compare } from './support/row.ts';
import { openSchedulerSite } from './support/scheduler-site.ts';
import { isQuick } from './support/settings.ts';

const BENCH = 'scheduler-snapshot';
const TRIGGERS = isQuick ? 20_000 : 100_000;
const PROCESSES = 2;
const ROUND_MS = isQuick ? 1_000 : 4_000;
const ROUNDS = 3;
const HELD_MS = isQuick ? 6_000 : 60_000;

await using site = await openSchedulerSite(PROCESSES);
await site.fill(TRIGGERS);
await site.fire(PROCESSES, 1_000);
const free: number[] = [];
while (free.length < ROUNDS) free.push(await site.fire(PROCESSES, ROUND_MS));
const holder = new pg.Client({ connectionString: site.url });
await holder.connect();
await holder.query('begin isolation level repeatable read; select count(*) from scheduler_setting');
const heldAt = performance.now();
const held: number[] = [];
while (performance.now() - heldAt < HELD_MS) held.push(await site.fire(PROCESSES, ROUND_MS));
await holder.end();
compare(
  {
    bench: BENCH,
    quantity: `no-op service, ${PROCESSES} processes, another session holds a snapshot for ${HELD_MS / 1000} s`,
    unit: 'firings/s',
    ours: held.slice(-ROUNDS),
    goal: { atLeast: 0.9 },
  },
  'ours without',
  free,
);
