import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type GroupWrite, runUnitOfWork, type UnitOfWork } from '#database/index.ts';
import {
  type Job,
  type JobFailure,
  JobPoller,
  type JobResult,
  QueueKeeper,
  runJob,
  runJobs,
} from '#queue/index.ts';
import { claimJobs, listDues } from '../../../src/queue/job-repository.ts';
import { eventually } from '../../support/eventually.ts';
import { clock, QUICK, queueSite } from '../../support/queue-site.ts';

const markInserts: GroupWrite<Job> = {
  steps: (jobs) => jobs.map(({ id, attempt }) => ({ statement: insertMark(id, attempt) })),
  async run(db, jobs) {
    for (const { id, attempt } of jobs) await insertMark(id, attempt).execute(db);
    return jobs.map(() => true);
  },
};

function insertMark(job: string, attempt: number) {
  return sql`insert into mark values (${job}, ${attempt})`;
}

describe('a queue', () => {
  const site = queueSite();
  const { enqueue, inUnit, mark, marks, rows, startPoller, claimOne } = site;
  const at = (inMs: number) => ({ startAt: Date.now() + inMs });

  it('holds a job exactly if the unit of work that enqueued it was committed', async () => {
    site.queue.work('work', { run: mark }, QUICK);
    await site.queue.prepare();
    await expect(
      inUnit(async (unit) => {
        await site.queue.enqueue(unit, { queue: 'work', data: {} });
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
    expect(await rows('select * from work_job')).toEqual([]);
  });

  it('leaves seats to others, however many jobs are due that have to wait for one another', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let busy = 0;
    let most = 0;
    const run = async (unitOfWork: UnitOfWork, job: Job) => {
      if (job.data['same'] === undefined) return mark(unitOfWork, job);
      busy += 1;
      most = Math.max(most, busy);
      await gate;
      await mark(unitOfWork, job);
      busy -= 1;
    };
    const groupOf = ({ data }: Job) => data['same'] as string | undefined;
    site.queue.work('work', { run, groupOf }, { ...QUICK, concurrency: 2 });
    await site.queue.prepare();
    const waiting: string[] = [];
    for (let at = 0; at < 40; at += 1) waiting.push(await enqueue({ same: 'instance' }));
    const other = await enqueue({});
    const { ended } = await startPoller();
    expect(await ended(1)).toMatchObject([{ job: { id: other }, result: { end: 'completed' } }]);
    open();
    await ended(41);
    const done = (await marks()) as { job: string; attempt: number }[];
    expect(done.map(({ job }) => job).toSorted()).toEqual([...waiting, other].toSorted());
    expect(done.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(most).toBe(1);
  });

  it('lists the job of a dry run and does not keep it', async () => {
    site.queue.work('work', { run: mark }, QUICK);
    await site.queue.prepare();
    await runUnitOfWork(site.database, { dryRun: true }, async (unit) => {
      await site.queue.enqueue(unit, { queue: 'work', data: {} });
      expect(unit.effects.map(({ what }) => what)).toEqual(['job in queue work']);
    });
    expect(await rows('select * from svc_queue')).toMatchObject([{ ready: 0 }]);
  });

  it('runs many due jobs together: each that fails or needs a transaction is run by itself', async () => {
    const together: number[] = [];
    const alone: string[] = [];
    const workOf = (job: Job) => async (unit: UnitOfWork) => {
      await unit.write(markInserts, job);
      if (job.data['bad'] === true) throw new Error('bad');
      if (job.data['looks'] === true) await unit.db();
    };
    site.queue.work(
      'work',
      {
        run: async (unit, job) => {
          alone.push(job.id);
          await workOf(job)(unit);
        },
        async workTogether(jobs) {
          together.push(jobs.length);
          return new Map(jobs.map((job) => [job, workOf(job)]));
        },
      },
      { ...QUICK, retries: 0, together: 8 },
    );
    await site.queue.prepare();
    const ids: (string | null)[] = [];
    for (let n = 0; n < 32; n++)
      ids.push(await enqueue(n === 5 ? { bad: true } : n === 6 ? { looks: true } : {}));
    const results: JobResult[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const note = (more: readonly JobResult[]) => {
      results.push(...more);
      if (results.length >= ids.length) resolve();
      return more;
    };
    const poller = new JobPoller({
      queue: site.queue,
      clock,
      holder: () => site.holder,
      observe: () => {},
      run: async (job) => note([await runJob(site.queue, job)])[0]!,
      runTogether: async (jobs) => note(await runJobs(site.queue, jobs)),
    });
    site.pollers.push(poller);
    await poller.start();
    await promise;
    await poller.stop();
    expect(Math.max(...together)).toBeGreaterThan(1);
    expect(alone).toEqual(expect.arrayContaining(ids.slice(5, 7)));
    expect(results.filter(({ end }) => end === 'completed')).toHaveLength(31);
    expect(results.filter(({ end }) => end === 'dead')).toHaveLength(1);
    const done = (await marks()).map(({ job }) => job);
    expect(done.sort()).toEqual(ids.filter((_, n) => n !== 5).sort());
    expect(await rows('select * from work_job')).toEqual([]);
  });

  it('stores nothing of a job that is another’s by then, and all of those that ran together with it', async () => {
    site.queue.work(
      'work',
      {
        run: mark,
        async workTogether(jobs) {
          await sql`update work_job set node_epoch = node_epoch + 1 where id = ${jobs[0]!.id}`.execute(
            site.database.db,
          );
          return new Map(
            jobs.map((job) => [job, async (unit: UnitOfWork) => void (await unit.write(markInserts, job))]),
          );
        },
      },
      { ...QUICK, together: 8 },
    );
    await site.queue.prepare();
    const [lost, kept] = [await enqueue({}), await enqueue({})];
    const claimed = await site.queue.claim(site.database.db, 'work', 2, site.holder);
    const first = claimed.find(({ id }) => id === lost)!;
    const results = await runJobs(site.queue, [first, ...claimed.filter((job) => job !== first)]);
    expect(results.map(({ end }) => end)).toEqual(['fencedOut', 'completed']);
    expect(await marks()).toEqual([{ job: kept, attempt: 1 }]);
  });

  it('keeps nothing of a failed attempt but the failure, tries again, and ends in a dead letter that can be revived', async () => {
    const failures: { attempt: number; failure: JobFailure }[] = [];
    let healed = false;
    site.queue.work(
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
    const letters = await rows<{ dead_letter_id: string }>('select * from svc_dead_letter');
    expect(letters).toMatchObject([
      { queue: 'work', job_id: id, attempts: 2, data: { n: 7 }, detail: { code: 500, cause: 'attempt 2' } },
    ]);
    healed = true;
    expect(await inUnit((unit) => site.queue.revive(unit, [letters[0]!.dead_letter_id]))).toBe(1);
    expect((await ended(3))[2]).toMatchObject({
      job: { data: { n: 7 }, attempt: 1 },
      result: { end: 'completed' },
    });
    expect(await rows('select * from svc_dead_letter')).toEqual([]);
  });

  it('runs a job at its time, not before and not at the next poll', async () => {
    const late: number[] = [];
    site.queue.work(
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
    site.queue.work('work', { run: work }, { ...QUICK, concurrency: 1 });
    await site.queue.prepare();
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
      await inUnit((other) => site.queue.cancel(other, 'work', ids));
    };
    site.queue.work('work', { run: cancelling }, QUICK);
    await site.queue.prepare();
    const waiting = (await enqueue({}, { startAt: Date.now() + 60_000 }))!;
    const running = (await enqueue({}))!;
    ids = [waiting, running];
    const { ended } = await startPoller();
    expect(await ended(1)).toMatchObject([{ job: { id: running }, result: { end: 'fencedOut' } }]);
    expect(await marks()).toEqual([]);
    expect(await rows('select * from svc_queue')).toMatchObject([{ ready: 0, deferred: 0, active: 0 }]);
  });

  it('claims for several queues with one statement, of each as much as there is room for', async () => {
    for (const name of ['work', 'other']) site.queue.work(name, { run: mark }, QUICK);
    const ids = [await enqueue({}), await enqueue({}), await enqueue({}, { priority: 1 })];
    await enqueue({}, { queue: 'other', ...at(300) });
    await enqueue({}, { queue: 'other', ...at(60_000) });
    const ask = { most: 2, lookAheadMs: 500, since: Date.now() - 60_000 };
    const asks = ['work', 'other'].map((kind) => ({ ...ask, kind }));
    const claimed = await claimJobs(site.database.db, asks, site.holder);
    expect(claimed.filter(({ queue: name }) => name === 'work').map(({ id }) => id)).toEqual([
      ids[2],
      ids[0],
    ]);
    expect(claimed.filter(({ queue: name }) => name === 'other')).toHaveLength(1);
    const dues = await listDues(site.database.db, asks);
    expect(dues.get('work')).toBeLessThanOrEqual(0);
    expect(dues.get('other')).toBeGreaterThan(50_000);
  });

  it('is due now when it was due in the past, so that a claim need not look far behind', async () => {
    site.queue.work('work', { run: mark }, QUICK);
    const before = Date.now();
    await enqueue({}, at(-3_600_000));
    expect((await claimOne()).dueAt).toBeGreaterThanOrEqual(before);
  });

  it('lets what failed wait as its worker says, longer each time where that says so', async () => {
    const failing = { run: () => Promise.reject(new Error('no')) };
    site.queue.work('work', failing, { ...QUICK, retries: 5, retryDelayMs: 1_500, backoff: true });
    site.queue.work('steady', failing, { ...QUICK, retryDelayMs: 1_500 });
    const waits = async (name: string) => {
      const [job] = await site.queue.claim(site.database.db, name, 1, site.holder);
      await runJob(site.queue, job!);
      const [row] = await rows<{ ms: number }>(
        'select (extract(epoch from due_at - clock_timestamp()) * 1000)::float8 as ms from work_job',
      );
      await sql`update work_job set due_at = clock_timestamp()`.execute(site.database.db);
      return row!.ms;
    };
    await enqueue({});
    for (const doubled of [2, 4, 8]) {
      const ms = await waits('work');
      expect(ms).toBeGreaterThan(1_500 * (doubled / 2) - 1_000);
      expect(ms).toBeLessThanOrEqual(1_500 * doubled);
    }
    await sql`delete from work_job`.execute(site.database.db);
    await enqueue({}, { queue: 'steady' });
    expect(await waits('steady')).toBeLessThanOrEqual(1_500);
  });

  it('forgets dead letters after a year', async () => {
    const poisoned = { run: () => Promise.reject(new Error('no')) };
    site.queue.work('work', poisoned, { ...QUICK, retries: 0 });
    for (let n = 0; n < 2; n++) {
      await enqueue({});
      expect(await runJob(site.queue, await claimOne())).toMatchObject({ end: 'dead' });
    }
    const [old, kept] = await rows<{ dead_letter_id: string }>('select dead_letter_id from svc_dead_letter');
    await sql`update work_dead_letter set died_at = now() - interval '366 days' where id = ${old!.dead_letter_id}`.execute(
      site.database.db,
    );
    const keeper = new QueueKeeper(site.queue, () => {});
    await keeper.start();
    const left = await eventually(
      () => rows('select dead_letter_id from svc_dead_letter'),
      ({ length }) => length < 2,
    );
    await keeper.stop();
    expect(left).toEqual([kept]);
  });
});
