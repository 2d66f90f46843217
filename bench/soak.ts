/**
 * A cluster of real nodes under load and faults: `npm run soak -- --minutes 30 --nodes 3 --seed 7`, or `--short`.
 * Ends with status 1 when a promise was broken, and says by which rows; the logs of the nodes and the database are kept then.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migrate, openDatabase, readMigrations } from '#database/index.ts';
import { DatabasePool } from '#database/pool/database-client.ts';
import { ALL_CHECKS } from './soak/check/all-checks.ts';
import type { Finding } from './soak/check/check.ts';
import type { Fault, Stage } from './soak/faults/fault.ts';
import { MATRIX, SHORT_MATRIX } from './soak/faults/matrix.ts';
import { PATRONI_FAULTS, SHORT_PATRONI } from './soak/faults/patroni-faults.ts';
import { MemoryWatch, measureGrowth } from './soak/gauges.ts';
import { Journal } from './soak/journal.ts';
import type { Ground } from './soak/load/load.ts';
import { loadObjects, prepareObjects } from './soak/load/objects.ts';
import { loadProcesses } from './soak/load/processes.ts';
import { loadScans } from './soak/load/scans.ts';
import { loadSchedules, prepareSchedules } from './soak/load/schedules.ts';
import { loadSessions } from './soak/load/sessions.ts';
import { SMALL_NODE_SESSIONS, SoakNode } from './soak/node.ts';
import { HELP, readOptions, type SoakOptions } from './soak/options.ts';
import { installOracle } from './soak/oracle.ts';
import { brokenGoals, formatGoals, measureGoals } from './soak/patroni/goals.ts';
import { PatroniCluster } from './soak/patroni/patroni-cluster.ts';
import { findPrograms, type Programs } from './soak/patroni/programs.ts';
import { SoakPostgres } from './soak/postgres.ts';
import { createSoakProject } from './soak/project.ts';
import { createRandom, type Random } from './soak/random.ts';
import { type Aftermath, awaitRecovery, measureLateness } from './soak/recovery.ts';
import {
  formatChecks,
  formatDeeds,
  formatFaults,
  formatGrowth,
  formatLoad,
  formatVerdict,
} from './soak/report.ts';
import { SizeWatch } from './soak/sizes.ts';
import { comeToRest, judge, stopAll } from './soak/verdict.ts';

const MIGRATIONS = new URL('../migrations', import.meta.url).pathname;
/** From this share of a long soak on, one node is spared, so that its memory can be judged. */
const SPARE_FROM = 0.25;
/** For those of some nodes, and the harness. */
const SESSIONS = 150;

process.setMaxListeners(200);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(HELP);
  const matrix = options.patroni ? PATRONI_FAULTS : MATRIX;
  if (options.list) for (const { name, what } of matrix) console.log(`${name.padEnd(16)} ${what}`);
  if (options.help || options.list) return 0;
  const unknown = options.only.find((name) => !matrix.some((fault) => fault.name === name));
  if (unknown !== undefined) {
    console.error(`There is no fault '${unknown}'; --list shows them`);
    return 2;
  }
  const programs = options.patroni ? findPrograms() : undefined;
  if (programs !== undefined && 'missing' in programs) {
    console.log(
      `SKIPPED, no fail-over is tried: ${programs.missing.join(', ')} not found. On Debian: apt-get install patroni etcd-server haproxy postgresql`,
    );
    return 0;
  }
  say(`seed ${options.seed}, ${options.nodes} nodes`);
  const logFolder = await mkdtemp(join(tmpdir(), 'svc-soak-logs-'));
  const findings = await soak(options, logFolder, programs);
  console.log(formatVerdict(findings));
  const isFine = findings.length === 0;
  if (isFine && !options.keep) await rm(logFolder, { recursive: true });
  else console.log(`The logs of the nodes are in ${logFolder}; again with --seed ${options.seed}`);
  return isFine ? 0 : 1;
}

