/**
 * Firings a second while another session holds a snapshot for a minute, with `--full` for a quarter of an hour, so that
 * nothing that was deleted meanwhile can be cleaned away, next to the same without. Measured at the end of that time,
 * when most has gathered; with the processor time of Postgres for a firing, and what it leaves of each table. The ledger,
 * which grows whether a snapshot is held or not, is emptied before each measurement.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { onServer } from './support/postgres.ts';
import { compare, remark } from './support/row.ts';
import { openSchedulerSite } from './support/scheduler-site.ts';
import { isFull, isQuick } from './support/settings.ts';

const BENCH = 'scheduler-snapshot';
const TRIGGERS = isQuick ? 20_000 : 100_000;
const PROCESSES = 2;
const WINDOW_MS = isQuick ? 2_000 : 10_000;
const WINDOWS = 3;
const HELD_MS = isQuick ? 6_000 : isFull ? 900_000 : 60_000;

interface Window {
  readonly rate: number;
  /** Processor time of Postgres for a firing, in microseconds. */
  readonly us: number;
}

await using site = await openSchedulerSite(PROCESSES);
await site.fill(TRIGGERS);
await site.fire(PROCESSES, 1_000);
// The nodes fire on and on: one that starts looks through all that waits once, and with it through all that was deleted.
const fired = site.run(PROCESSES, 2 * WINDOWS * WINDOW_MS + HELD_MS);
const free: Window[] = [];
await measure();
while (free.length < WINDOWS) free.push(await measure());
const holder = new pg.Client({ connectionString: site.url });
await holder.connect();
await holder.query('begin isolation level repeatable read; select count(*) from scheduler_setting');
await onServer(site.url, 'select pg_stat_reset()');
const heldAt = performance.now();
const held: Window[] = [];
while (performance.now() - heldAt < HELD_MS) held.push(await measure());
remark(BENCH, `Versions that a firing left while it was held: ${await deadVersions(await countClaims())}`);
const minutes = held.filter((_, n) => n % Math.ceil(held.length / 15) === 0);
remark(
  BENCH,
  `Processor time of Postgres for a firing, in turn: ${minutes.map(({ us }) => Math.round(us)).join(', ')} µs`,
);
await holder.end();
await fired;
const ends = held.slice(-WINDOWS);
const quantity = `no-op service, ${PROCESSES} processes, another session holds a snapshot for ${HELD_MS / 1000} s`;
compare(
  {
    bench: BENCH,
    quantity,
    unit: 'firings/s',
    ours: ends.map(({ rate }) => rate),
    goal: { atLeast: 0.9 },
  },
  'ours without',
  free.map(({ rate }) => rate),
);
compare(
  {
    bench: BENCH,
    quantity: `${quantity}: CPU of Postgres for a firing`,
    unit: 'µs',
    lessIsBetter: true,
    ours: ends.map(({ us }) => us),
  },
  'ours without',
  free.map(({ us }) => us),
);

/** By what Postgres counts: to count rows would walk over all that was deleted. */
async function measure(): Promise<Window> {
  await onServer(site.url, 'truncate scheduler_firing');
  const [before, startedAt] = [await countClaims(), performance.now()];
  const { ms } = await site.cpuOf(() => delay(WINDOW_MS));
  const firings = (await countClaims()) - before;
  return { rate: (firings * 1000) / (performance.now() - startedAt), us: (ms * 1000) / firings };
}

async function countClaims(): Promise<number> {
  const [row] = await onServer<{ n: string }>(
    site.url,
    "select pg_stat_get_tuples_inserted('scheduler_run'::regclass) as n",
  );
  return Number(row!.n);
}

/** By table; an update leaves one as a delete does. */
async function deadVersions(firings: number): Promise<string> {
  const rows = await onServer<{ name: string; dead: string }>(
    site.url,
    `select relname as name, n_tup_del + n_tup_upd as dead from pg_stat_user_tables
     where n_tup_del + n_tup_upd > $1 order by relname`,
    [Math.floor(firings / 10)],
  );
  return rows.map(({ name, dead }) => `${name} ${(Number(dead) / firings).toFixed(2)}`).join(', ');
}
