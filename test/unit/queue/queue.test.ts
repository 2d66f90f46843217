import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, runUnitOfWork, type UnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { Solitude } from '#lifecycle/index.ts';
import {
  type ClaimedJob,
  type Job,
  type JobFailure,
  type JobHandler,
  JobPoller,
  type JobResult,
  Queue,
  releaseJobs,
  runJob,
  runJobs,
  type WorkerOptions,
} from '#queue/index.ts';
import { beginSuspect } from '../../../src/queue/claim-repository.ts';
import { type FaultControl, installFaults } from '../../support/database-faults.ts';
import { eventually } from '../../support/eventually.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';

const QUICK: WorkerOptions = { concurrency: 4, runsScripts: false, retries: 1, retryDelayMs: 0 };

describe('a queue', () => {
  let database: Database & AsyncDisposable;
  let queue: Queue;
  let pollers: JobPoller[];
  /** What was done alone, as others are told of it. */
  let marked: (string | null)[];
  let holder = { nodeId: 0, epoch: 0 };
  const faults: FaultControl = installFaults();

  beforeAll(async () => {
    database = await createMigratedDatabase();
    await sql`create table mark (job text, attempt int)`.execute(database.db);
  });

  afterAll(() => database[Symbol.asyncDispose]());

  beforeEach(async () => {
    await sql.raw('truncate cluster_node, queue_claim, mark, svc_pgboss.job').execute(database.db);
    await sql.raw('delete from svc_pgboss.queue').execute(database.db);
    pollers = [];
    marked = [];
    const notify = () => {
      for (const poller of pollers) poller.wake();
    };
    queue = new Queue({ database, notify });
    holder = { nodeId: await addNode('a'), epoch: 1 };
  });

  afterEach(async () => {
    faults.set(null);
    await Promise.all(pollers.map((poller) => poller.stop()));
  });

  async function addNode(name: string): Promise<number> {
    const { id } = await database.db
      .insertInto('cluster_node')
      .values({ name, epoch: 1, state: 'running', roles: ['worker'] })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  /** A poller with the results of its jobs, as they come. */
  async function startPoller(run = (job: ClaimedJob) => runJob(queue, job)) {
    const results: { job: ClaimedJob; result: JobResult }[] = [];
    const waiting: (() => void)[] = [];
    const poller = new JobPoller({
      queue,
      holder: () => holder,
      observe: () => {},
      solitude: new Solitude({
        patienceMs: 600_000,
        limitMs: 600_000,
        mark: async (subject) => void marked.push(subject),
      }),
      async run(job) {
        const result = await run(job);
        results.push({ job, result });
        for (const look of waiting) look();
        return result;
      },
    });
    pollers.push(poller);
    await queue.prepare();
    await poller.start();
    return {
      poller,
      ended: (count: number) =>
        new Promise<typeof results>((resolve) => {
          const look = () => results.length >= count && resolve(results);
          waiting.push(look);
          look();
        }),
    };
  }

  const enqueue = (data: JsonObject, more: object = {}) =>
    inUnit((unit) => queue.enqueue(unit, { queue: 'work', data, ...more }));
  const inUnit = <T>(work: (unit: UnitOfWork) => Promise<T>) => runUnitOfWork(database, {}, work);
  const mark = async (unit: UnitOfWork, job: Job) =>
    void (await sql`insert into mark values (${job.id}, ${job.attempt})`.execute(await unit.db()));
  const rows = async <T>(query: string) => (await sql.raw<T>(query).execute(database.db)).rows;
  const marks = () => rows<{ job: string; attempt: number }>('select * from mark');

  it('holds a job exactly if the unit of work that enqueued it was committed', async () => {
    queue.work('work', { run: mark }, QUICK);
    await queue.prepare();
    await expect(
      inUnit(async (unit) => {
        await queue.enqueue(unit, { queue: 'work', data: {} });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await rows('select * from svc_queue')).toMatchObject([{ queue: 'work', ready: 0 }]);
    const id = await enqueue({ n: 1 });
    expect(await rows('select * from svc_queue')).toMatchObject([{ queue: 'work', ready: 1, active: 0 }]);
    const { ended } = await startPoller();
    expect(await ended(1)).toMatchObject([
      { job: { id, data: { n: 1 }, attempt: 1 }, result: { end: 'completed' } },
    ]);
    expect(await marks()).toEqual([{ job: id, attempt: 1 }]);
    expect(await rows('select * from queue_claim')).toEqual([]);
  });

  it('lists the job of a dry run and does not keep it', async () => {
    queue.work('work', { run: mark }, QUICK);
    await queue.prepare();
    await runUnitOfWork(database, { dryRun: true }, async (unit) => {
      await queue.enqueue(unit, { queue: 'work', data: {} });
      expect(unit.effects.map(({ what }) => what)).toEqual(['job in queue work']);
    });
    expect(await rows('select * from svc_queue')).toMatchObject([{ ready: 0 }]);
  });

  it('runs many due jobs together: what fails there leaves nothing, and is run job by job', async () => {
    const together: number[] = [];
    const runTogether = async (unit: UnitOfWork, jobs: readonly Job[]) => {
      together.push(jobs.length);
      for (const job of jobs) await mark(unit, job);
      if (jobs.some(({ data }) => data['bad'] === true)) throw new Error('One of them is bad');
      return jobs.filter(({ data }) => data['alone'] !== true);
    };
    const run = async (unit: UnitOfWork, job: Job) => {
      await mark(unit, job);
      if (job.data['bad'] === true) throw new Error('bad');
    };
    queue.work('work', { run, runTogether }, { ...QUICK, retries: 0, together: 8 });
    await queue.prepare();
    const ids: (string | null)[] = [];
    for (let n = 0; n < 32; n++) ids.push(await enqueue(n === 5 ? { bad: true } : {}));
    const results: JobResult[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const note = (more: readonly JobResult[]) => {
      results.push(...more);
      if (results.length >= ids.length) resolve();
      return more;
    };
    const poller = new JobPoller({
      queue,
      holder: () => holder,
      observe: () => {},
      run: async (job) => note([await runJob(queue, job)])[0]!,
      runTogether: async (jobs) => note(await runJobs(queue, jobs)),
    });
    pollers.push(poller);
    await poller.start();
    await promise;
    await poller.stop();
    expect(Math.max(...together)).toBeGreaterThan(1);
    expect(results.filter(({ end }) => end === 'completed')).toHaveLength(31);
    expect(results.filter(({ end }) => end === 'dead')).toHaveLength(1);
    const done = (await marks()).map(({ job }) => job);
    expect(done.sort()).toEqual(ids.filter((_, n) => n !== 5).sort());
    expect(await rows('select * from queue_claim')).toEqual([]);
  });

  it('commits nothing of jobs that run together when one of them is another’s by then', async () => {
    queue.work(
      'work',
      {
        run: mark,
        async runTogether(unit, jobs) {
          for (const job of jobs) await mark(unit, job);
          await sql`update queue_claim set node_epoch = node_epoch + 1 where job_id = ${jobs[0]!.id}`.execute(
            database.db,
          );
          return jobs;
        },
      },
      { ...QUICK, together: 8 },
    );
    await queue.prepare();
    const [lost, kept] = [await enqueue({}), await enqueue({})];
    const claimed = await queue.claim(database.db, 'work', 2, holder);
    const first = claimed.find(({ id }) => id === lost)!;
    const results = await runJobs(queue, [first, ...claimed.filter((job) => job !== first)]);
    expect(results.map(({ end }) => end)).toEqual(['fencedOut', 'completed']);
    expect(await marks()).toEqual([{ job: kept, attempt: 1 }]);
  });

  it('keeps nothing of a failed attempt but the failure, tries again, and ends in a dead letter that can be revived', async () => {
    const failures: { attempt: number; failure: JobFailure }[] = [];
    let healed = false;
    queue.work(
      'work',
      {
        async run(unit, job) {
          await mark(unit, job);
          if (!healed) throw new Error(`attempt ${job.attempt}`);
        },
        async failed(unit, { attempt }, failure) {
          failures.push({ attempt, failure });
          await sql`insert into mark values ('failure', ${attempt})`.execute(await unit.db());
        },
      },
      QUICK,
    );
    const { ended } = await startPoller();
    const id = await enqueue({ n: 7 });
    expect((await ended(2)).map(({ result }) => result.end)).toEqual(['retrying', 'dead']);
    expect(failures.map(({ attempt, failure }) => [attempt, failure.retryAt !== null])).toEqual([
      [1, true],
      [2, false],
    ]);
    expect(await marks()).toEqual([1, 2].map((attempt) => ({ job: 'failure', attempt })));
    const letters = await rows<{ dead_letter: string }>('select * from svc_dead_letter');
    expect(letters).toMatchObject([
      { queue: 'work', job: id, attempts: 2, data: { n: 7 }, detail: { code: 500, cause: 'attempt 2' } },
    ]);
    healed = true;
    expect(await inUnit((unit) => queue.revive(unit, [letters[0]!.dead_letter]))).toBe(1);
    expect((await ended(3))[2]).toMatchObject({
      job: { data: { n: 7 }, attempt: 1 },
      result: { end: 'completed' },
    });
    expect(await rows('select * from svc_dead_letter')).toEqual([]);
  });

  it('runs a job at its time, not before and not at the next poll', async () => {
    const late: number[] = [];
    queue.work(
      'work',
      {
        async run(unit, job) {
          const { rows: now } = await sql<{ ms: number }>`
            select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(await unit.db());
          late.push(now[0]!.ms - job.dueAt);
        },
      },
      QUICK,
    );
    const { ended } = await startPoller();
    // A machine that is busy elsewhere may need more than one try to be in time.
    do {
      const now = Date.now();
      for (const wait of [120, 260, 390]) await enqueue({}, { startAt: now + wait });
      await ended(late.length + 3);
    } while (Math.min(...late) > 700);
    for (const ms of late) expect(ms).toBeGreaterThanOrEqual(0);
  });

  it('takes one job of a key while it is not done, where keys are unique', async () => {
    queue.work('work', { run: mark }, { ...QUICK, unique: 'unfinished' });
    await queue.prepare();
    const first = await enqueue({}, { key: 'x' });
    expect(await enqueue({}, { key: 'x' })).toBeNull();
    expect(await enqueue({}, { key: 'y' })).not.toBeNull();
    const { ended } = await startPoller();
    await ended(2);
    expect(await enqueue({}, { key: 'x' })).not.toBe(first);
    expect((await ended(3)).map(({ result }) => result.end)).toEqual(['completed', 'completed', 'completed']);
  });

  it('runs the more important first, and no more at once than the worker allows', async () => {
    let running = 0;
    let most = 0;
    const order: unknown[] = [];
    const work = async (_unit: UnitOfWork, job: Job) => {
      most = Math.max(most, ++running);
      order.push(job.data['n']);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
    };
    queue.work('work', { run: work }, { ...QUICK, concurrency: 1 });
    await queue.prepare();
    for (const [n, priority] of [
      [1, 0],
      [2, 5],
      [3, 1],
    ] as const) {
      await enqueue({ n }, { priority });
    }
    const { ended } = await startPoller();
    await ended(3);
    expect(order).toEqual([2, 3, 1]);
    expect(most).toBe(1);
  });

  it('takes back what a cancelled job has stored', async () => {
    let ids: string[] = [];
    const cancelling = async (unit: UnitOfWork, job: Job) => {
      await mark(unit, job);
      await inUnit((other) => queue.cancel(other, 'work', ids));
    };
    queue.work('work', { run: cancelling }, QUICK);
    await queue.prepare();
    const waiting = (await enqueue({}, { startAt: Date.now() + 60_000 }))!;
    const running = (await enqueue({}))!;
    ids = [waiting, running];
    const { ended } = await startPoller();
    expect(await ended(1)).toMatchObject([{ job: { id: running }, result: { end: 'fencedOut' } }]);
    expect(await marks()).toEqual([]);
    expect(await rows('select * from svc_queue')).toMatchObject([{ ready: 0, deferred: 0, active: 0 }]);
  });

  it('gives the jobs of a lost node to others without blaming them, and refuses what it does afterwards', async () => {
    let lost = false;
    queue.work('work', { run: mark }, QUICK);
    await queue.prepare();
    const other = { nodeId: await addNode('b'), epoch: 1 };
    const id = await enqueue({});
    const { ended } = await startPoller(async (job) => {
      if (lost) return runJob(queue, job);
      lost = true;
      // At one go, or the poller might be faster than the other node.
      const [again] = await database.db.transaction().execute(async (transaction) => {
        expect(await releaseJobs(transaction, { holder, lost: 'node' })).toBe(1);
        return queue.claim(transaction, 'work', 1, other);
      });
      expect(again).toMatchObject({ id, attempt: 1, lostWith: ['a'] });
      expect((await runJob(queue, again!)).end).toBe('completed');
      return runJob(queue, job);
    });
    expect(await ended(1)).toMatchObject([{ result: { end: 'fencedOut' } }]);
    expect(await marks()).toEqual([{ job: id, attempt: 1 }]);
  });

  it('lets a handler commit something by itself while the job is its own, and not any more when it is another’s', async () => {
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const other = { nodeId: await addNode('b'), epoch: 1 };
    const handler: JobHandler = {
      async run(_unit, job, fence) {
        let released: Promise<number> | undefined;
        await inUnit(async (own) => {
          await fence(await own.db());
          released = releaseJobs(database.db, { holder, lost: 'node' });
          await eventually(
            () => rows(waits),
            (waiting) => waiting.length > 0,
          );
          await mark(own, job);
        });
        expect(await released).toBe(1);
        expect(await queue.claim(database.db, 'work', 1, other)).toHaveLength(1);
        await inUnit(async (own) => {
          await mark(own, job);
          await fence(await own.db());
        });
      },
    };
    queue.work('work', handler, QUICK);
    await queue.prepare();
    const id = await enqueue({});
    const [job] = await queue.claim(database.db, 'work', 1, holder);
    expect(await runJob(queue, job!)).toMatchObject({ end: 'fencedOut' });
    expect(await marks()).toEqual([{ job: id, attempt: 1 }]);
  });

  it('gives back the jobs of a life that nobody released, and those that it has claimed and forgotten', async () => {
    queue.work('work', { run: mark }, QUICK);
    await queue.prepare();
    const gone = { nodeId: await addNode('gone'), epoch: 1 };
    await enqueue({});
    await enqueue({});
    expect(await queue.claim(database.db, 'work', 1, gone)).toHaveLength(1);
    expect(await queue.claim(database.db, 'work', 1, holder)).toHaveLength(1);
    await sql`update cluster_node set epoch = 2 where name = 'gone'`.execute(database.db);
    const { ended } = await startPoller();
    expect((await ended(2)).map(({ result }) => result.end)).toEqual(['completed', 'completed']);
    expect(await marks()).toHaveLength(2);
  });

  const claimOne = async () => (await queue.claim(database.db, 'work', 1, holder))[0]!;

  it('does not blame a job for nodes that hung, until it is ten times', async () => {
    queue.work('work', { run: mark }, QUICK);
    await queue.prepare();
    const interrupt = async (times: number) => {
      for (let n = 0; n < times; n++) {
        await claimOne();
        await releaseJobs(database.db, { holder, lost: 'silent' });
      }
    };
    await enqueue({});
    await interrupt(10);
    await enqueue({});
    await interrupt(9);
    const { ended } = await startPoller();
    expect((await ended(2)).map(({ result }) => result.end).toSorted()).toEqual(['completed', 'dead']);
  });

  it('gives up a job that has brought down three nodes, the last one while it was alone there', async () => {
    queue.work('work', { run: mark }, QUICK);
    await queue.prepare();
    const id = await enqueue({});
    for (const isAlone of [false, false, false, true]) {
      const job = await claimOne();
      if (job.suspected === 2) {
        // Who dies before a suspect has begun has nothing against it.
        expect(await releaseJobs(database.db, { holder, lost: 'node', alone: `job ${id}` })).toBe(1);
        expect(await beginSuspect(database.db, job)).toBe(false);
        const again = await claimOne();
        expect(again.lostWith).toEqual(job.lostWith);
        expect(await beginSuspect(database.db, again)).toBe(true);
      }
      await releaseJobs(database.db, { holder, lost: 'node', alone: isAlone ? `job ${id}` : null });
    }
    const { ended } = await startPoller();
    expect(await ended(1)).toMatchObject([
      { job: { lostWith: ['a', 'a', 'a', 'a'], suspected: 3 }, result: { end: 'dead' } },
    ]);
    expect(await marks()).toEqual([]);
    expect(await rows('select * from svc_dead_letter')).toMatchObject([
      { job: id, error: 'It ran when each of these ended: a, a, a, a' },
    ]);
  });

  it('tries a job that was there at the end of two nodes while nothing else runs', async () => {
    const said: string[] = [];
    const open: PromiseWithResolvers<void>[] = [];
    let underWay = 0;
    const run = async (_unit: UnitOfWork, { data }: Job) => {
      underWay += 1;
      said.push(`${String(data['name'])} beside ${underWay - 1}`);
      const end = Promise.withResolvers<void>();
      open.push(end);
      await end.promise;
      underWay -= 1;
    };
    queue.work('work', { run }, QUICK);
    await queue.prepare();
    const suspect = await enqueue({ name: 'suspect' });
    for (let n = 0; n < 2; n++) {
      await claimOne();
      await releaseJobs(database.db, { holder, lost: 'node' });
    }
    const other = { nodeId: await addNode('b'), epoch: 1 };
    await queue.claim(database.db, 'work', 1, other);
    for (let n = 0; n < 2; n++) await enqueue({ name: 'other' });
    const { poller, ended } = await startPoller();
    const begun = (count: number) =>
      eventually(
        async () => open.length,
        (n) => n === count,
      );
    await begun(2);
    await releaseJobs(database.db, { holder: other, lost: null });
    poller.wake();
    await eventually(
      () => rows(`select from queue_claim where waits and node_id = ${holder.nodeId}`),
      ({ length }) => length === 1,
    );
    await enqueue({ name: 'other' });
    poller.wake();
    for (const { resolve } of open) resolve();
    await begun(3);
    open[2]!.resolve();
    await begun(4);
    open[3]!.resolve();
    await ended(4);
    expect(said.filter((each) => !each.startsWith('other'))).toEqual(['suspect beside 0']);
    expect(marked).toEqual([`job ${suspect}`, null]);
  });

  it.each(['before', 'after'] as const)(
    'does a job once when the connection breaks %s its commit',
    async (when) => {
      queue.work('work', { run: mark }, QUICK);
      await queue.prepare();
      const id = await enqueue({});
      const { ended } = await startPoller((job) => {
        faults.set({ statement: '^commit$', when, what: 'disconnect' });
        return runJob(queue, job);
      });
      expect((await ended(1))[0]!.result.end).toBe('completed');
      expect(faults.happened).toBe(true);
      expect(await marks()).toEqual([{ job: id, attempt: 1 }]);
      expect(await rows('select * from queue_claim')).toEqual([]);
    },
  );

  it('lets what runs end before it stops', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
    const slow = async (unit: UnitOfWork, job: Job) => {
      begin();
      await allowed;
      await mark(unit, job);
    };
    queue.work('work', { run: slow }, { ...QUICK, concurrency: 1 });
    await queue.prepare();
    await enqueue({});
    await enqueue({});
    const { poller, ended } = await startPoller();
    await begun;
    const stopped = poller.stop();
    allow();
    await stopped;
    expect(await ended(1)).toMatchObject([{ result: { end: 'completed' } }]);
    expect(await marks()).toHaveLength(1);
    expect(await rows('select * from svc_queue')).toMatchObject([{ ready: 1, active: 0 }]);
  });

  it('changes the settings of a queue that is there already', async () => {
    queue.work('work', { run: mark }, QUICK);
    await queue.prepare();
    const newer = new Queue({ database, notify: () => {} });
    newer.work('work', { run: mark }, { ...QUICK, retries: 5, backoff: true });
    await newer.prepare();
    expect(await newer.boss.getQueue('work')).toMatchObject({ retryLimit: 5, retryBackoff: true });
  });

  it('has the tables that this version of pg-boss wants', async () => {
    await queue.prepare();
    const { ok, ...drift } = await queue.boss.detectSchemaDrift();
    expect(ok, JSON.stringify(drift, null, 1)).toBe(true);
    await queue.boss.start();
    await queue.boss.supervise();
    await queue.boss.stop({ graceful: false, close: false });
  });
});
