import { sql } from 'kysely';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { UnitOfWork } from '#database/index.ts';
import { type Job, type JobHandler, Queue, releaseJobs, runJob } from '#queue/index.ts';
import { claimJobs } from '../../../src/queue/job-repository.ts';
import { beginSuspect } from '../../../src/queue/release-repository.ts';
import { type FaultControl, installFaults } from '../../support/database-faults.ts';
import { eventually } from '../../support/eventually.ts';
import { QUICK, queueSite } from '../../support/queue-site.ts';
import { wakesOf } from '../../support/queue-wakes.ts';

describe('a job whose node is in trouble', () => {
  const faults: FaultControl = installFaults();
  const site = queueSite();
  const { enqueue, inUnit, mark, marks, rows, startPoller, addNode, claimOne } = site;
  const at = (inMs: number) => ({ startAt: Date.now() + inMs });

  afterEach(() => faults.set(null));

  it('gives the jobs of a lost node to others without blaming them, and refuses what it does afterwards', async () => {
    let lost = false;
    site.queue.work('work', { run: mark }, QUICK);
    await site.queue.prepare();
    const other = { nodeId: await addNode('b'), epoch: 1 };
    const id = await enqueue({});
    const { ended } = await startPoller(async (job) => {
      if (lost) return runJob(site.queue, job);
      lost = true;
      // At one go, or the poller might be faster than the other node.
      const [again] = await site.database.db.transaction().execute(async (transaction) => {
        expect(await releaseJobs(transaction, { holder: site.holder, lost: 'node' })).toBe(1);
        return site.queue.claim(transaction, 'work', 1, other);
      });
      expect(again).toMatchObject({ id, attempt: 1, lostWith: ['a'] });
      expect((await runJob(site.queue, again!)).end).toBe('completed');
      return runJob(site.queue, job);
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
          released = releaseJobs(site.database.db, { holder: site.holder, lost: 'node' });
          await eventually(
            () => rows(waits),
            (waiting) => waiting.length > 0,
          );
          await mark(own, job);
        });
        expect(await released).toBe(1);
        expect(await site.queue.claim(site.database.db, 'work', 1, other)).toHaveLength(1);
        await inUnit(async (own) => {
          await mark(own, job);
          await fence(await own.db());
        });
      },
    };
    site.queue.work('work', handler, QUICK);
    await site.queue.prepare();
    const id = await enqueue({});
    const [job] = await site.queue.claim(site.database.db, 'work', 1, site.holder);
    expect(await runJob(site.queue, job!)).toMatchObject({ end: 'fencedOut' });
    expect(await marks()).toEqual([{ job: id, attempt: 1 }]);
  });

  it('gives back the jobs of a life that nobody released, and those that it has claimed and forgotten', async () => {
    site.queue.work('work', { run: mark }, QUICK);
    await site.queue.prepare();
    const gone = { nodeId: await addNode('gone'), epoch: 1 };
    await enqueue({});
    await enqueue({});
    expect(await site.queue.claim(site.database.db, 'work', 1, gone)).toHaveLength(1);
    expect(await site.queue.claim(site.database.db, 'work', 1, site.holder)).toHaveLength(1);
    await sql`update cluster_node set epoch = 2 where name = 'gone'`.execute(site.database.db);
    const { ended } = await startPoller();
    expect((await ended(2)).map(({ result }) => result.end)).toEqual(['completed', 'completed']);
    expect(await marks()).toHaveLength(2);
  });

  it('does not blame a job for nodes that hung, until it is ten times', async () => {
    site.queue.work('work', { run: mark }, QUICK);
    await site.queue.prepare();
    const interrupt = async (times: number) => {
      for (let n = 0; n < times; n++) {
        await claimOne();
        await releaseJobs(site.database.db, { holder: site.holder, lost: 'silent' });
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
    site.queue.work('work', { run: mark }, QUICK);
    await site.queue.prepare();
    const id = await enqueue({});
    for (const isAlone of [false, false, false, true]) {
      const job = await claimOne();
      if (job.suspected === 2) {
        // Who dies before a suspect has begun has nothing against it.
        expect(
          await releaseJobs(site.database.db, { holder: site.holder, lost: 'node', alone: `job ${id}` }),
        ).toBe(1);
        expect(await beginSuspect(site.database.db, job)).toBe(false);
        const again = await claimOne();
        expect(again.lostWith).toEqual(job.lostWith);
        expect(await beginSuspect(site.database.db, again)).toBe(true);
      }
      await releaseJobs(site.database.db, {
        holder: site.holder,
        lost: 'node',
        alone: isAlone ? `job ${id}` : null,
      });
    }
    const { ended } = await startPoller();
    expect(await ended(1)).toMatchObject([
      { job: { lostWith: ['a', 'a', 'a', 'a'], suspected: 3 }, result: { end: 'dead' } },
    ]);
    expect(await marks()).toEqual([]);
    expect(await rows('select * from svc_dead_letter')).toMatchObject([
      { job_id: id, error: 'It ran when each of these ended: a, a, a, a' },
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
    site.queue.work('work', { run }, QUICK);
    await site.queue.prepare();
    const suspect = await enqueue({ name: 'suspect' });
    for (let n = 0; n < 2; n++) {
      await claimOne();
      await releaseJobs(site.database.db, { holder: site.holder, lost: 'node' });
    }
    const other = { nodeId: await addNode('b'), epoch: 1 };
    await site.queue.claim(site.database.db, 'work', 1, other);
    for (let n = 0; n < 2; n++) await enqueue({ name: 'other' });
    const { poller, ended } = await startPoller();
    const begun = (count: number) =>
      eventually(
        async () => open.length,
        (n) => n === count,
      );
    await begun(2);
    await releaseJobs(site.database.db, { holder: other, lost: null });
    poller.wake();
    await eventually(
      () => rows(`select from work_job where waits and node_id = ${site.holder.nodeId}`),
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
    expect(site.marked).toEqual([`job ${suspect}`, null]);
  });

  it.each(['before', 'after'] as const)(
    'does a job once when the connection breaks %s its commit',
    async (when) => {
      site.queue.work('work', { run: mark }, QUICK);
      await site.queue.prepare();
      const id = await enqueue({});
      const { ended } = await startPoller((job) => {
        faults.set({ statement: '^commit$', when, what: 'disconnect' });
        return runJob(site.queue, job);
      });
      expect((await ended(1))[0]!.result.end).toBe('completed');
      expect(faults.happened).toBe(true);
      expect(await marks()).toEqual([{ job: id, attempt: 1 }]);
      expect(await rows('select * from work_job')).toEqual([]);
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
    site.queue.work('work', { run: slow }, { ...QUICK, concurrency: 1 });
    await site.queue.prepare();
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

  it('lets a node that was given up claim nothing', async () => {
    site.queue.work('work', { run: mark }, QUICK);
    await enqueue({});
    await sql`update cluster_node set epoch = 2`.execute(site.database.db);
    expect(await site.queue.claim(site.database.db, 'work', 1, site.holder)).toEqual([]);
    await sql`update cluster_node set state = 'down'`.execute(site.database.db);
    expect(await site.queue.claim(site.database.db, 'work', 1, { ...site.holder, epoch: 2 })).toEqual([]);
  });

  it('hands back at its stop what only waits for its time, which has nothing to do with the end of a node either', async () => {
    site.queue.work('work', { run: mark }, QUICK);
    const id = await enqueue({}, at(450));
    const asks = [{ kind: 'work', most: 1, lookAheadMs: 500, since: 0 }];
    const [claimed] = await claimJobs(site.database.db, asks, site.holder);
    await releaseJobs(site.database.db, { holder: site.holder, lost: 'node' });
    const [again] = await claimJobs(site.database.db, asks, site.holder);
    expect(again).toEqual({ ...claimed, claim: 2, lostWith: [], suspected: 0 });
    await sql`update work_job set due_at = now() + interval '1 minute'`.execute(site.database.db);
    await releaseJobs(site.database.db, { holder: site.holder, lost: null });
    expect(await rows('select id, due_at > now() as waits, node_id from work_job')).toEqual([
      { id, waits: true, node_id: null },
    ]);
  });

  it('looks behind what it has seen when it is told that something was committed there', async () => {
    site.queue.work('work', { run: mark }, QUICK);
    const { poller, ended } = await startPoller();
    await enqueue({});
    await ended(1);
    await sql`insert into work_job (id, queue, data, due_at, attempts, retry_delay_ms)
              values (gen_random_uuid(), 'work', '{}', now() - interval '10 s', 1, 0)`.execute(
      site.database.db,
    );
    poller.lookBehind();
    expect((await ended(2))[1]).toMatchObject({ result: { end: 'completed' } });
  });

  it('tells the nodes to look behind when the commit came long after it was enqueued', async () => {
    const news: unknown[] = [];
    const telling = new Queue({ database: site.database, wakes: wakesOf((topic) => news.push(topic)) });
    telling.work('work', { run: mark }, QUICK);
    const now = performance.now.bind(performance);
    let passed = 0;
    const clockwork = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    for (const startsIn of [0, 4_000, 60_000]) {
      for (const takes of [0, 6_000]) {
        await inUnit(async (unit) => {
          await telling.enqueue(unit, { queue: 'work', data: {}, ...at(startsIn) });
          passed += takes;
        });
      }
    }
    clockwork.mockRestore();
    expect(news).toEqual(['ahead', 'behind', 'behind']);
  });

  it('fails what runs longer than its worker allows, and refuses what that still stores', async () => {
    const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
    const slow = async (unit: UnitOfWork, job: Job) => {
      await mark(unit, job);
      if (job.attempt === 1) await allowed;
      else allow();
    };
    site.queue.work('work', { run: slow }, { ...QUICK, limitMs: 400 });
    const { ended } = await startPoller();
    const id = await enqueue({});
    const results = (await ended(2)).map(({ job, result }) => [job.attempt, result.end]);
    expect(results.toSorted()).toEqual([
      [1, 'fencedOut'],
      [2, 'completed'],
    ]);
    expect(await marks()).toEqual([{ job: id, attempt: 2 }]);
  });
});
