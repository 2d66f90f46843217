/**
 * Whether tables stay as small as what is in them: an hour's worth of firings at 500 a second as fast as they go, and
 * objects that are patched again and again. As the run is shorter than an hour, autovacuum looks more often in the same
 * measure (its naptime is a second for the run, a minute otherwise). Then a month of the ledger is dropped.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, startChild } from './support/child.ts';
import type { ClaimerResult, ClaimerTask } from './support/claimer.ts';
import { createBenchDatabase, onServer, shareBenchServer } from './support/postgres.ts';
import { openRestBench } from './support/rest.ts';
import { compare, remark, report } from './support/row.ts';
import { countFirings, earliestDue, fillScheduler } from './support/scheduler-load.ts';
import { AUTHORIZATION } from './support/service.ts';
import { isFull, isQuick } from './support/settings.ts';

const BENCH = 'bloat';
const RATE = 500;
/** As many as fire once a minute at that rate. */
const TRIGGERS = RATE * 60;
const FIRINGS = isQuick ? 60_000 : RATE * 3_600;
const LONGEST_MS = isFull ? Number.POSITIVE_INFINITY : isQuick ? 6_000 : 60_000;
/** They claim by the statement of the product and complete with an entry of the ledger, in batches. */
const CLAIMERS = 3;
const BATCH = 500;
const PATCHED = 500;
const PATCH_MS = isQuick ? 3_000 : 12_000;
const LOOK_MS = 500;
/** Firings go in parts, because a claimer works for a time and not for a number. */
const PART_MS = 2_000;
const LEDGER_ROWS = isQuick ? 20_000 : 300_000;
const KiB = 1024;
/** No more than one and a half times as large at the end as when it had begun. */
const GOAL = { atLeast: 0.67 };

await using scope = new AsyncDisposableStack();
await shareBenchServer(scope);
await haveVacuumLookOften(scope);
await measureFirings();
await measurePatches();
await measureLedger();