async function soak(options: SoakOptions, logFolder: string, programs?: Programs): Promise<Finding[]> {
  await using scope = new AsyncDisposableStack();
  const random = createRandom(options.seed);
  const faults = chooseFaults(options);
  const room = faults.some(({ needsRoom }) => needsRoom) ? options.manyNodes * SMALL_NODE_SESSIONS : 0;
  const postgres = scope.use(
    programs === undefined
      ? await SoakPostgres.open(SESSIONS + room)
      : await PatroniCluster.open(programs, SESSIONS),
  );
  const databaseUrl = await createDatabase(postgres.url);
  const listedUrl = postgres instanceof PatroniCluster ? postgres.listed('soak') : undefined;
  const pool = openDirectPool(listedUrl ?? databaseUrl);
  scope.defer(() => pool.end());
  const project = scope.use(await createSoakProject());
  const nodes: SoakNode[] = [];
  const open = async (name: string, isSmall: boolean) => {
    const place = { databaseUrl, project: project.location, logFolder, random: Math.random };
    // One finds the primary by itself; the others are led to it.
    const listed = name === 'b' && listedUrl !== undefined ? { listedUrl } : {};
    const node = scope.use(await SoakNode.open({ ...place, ...listed, name, isSmall }));
    nodes.push(node);
    return node;
  };
  for (let n = 0; n < options.nodes; n++) await open(String.fromCharCode(97 + n), false);
  const grow = () =>
    Promise.all(
      Array.from({ length: options.manyNodes - options.nodes }, (_, n) => open(`small-${n + 1}`, true)),
    );
  await Promise.all(nodes.map((node) => node.start()));
  say('all nodes are up');

  let stopped = false;
  const journal = new Journal();
  const ground: Ground = { nodes, journal, random: random.fork('load'), pool, isStopped: () => stopped };
  await prepareObjects(ground);
  await prepareSchedules(ground);
  const memory = new MemoryWatch(nodes);
  memory.start();
  const load = Promise.all(
    [loadObjects, loadSchedules, loadScans, loadProcesses, loadSessions].map((work) => work(ground)),
  );

  const sizes = new SizeWatch(pool);
  await sizes.sample();
  sizes.start();

  const { snapshotMs } = options;
  const stage = { nodes, postgres, pool, databaseUrl, snapshotMs, grow };
  const aftermaths = await strikeAll(stage, faults, options, random.fork('faults'));
  stopped = true;
  await load;
  say('the load has ended');
  await comeToRest(ground);
  memory.stop();
  sizes.stop();
  // A minute and a half is a warm-up, and on a slow machine a longer one.
  const growth = options.short ? [] : measureGrowth(memory.samples);
  const { findings, counts } = await judge({ ground, aftermaths, growth });
  const goals = programs === undefined ? undefined : await measureGoals(pool, nodes, aftermaths);
  findings.push(...brokenGoals(goals ?? []), ...(await stopAll(nodes, pool)));
  if (findings.length > 0) say(`the database stays in ${postgres.keep()}`);

  const lateness = [];
  for (const aftermath of aftermaths)
    lateness.push({ aftermath, lateMs: await measureLateness({ pool }, aftermath) });
  const parts = [
    formatFaults(lateness),
    await describeDeeds(pool),
    formatChecks(ALL_CHECKS, counts, findings),
    formatGrowth(growth),
    formatLoad(journal, nodes),
    await describeWork(pool),
    ...(goals === undefined ? [] : [formatGoals(goals)]),
  ];
  console.log(`\n${parts.join('\n\n')}\n`);
  return findings;
}

/** Those that are named, or of the short form; otherwise all for which there is time. */
function chooseFaults({ only, short, patroni, durationMs }: SoakOptions): readonly Fault[] {
  const shorter = patroni ? SHORT_PATRONI : SHORT_MATRIX;
  const named = only.length > 0 ? only : short ? shorter : [];
  return (patroni ? PATRONI_FAULTS : MATRIX).filter(({ name, once }) =>
    named.length === 0 ? durationMs >= (once?.leastMinutes ?? 0) * 60_000 : named.includes(name),
  );
}

