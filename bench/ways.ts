/**
 * How often common requests for managed users, and one piece of each kind of work, go to the database and wait, which is
 * counted; how much longer rows are locked that are stored with those of others; and, with `--full`, what of a processor the
 * requests cost this process and Postgres, next to one prepared statement.
 * `--profile another manager` profiles one of them instead.
 */
import { Session } from 'node:inspector/promises';
import pg from 'pg';
import { openDatabase } from '#database/index.ts';
import { commonPieces, PIECE_FILES, sayingYes } from '../test/support/common-pieces.ts';
import { commonRequests } from '../test/support/common-requests.ts';
import { commonWork } from '../test/support/common-work.ts';
import { createProject } from '../test/support/project.ts';
import { waysOf } from '../test/support/ways-of.ts';
import { withoutHooks } from '../test/support/without-hooks.ts';
import { openWorkflowCore } from '../test/support/workflow-core.ts';
import { type CpuProfile, summarize } from './support/cpu-profile.ts';
import { databaseCpu } from './support/database-cpu.ts';
import { createBenchDatabase } from './support/postgres.ts';
import { printSummary } from './support/profile-service.ts';
import { compare, report } from './support/row.ts';
import { isFull, isQuick, ROUNDS } from './support/settings.ts';

const BENCH = 'ways';
const TIMES = isQuick ? 50 : 300;
/** As many units of work as leave in one statement at most. */
const MOST_PATCHED = 200;

await using scope = new AsyncDisposableStack();
const { url } = scope.use(await createBenchDatabase());
const project = scope.use(
  await createProject({
    ...PIECE_FILES,
    'conf/managed.json': {
      objects: [...JSON.parse(withoutHooks()).objects, ...PIECE_FILES['conf/managed.json'].objects],
    },
  }),
);
const database = scope.adopt(openDatabase({ url, prepares: true }), (opened) => opened.close());
const core = await openWorkflowCore(database, project.location, { scripts: () => sayingYes });
const requests = await commonRequests(core);
const works = { ...(await commonWork(database, core)), ...(await commonPieces(core)) };
const elsewhere = new URL(url);
const name = elsewhere.pathname.slice(1);
elsewhere.pathname = '/postgres';
const observer = scope.adopt(new pg.Client({ connectionString: elsewhere.href }), (client) => client.end());
const plain = scope.adopt(new pg.Client({ connectionString: url }), (client) => client.end());
await Promise.all([observer.connect(), plain.connect()]);
const { rows } = await plain.query<{ id: string }>(
  "select id from managed_object where type = 'user' limit 1",
);
const statement = async () => {
  await plain.query({
    name: 'by_id',
    text: 'select id, rev, data from managed_object where type = $1 and id = $2',
    values: ['user', rows[0]!.id],
  });
};

const profiled = process.argv.indexOf('--profile');
if (profiled < 0) await measureAll();
else await profile(process.argv.slice(profiled + 1).join(' '));

async function measureAll(): Promise<void> {
  for (const [quantity, ask] of Object.entries(requests)) {
    for (let time = 0; time < 2; time += 1) await ask();
    const ours = [await waysOf(database, ask)];
    report({ bench: BENCH, quantity, unit: 'ways', ours, lessIsBetter: true });
  }
  for (const [quantity, { prepare, act }] of Object.entries(works)) {
    await prepare();
    await act();
    await prepare();
    const ours = [await waysOf(database, act)];
    report({ bench: BENCH, quantity, unit: 'ways', ours, lessIsBetter: true });
  }
  await measureLocks();
  if (isFull) await measureCosts();
}

async function measureCosts(): Promise<void> {
  for (const [quantity, ask] of Object.entries(requests)) {
    for (let time = 0; time < TIMES; time += 1) await ask();
    const ours: Cost[] = [];
    const baseline: Cost[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      ours.push(await costOf(ask));
      baseline.push(await costOf(statement));
    }
    for (const where of ['node', 'Postgres'] as const)
      compare(
        {
          bench: BENCH,
          quantity: `processor in ${where}: ${quantity}`,
          unit: 'µs',
          ours: ours.map((cost) => cost[where]),
          lessIsBetter: true,
        },
        'one prepared statement by pg',
        baseline.map((cost) => cost[where]),
      );
  }
}

/** From when the statement is sent that stores them until its commit is answered, which is longer than its rows are locked. */
async function measureLocks(): Promise<void> {
  const rounds = isQuick ? 20 : 50;
  const ids = Array.from({ length: MOST_PATCHED }, (_, n) => `locked-${n}`);
  for (const id of ids) await core.connection.create('managed/mark', id, { n: 0 });
  const patches = async (count: number, n: number) => {
    const replaced = [{ operation: 'replace', field: ['n'], value: n }] as const;
    const all = () =>
      ids.slice(0, count).map((id) => core.connection.patch(`managed/mark/${id}`, null, replaced));
    const sent = await durations(/update "?managed_object/, async () => void (await Promise.all(all())));
    if (sent.length === 0) throw new Error('No statement was seen that stores them');
    return Math.max(...sent);
  };
  const ours: Record<number, number[]> = { 1: [], 25: [], [MOST_PATCHED]: [] };
  for (let round = 1; round <= rounds; round += 1)
    for (const count of [1, 25, MOST_PATCHED]) ours[count]!.push(await patches(count, round));
  for (const count of [25, MOST_PATCHED]) {
    compare(
      {
        bench: BENCH,
        quantity: `${count} patches that are stored together, their statement`,
        unit: 'ms',
        ours: ours[count]!,
        lessIsBetter: true,
      },
      'one alone',
      ours[1]!,
    );
    const longer = ours[count]!.map((ms, round) => ms - ours[1]![round]!);
    const goal = count === 25 ? { goal: { atMost: 5 } } : {};
    report({
      bench: BENCH,
      quantity: `${count} patches that are stored together, longer than one alone by`,
      unit: 'ms',
      ours: longer,
      ...goal,
    });
  }
}

/** Of the statements of this process that are like this, in ms. */
async function durations(like: RegExp, work: () => Promise<void>): Promise<readonly number[]> {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const original = prototype.query;
  const found: number[] = [];
  prototype.query = function query(...args) {
    const text = typeof args[0] === 'string' ? args[0] : String((args[0] as { text?: string })?.text ?? '');
    const sentAt = performance.now();
    const answer = original.apply(this, args);
    if (like.test(text)) void (answer as Promise<unknown>).then(() => found.push(performance.now() - sentAt));
    return answer;
  };
  try {
    await work();
    return found;
  } finally {
    prototype.query = original;
  }
}

type Cost = Readonly<Record<'node' | 'Postgres', number>>;

/** Of one request, in microseconds. */
async function costOf(ask: () => Promise<unknown>): Promise<Cost> {
  const { result, microseconds } = await databaseCpu(observer, name, async () => {
    const before = process.cpuUsage();
    for (let time = 0; time < TIMES; time += 1) await ask();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return { node: result / TIMES, Postgres: microseconds / TIMES };
}

async function profile(quantity: string): Promise<void> {
  const ask = Object.entries(requests).find(([each]) => each === quantity)?.[1];
  if (ask === undefined)
    throw new Error(`There is no '${quantity}' among ${Object.keys(requests).join(', ')}`);
  for (let time = 0; time < 500; time += 1) await ask();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  for (let time = 0; time < 2_000; time += 1) await ask();
  const { profile: taken } = await session.post('Profiler.stop');
  printSummary(quantity, summarize(taken as CpuProfile));
}
