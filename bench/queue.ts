/**
 * How soon a job of a queue runs: from the commit of what enqueued it on one connection to the start of its handler
 * behind LISTEN, and how late jobs are that are due at a time of their own. Every job is claimed by a node, fenced, and
 * completed in one transaction with its handler. Next to pg-boss by itself: `work()` with its LISTEN/NOTIFY and with its
 * smallest polling interval.
 */
import { PgBoss } from 'pg-boss';
import { DatabaseClock, Listener, Notifier, openDatabase, runUnitOfWork } from '#database/index.ts';
import { JobPoller, Queue, runJob } from '#queue/index.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { compare } from './support/row.ts';

const BENCH = 'queue';
const quick = process.argv.includes('--quick');
const JOBS = quick ? 40 : 160;
const EVERY_MS = 25;
/** Later than any poll could be by chance right in time for. */
const AHEAD_MS = 700;

await using scope = new AsyncDisposableStack();
const { url } = scope.use(await createBenchDatabase());
const [soon, punctual] = await measureOurs();
const [bossSoon, bossPunctual] = await measureBoss();
report('enqueue to start, median', 0.5, soon, bossSoon);
report('enqueue to start, 95 of 100', 0.95, soon, bossSoon);
report('lateness of a job due later, median', 0.5, punctual, bossPunctual);
report('lateness of a job due later, 95 of 100', 0.95, punctual, bossPunctual);

async function measureOurs(): Promise<[number[], number[]]> {
  await using own = new AsyncDisposableStack();
  const database = openDatabase({ url, poolSize: 10, prepares: true });
  own.defer(() => database.close());
  const claims = openDatabase({ url, poolSize: 2, prepares: true, keepsPlans: true, forgets: true });
  own.defer(() => claims.close());
  const [node] = await onServer<{ id: number }>(
    url,
    `insert into cluster_node (name, epoch, state, roles) values ('bench', 1, 'running', '{worker}') returning id`,
  );
  const clock = new DatabaseClock(database);
  await clock.measure();
  const notifier = new Notifier(database, 'svc', () => {});
  const queue = new Queue({
    database,
    wakes: { ahead: notifier.wake('queue'), behind: notifier.wake('queue') },
  });
  const started = new Map<string, number>();
  const ends: (() => void)[] = [];
  queue.work(
    'bench',
    { run: async (_unitOfWork, job) => void started.set(job.id, clock.now()) },
    { concurrency: 20, runsScripts: false },
  );
  await queue.prepare();
  const poller = new JobPoller({
    queue,
    clock,
    claims: claims.db,
    holder: () => ({ nodeId: node!.id, epoch: 1 }),
    run: async (job) => {
      const result = await runJob(queue, job);
      ends.pop()?.();
      return result;
    },
    observe: () => {},
  });
  const listener = new Listener({
    url,
    channel: 'svc',
    applicationName: 'bench',
    onMessage: () => poller.wake(),
    onConnected: () => {},
    onLost: () => {},
  });
  await listener.start();
  own.defer(() => listener.stop());
  await poller.start();
  own.defer(() => poller.stop());

  const enqueue = async (startAt?: number): Promise<{ id: string; from: number }> => {
    const id = await runUnitOfWork(database, {}, (unitOfWork) =>
      queue.enqueue(unitOfWork, {
        queue: 'bench',
        data: {},
        ...(startAt === undefined ? {} : { startAt }),
      }),
    );
    return { id: id!, from: startAt ?? clock.now() };
  };
  const lateness = async (aheadMs: number | undefined) => {
    const jobs = await paced(() => enqueue(aheadMs === undefined ? undefined : clock.now() + aheadMs));
    while (started.size < jobs.length) await new Promise<void>((resolve) => ends.push(resolve));
    const late = jobs.map(({ id, from }) => started.get(id)! - from);
    started.clear();
    return late;
  };
  await lateness(undefined);
  return [await lateness(undefined), await lateness(AHEAD_MS)];
}

async function measureBoss(): Promise<[number[], number[]]> {
  const boss = new PgBoss({
    connectionString: url,
    schema: 'plain_boss',
    schedule: false,
    useListenNotify: true,
  });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue('bench', { notify: true });
  const started = new Map<string, number>();
  await boss.work(
    'bench',
    { batchSize: 20, pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 },
    async (jobs) => {
      for (const { id } of jobs) started.set(id, Date.now());
    },
  );
  const lateness = async (aheadMs: number | undefined) => {
    const jobs = await paced(async () => {
      const at = aheadMs === undefined ? undefined : Date.now() + aheadMs;
      const id = await boss.send('bench', {}, at === undefined ? {} : { startAfter: new Date(at) });
      return { id: id!, from: at ?? Date.now() };
    });
    while (started.size < jobs.length) await new Promise((resolve) => setTimeout(resolve, 20));
    const late = jobs.map(({ id, from }) => started.get(id)! - from);
    started.clear();
    return late;
  };
  await lateness(undefined);
  const measured: [number[], number[]] = [await lateness(undefined), await lateness(AHEAD_MS)];
  await boss.stop({ graceful: false });
  return measured;
}

/** One after the other, evenly in time. */
async function paced<T>(act: () => Promise<T>): Promise<T[]> {
  const pending: Promise<T>[] = [];
  for (let n = 0; n < JOBS; n++) {
    pending.push(act());
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  return Promise.all(pending);
}

function report(quantity: string, share: number, ours: number[], theirs: number[]): void {
  const at = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) * share)]!;
  const shown = (ms: number) => Math.max(ms, 0.01);
  compare(
    { bench: BENCH, quantity, unit: 'ms', ours: [shown(at(ours))], lessIsBetter: true, goal: { atLeast: 1 } },
    'pg-boss work(), notify, polling 0.5 s',
    [shown(at(theirs))],
  );
}
