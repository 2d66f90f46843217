/**
 * Firings a second, end to end: schedules that fire every second and run a script that does nothing, on one node
 * and on two, with the settings of production. More and more of them are registered until the nodes no longer
 * follow; all are due at the same instant, so their lateness is mostly the wait for each other. How punctual a
 * firing is without that is measured with others that are due one after the other. Rates and lateness are read from
 * the ledger. Next to it pgbench, which claims and completes one firing at a time in two transactions, with as many
 * clients as a node has slots. With `--profile` it says instead where the threads of a busy node spend their time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { findPgbench, runPgbench } from './support/pgbench.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { profileService } from './support/profile-service.ts';
import { compare, remark, report } from './support/row.ts';
import { claimScript, earliestDue, fillScheduler } from './support/scheduler-load.ts';
import { call, createProject, startService } from './support/service.ts';

const BENCH = 'firings';
/** Schedules, each due every second. */
const quick = process.argv.includes('--quick');
const LEVELS = quick ? [200] : [200, 800, 1600, 3200, 4800];
const SETTLE_MS = 1_500;
const WINDOW_MS = 4_000;
const LONGEST_P99_MS = 1_000;
const EVERY_SECOND = '* * * * * ?';
const NEW_YEAR = '0 0 0 1 1 ?';
/** Those that are due one after the other: how many, how far apart, and how long from now the first. */
const STEADY = { count: 500, apartMs: 5, leadMs: 4_000 };
/** `threadPool.threadCount` as shipped. */
const SLOTS = 10;