/** One fault after the other; in the long form as they come, in the short form each of its kinds once. */
async function strikeAll(
  stage: Omit<Stage, 'spared'>,
  chosen: readonly Fault[],
  options: SoakOptions,
  random: Random,
): Promise<Aftermath[]> {
  const faults = chosen.filter(({ once }) => once === undefined);
  const startedAt = Date.now();
  const isOver = () => Date.now() - startedAt > options.durationMs;
  const aftermaths: Aftermath[] = [];
  await delay(2_000);
  for (const fault of chosen.filter(({ once }) => once !== undefined)) {
    aftermaths.push(await strikeOnce({ ...stage, spared: undefined }, fault, random));
  }
  if (faults.length === 0) return aftermaths;
  do {
    for (const fault of random.shuffled(faults)) {
      const isLate = Date.now() - startedAt > options.durationMs * SPARE_FROM;
      const spared = !options.short && isLate ? stage.nodes[0] : undefined;
      aftermaths.push(await strikeOnce({ ...stage, spared }, fault, random));
      await delay(options.short ? 250 : random.between(500, 4_000));
      if (!options.short && isOver()) return aftermaths;
    }
  } while (!options.short && !isOver());
  return aftermaths;
}

async function strikeOnce(stage: Stage, fault: Fault, random: Random): Promise<Aftermath> {
  const startedAt = Date.now();
  const strike = await fault.strike(stage, random);
  const aftermath = await awaitRecovery(stage, fault, startedAt, strike);
  const ms = (value: number | null) => (value === null ? 'NEVER' : `${value} ms`);
  say(
    `${fault.name} (${strike.target}): fires after ${ms(aftermath.firingMs)}, answers after ${ms(aftermath.answeringMs)}`,
  );
  return aftermath;
}

async function createDatabase(serverUrl: string): Promise<string> {
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  await server.query('create database soak');
  await server.end();
  const url = new URL(serverUrl);
  url.pathname = '/soak';
  const database = openDatabase({ url: url.href, poolSize: 2 });
  await migrate(database.db, await readMigrations(MIGRATIONS));
  await database.close();
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await installOracle(client);
  await client.end();
  return url.href;
}

/** Past the proxies, and past the settings that faults put in. */
function openDirectPool(url: string): pg.Pool {
  const pool = new DatabasePool({
    connectionString: url,
    max: 8,
    idleTimeoutMillis: 0,
    application_name: 'soak',
    options: '-c statement_timeout=0 -c default_transaction_read_only=off',
  });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

async function describeDeeds(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{
    deed: string;
    outcome: string;
    count: number;
    p50: number;
    max: number;
  }>(
    `select deed, outcome, count(*)::int as count,
            percentile_cont(0.5) within group (order by extract(epoch from answered_at - asked_at) * 1000) as p50,
            max(extract(epoch from answered_at - asked_at) * 1000)::float8 as max
     from soak.answer where node <> 'herd' group by 1, 2 order by 1, 2`,
  );
  return formatDeeds(rows);
}

async function describeWork(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<Record<string, number>>(
    `select (select count(*)::int from scheduler_firing) as firings,
            (select count(*)::int from soak.effect where data ? 'job') as runs,
            (select count(*)::int from soak.effect where data ? 'item') as "scanned objects",
            (select count(*)::int from soak.effect where data ? 'instance') as "process steps",
            (select count(*)::int from workflow_instance) as processes,
            (select count(*)::int from soak.answer) as writes,
            (select count(*)::int from soak.answer where outcome = 'unknown') as "writes of unknown outcome"`,
  );
  return Object.entries(rows[0]!)
    .map(([what, n]) => `${n} ${what}`)
    .join(', ');
}

function say(text: string): void {
  console.log(`${new Date().toISOString().slice(11, 23)} ${text}`);
}