async function measureFirings(): Promise<void> {
  await using own = new AsyncDisposableStack();
  const { url } = own.use(await createBenchDatabase());
  await fillScheduler(url, TRIGGERS);
  await onServer(url, 'vacuum full');
  const fresh = await readSizes(url, ['scheduler_due', 'scheduler_job']);
  const claimers: Child<ClaimerTask, ClaimerResult>[] = [];
  for (let n = 0; n < CLAIMERS; n++) {
    claimers.push(own.use(await startChild('./claimer.ts', { BENCH_DATABASE_URL: url })));
  }
  const startedAt = performance.now();
  const tables = ['scheduler_due', 'scheduler_run', 'scheduler_job'];
  const samples: Sizes[] = [];
  let fired = 0;
  while (fired < FIRINGS && performance.now() - startedAt < LONGEST_MS) {
    const watermark = await earliestDue(url);
    const task = { batch: BATCH, ms: PART_MS, watermark, completion: 'complete-with-ledger' } as const;
    const part = Promise.all(claimers.map((claimer, n) => claimer.ask({ ...task, nodeId: n + 1 })));
    samples.push(...(await sampleUntil(part, url, tables)));
    fired = await countFirings(url);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const hours = (fired / (RATE * 3_600)).toFixed(2);
  remark(
    BENCH,
    `${Math.round(fired).toLocaleString('en')} firings of ${TRIGGERS.toLocaleString('en')} schedules in ${Math.round(seconds)} s: ${hours} hours at ${RATE} a second`,
  );
  for (const table of tables) judge(`${table} and its indexes while they fire`, table, samples);
  for (const table of ['scheduler_due', 'scheduler_job']) {
    remark(BENCH, `${table} freshly written: ${Math.round(fresh.get(table)! / KiB)} KiB`);
  }
  const [ledger] = await onServer<{ bytes: number }>(
    url,
    `select (sum(pg_total_relation_size(relid)) / greatest(1, (select count(*) from scheduler_firing)))::float8 as bytes
     from pg_partition_tree('scheduler_firing')`,
  );
  report({ bench: BENCH, quantity: 'the ledger, a firing', unit: 'bytes', ours: [ledger!.bytes] });
}

async function measurePatches(): Promise<void> {
  await using own = new AsyncDisposableStack();
  const bench = await openRestBench(own, { users: 10_000, connections: 16 });
  const url = await bench.startOurs();
  const patch = {
    method: 'PATCH',
    paths: Array.from({ length: PATCHED }, (_, n) => `/svc/managed/user/user-${n + 1}`),
    headers: { Authorization: AUTHORIZATION },
    body: JSON.stringify([{ operation: 'increment', field: '/employeeNumber', value: 1 }]),
  } as const;
  const table = 'managed_object';
  const load = bench.load(url, patch, PATCH_MS);
  const samples = await sampleUntil(load, bench.databaseUrl, [table]);
  const patches = Math.round(((await load).perSecond * PATCH_MS) / 1000);
  judge(`${table} and its indexes while ${PATCHED} of 10,000 objects are patched`, table, samples);
  await onServer(bench.databaseUrl, 'select pg_stat_force_next_flush()');
  await delay(1_200);
  for (const name of [table, 'cluster_node']) {
    const [row] = await onServer<{ updates: number; hot: number }>(
      bench.databaseUrl,
      'select n_tup_upd::int as updates, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = $1',
      [name],
    );
    const share = row === undefined || row.updates === 0 ? 0 : Math.round((100 * row.hot) / row.updates);
    remark(BENCH, `${name}: ${share} % of its updates touch no index`);
  }
  remark(BENCH, `${patches.toLocaleString('en')} patches in ${PATCH_MS / 1000} s`);
}

/** Firings of half a year ago in the partition that their month had. */
async function measureLedger(): Promise<void> {
  await using own = new AsyncDisposableStack();
  const { url } = own.use(await createBenchDatabase());
  const [month] = await onServer<{ name: string; low: string; high: string }>(
    url,
    `select 'scheduler_firing_' || to_char(m, 'YYYY_MM') as name, m::date::text as low,
            (m + interval '1 month')::date::text as high
     from (select date_trunc('month', now() at time zone 'UTC') - interval '6 months' as m) months`,
  );
  const { name, low, high } = month!;
  await onServer(
    url,
    `create table ${name} partition of scheduler_firing for values from ('${low}T00:00:00Z') to ('${high}T00:00:00Z')`,
  );
  await onServer(
    url,
    `insert into scheduler_firing (planned_at, trigger_id, generation, job_id, outcome, node, ended_at)
     select '${low}T00:00:00Z'::timestamptz + n * interval '1 second', n % 1000, 1, 'job-' || n % 1000, 'fired', 'bench',
            '${low}T00:00:00Z'::timestamptz + n * interval '1 second'
     from generate_series(1, ${LEDGER_ROWS}) n`,
  );
  const startedAt = performance.now();
  await onServer(url, "select scheduler_firing_prune(interval '90 days')");
  const ms = performance.now() - startedAt;
  const [left] = await onServer<{ n: number }>(url, 'select count(*)::int as n from scheduler_firing');
  if (left!.n !== 0) throw new Error(`${left!.n} firings of the dropped month are left`);
  const quantity = `a month of the ledger with ${LEDGER_ROWS.toLocaleString('en')} firings dropped`;
  report({ bench: BENCH, quantity, unit: 'ms', ours: [ms], lessIsBetter: true });
}

type Sizes = ReadonlyMap<string, number>;

/** Bytes of tables with their indexes. */
async function readSizes(url: string, tables: readonly string[]): Promise<Sizes> {
  const rows = await onServer<{ name: string; bytes: number }>(
    url,
    'select name, pg_total_relation_size(name::regclass)::float8 as bytes from unnest($1::text[]) name',
    [tables],
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

async function sampleUntil(work: Promise<unknown>, url: string, tables: readonly string[]): Promise<Sizes[]> {
  const samples: Sizes[] = [];
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    samples.push(await readSizes(url, tables));
    await Promise.race([over, delay(LOOK_MS)]);
  }
  await over;
  return samples;
}

/** The last two fifths of the run next to the two before them; in the first one tables find their size. */
function judge(quantity: string, table: string, samples: readonly Sizes[]): void {
  const sizes = samples.map((sample) => sample.get(table)! / KiB);
  const part = (from: number, to: number) =>
    sizes.slice(Math.floor(sizes.length * from), Math.ceil(sizes.length * to));
  const [middle, end] = [part(0.2, 0.6), part(0.6, 1)];
  const rounds = Math.min(middle.length, end.length);
  compare(
    { bench: BENCH, quantity, unit: 'KiB', ours: end.slice(-rounds), lessIsBetter: true, goal: GOAL },
    'in the middle of the run',
    middle.slice(-rounds),
  );
}

/** Until the scope ends; a server on which that is not allowed keeps its own pace. */
async function haveVacuumLookOften(own: AsyncDisposableStack): Promise<void> {
  const url = process.env['DATABASE_URL']!;
  const set = async (text: string) => {
    await onServer(url, text);
    await onServer(url, 'select pg_reload_conf()');
  };
  try {
    await set(`alter system set autovacuum_naptime = '1s'`);
    own.defer(() => set('alter system reset autovacuum_naptime'));
  } catch {
    remark(BENCH, 'autovacuum kept its own pace, because its setting could not be changed');
  }
}