interface Level {
  readonly offered: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Measurement {
  readonly levels: readonly Level[];
  readonly steady: Level;
}

if (process.argv.includes('--profile')) await profile();
else await measure();

async function measure(): Promise<void> {
  const before = await measurePgbench();
  const one = await measureNodes(1);
  const between = await measurePgbench();
  const two = await measureNodes(2);
  const after = await measurePgbench();
  reportNodes('1 node', one, [before, between]);
  reportNodes('2 nodes', two, [between, after]);
}

function reportNodes(
  nodes: string,
  { levels, steady }: Measurement,
  pgbench: readonly (number | undefined)[],
): void {
  const most = Math.max(...levels.map(({ perSecond }) => perSecond));
  const sustained = levels.filter(follows).at(-1);
  const row = { bench: BENCH, quantity: `${nodes}: most firings`, unit: 'firings/s', ours: [most] };
  const known = pgbench.filter((rate) => rate !== undefined);
  if (known.length === 0) report(row);
  else compare(row, 'pgbench, one at a time', [known.reduce((sum, rate) => sum + rate, 0) / known.length]);
  report({
    bench: BENCH,
    quantity: `${nodes}: offered and followed, p99 lateness below 1 s`,
    unit: 'firings/s',
    ours: [sustained?.offered ?? 0],
  });
  const lateness = { bench: BENCH, unit: 'ms' };
  const evenly = `${nodes}, evenly ${steady.offered}/s`;
  report({ ...lateness, quantity: `${evenly}: p50 lateness`, ours: [steady.p50Ms], goal: { atMost: 1 } });
  report({ ...lateness, quantity: `${evenly}: p99 lateness`, ours: [steady.p99Ms], goal: { atMost: 10 } });
  for (const level of levels) {
    remark(
      BENCH,
      `${nodes}, ${level.offered} due each second: ${Math.round(level.perSecond)}/s ran, lateness p50 ${level.p50Ms} ms, p99 ${level.p99Ms} ms`,
    );
  }
}

async function measureNodes(count: number): Promise<Measurement> {
  await using scope = new AsyncDisposableStack();
  const { url: databaseUrl } = scope.use(await createBenchDatabase());
  const project = scope.use(await createProject({ 'conf/managed.json': { objects: [] } }));
  const urls: string[] = [];
  for (let n = 1; n <= count; n++) {
    const options = { databaseUrl, project: project.location, name: `bench-${n}` };
    urls.push(scope.use(await startService(options)).url);
  }
  const steady = await measureSteady(urls[0]!, databaseUrl);
  const levels: Level[] = [];
  for (const offered of LEVELS) {
    await registerUntil(urls[0]!, 'tick', EVERY_SECOND, levels.at(-1)?.offered ?? 0, offered);
    const level = await measureLevel(databaseUrl, offered);
    levels.push(level);
    if (!follows(level)) break;
  }
  return { levels, steady };
}

/** A level that the nodes do not follow is looked at a second time: it may have been a noisy moment. */
async function measureLevel(databaseUrl: string, offered: number): Promise<Level> {
  await delay(SETTLE_MS + WINDOW_MS);
  const first = await readLedger(databaseUrl, 'tick-%', offered, WINDOW_MS);
  if (follows(first)) return first;
  await delay(WINDOW_MS + 1_000);
  const second = await readLedger(databaseUrl, 'tick-%', offered, WINDOW_MS);
  return second.perSecond > first.perSecond || follows(second) ? second : first;
}

function follows({ offered, perSecond, p99Ms }: Level): boolean {
  return perSecond >= 0.98 * offered && p99Ms < LONGEST_P99_MS;
}

/** Registers the schedules with the numbers `from` to `to`, of which the last is not one. */
async function registerUntil(url: string, name: string, schedule: string, from: number, to: number) {
  let next = from;
  const register = async () => {
    while (next < to) {
      await call(url, 'PUT', `scheduler/job/${name}-${next++}`, {
        type: 'cron',
        schedule,
        timeZone: 'UTC',
        invokeService: 'script',
        invokeContext: { script: { type: 'text/javascript', source: 'null' } },
      });
    }
  };
  await Promise.all(Array.from({ length: 8 }, register));
}

/** Firings that are due one after the other. No schedule can say so: their first times are written by hand. */
async function measureSteady(url: string, databaseUrl: string): Promise<Level> {
  const { count, apartMs, leadMs } = STEADY;
  await registerUntil(url, 'once', NEW_YEAR, 0, count);
  await onServer(
    databaseUrl,
    `update scheduler_due d set due_at = n.at, fire_at = n.at
     from (select trigger_id, date_trunc('milliseconds', now()) + ($1 + $2 * row_number() over ()) * interval '1 ms' as at
           from scheduler_job where id like 'once-%') n
     where d.trigger_id = n.trigger_id`,
    [leadMs, apartMs],
  );
  // The window ends up to a second before we look.
  const windowMs = count * apartMs + 2_500;
  await delay(leadMs + count * apartMs + 2_000);
  const level = await readLedger(databaseUrl, 'once-%', 1000 / apartMs, windowMs);
  const fired = Math.round((level.perSecond * windowMs) / 1000);
  if (fired !== count) throw new Error(`Of ${count} firings that were due one after the other ${fired} ran`);
  return level;
}

async function profile(): Promise<void> {
  await using scope = new AsyncDisposableStack();
  const { url: databaseUrl } = scope.use(await createBenchDatabase());
  const project = scope.use(await createProject({ 'conf/managed.json': { objects: [] } }));
  await profileService({ databaseUrl, project: project.location }, async (url) => {
    await registerUntil(url, 'tick', EVERY_SECOND, 0, 400);
    await delay(10_000);
    return readLedger(databaseUrl, 'tick-%', 400, 8_000);
  });
}

/** What ended in so many milliseconds before the last full second, of the schedules with such a name. */
async function readLedger(url: string, like: string, offered: number, windowMs: number): Promise<Level> {
  const [row] = await onServer<Record<'ended' | 'failed' | 'p50' | 'p99', string>>(
    url,
    `select count(*) as ended, count(*) filter (where failed) as failed,
            coalesce(percentile_cont(0.5) within group (order by late_ms), 0) as p50,
            coalesce(percentile_cont(0.99) within group (order by late_ms), 0) as p99
     from svc_firing
     where schedule like $2 and outcome in ('fired', 'late')
       and ended_at < date_trunc('second', clock_timestamp())
       and ended_at >= date_trunc('second', clock_timestamp()) - $1 * interval '1 millisecond'`,
    [windowMs, like],
  );
  if (Number(row!.failed) > 0) throw new Error(`${row!.failed} firings failed`);
  return {
    offered,
    perSecond: Number(row!.ended) / (windowMs / 1000),
    p50Ms: Math.round(Number(row!.p50) * 10) / 10,
    p99Ms: Math.round(Number(row!.p99) * 10) / 10,
  };
}

/** @returns firings a second, or undefined without pgbench */
async function measurePgbench(): Promise<number | undefined> {
  if (findPgbench() === undefined) return undefined;
  await using database = await createBenchDatabase();
  await fillScheduler(database.url, 10_000);
  const { transactions, seconds } = await runPgbench({
    url: database.url,
    script: await claimScript('complete-with-ledger'),
    clients: SLOTS,
    seconds: 3,
    variables: { batch: 1, watermark: await earliestDue(database.url) },
  });
  return transactions / seconds;
}
