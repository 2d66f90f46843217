/**
 * Firings a second while another session holds a snapshot for a minute, with `--full` for a quarter of an hour, so that
 * nothing that was deleted meanwhile can be cleaned away, next to the same without. Measured at the end of that time,
 * when most has gathered; with the processor time of Postgres for a firing, and what it leaves of each table.
 */
import pg from 'pg';
import { onServer } from './support/postgres.ts';
import { compare, remark } from './support/row.ts';
import { countFirings } from './support/scheduler-load.ts';
import { openSchedulerSite } from './support/scheduler-site.ts';
import { isFull, isQuick } from './support/settings.ts';

const BENCH = 'scheduler-snapshot';
const TRIGGERS = isQuick ? 20_000 : 100_000;
const PROCESSES = 2;
const ROUND_MS = isQuick ? 1_000 : 4_000;
const ROUNDS = 3;
const HELD_MS = isQuick ? 6_000 : isFull ? 900_000 : 60_000;

interface Round {
  readonly rate: number;
  /** Processor time of Postgres for a firing, in microseconds. */
  readonly us: number;
}

await using site = await openSchedulerSite(PROCESSES);
await site.fill(TRIGGERS);
await site.fire(PROCESSES, 1_000);
const free: Round[] = [];
while (free.length < ROUNDS) free.push(await measure());
const holder = new pg.Client({ connectionString: site.url });
await holder.connect();
await holder.query('begin isolation level repeatable read; select count(*) from scheduler_setting');
await onServer(site.url, 'select pg_stat_reset()');
const before = await countFirings(site.url);
const heldAt = performance.now();
const held: Round[] = [];
while (performance.now() - heldAt < HELD_MS) held.push(await measure());
const firings = (await countFirings(site.url)) - before;
remark(BENCH, `Versions that a firing left while it was held: ${await deadVersions(firings)}`);
await holder.end();
const ends = held.slice(-ROUNDS);
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

async function measure(): Promise<Round> {
  const before = await countFirings(site.url);
  const { result: rate, ms } = await site.cpuOf(() => site.fire(PROCESSES, ROUND_MS));
  return { rate, us: (ms * 1000) / ((await countFirings(site.url)) - before) };
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
