import { describe, expect, it } from 'vitest';
import { buryHeldJobs, holdQueues, listHeldQueues, releaseQueue } from '#queue/index.ts';
import { QUICK, queueSite } from '../../support/queue-site.ts';

describe('a queue that is held', () => {
  const site = queueSite();
  const { enqueue, mark, marks, rows, startPoller } = site;
  const prepare = async () => {
    site.queue.work('work', { run: mark }, QUICK);
    await site.queue.prepare();
  };
  const claim = (most = 1) => site.queue.claim(site.database.db, 'work', most, site.holder);

  it('begins nothing until it is released, and then what has waited as well', async () => {
    await prepare();
    const before = await enqueue({});
    expect(await holdQueues(site.database.db)).toBe(1);
    const after = await enqueue({});
    expect(await claim()).toEqual([]);
    expect(await listHeldQueues(site.database.db)).toMatchObject([{ queue: 'work', due: 2 }]);
    await releaseQueue(site.database.db, 'work');
    expect(await listHeldQueues(site.database.db)).toEqual([]);
    const { ended } = await startPoller();
    await ended(2);
    expect((await marks()).map(({ job }) => job).toSorted()).toEqual([before, after].toSorted());
  });

  it('has another one go on', async () => {
    site.queue.work('other', { run: mark }, QUICK);
    await prepare();
    await enqueue({});
    await site.database.pool.query("update work_queue set held_since = now() where name = 'work'");
    await site.database.pool.query("update work_job set queue = 'other'");
    expect(await site.queue.claim(site.database.db, 'other', 1, site.holder)).toHaveLength(1);
  });

  it('gives up what was due before as dead letters, and not what came later', async () => {
    await prepare();
    const before = await enqueue({});
    const planned = await enqueue({}, { startAt: Date.now() + 3_600_000 });
    await holdQueues(site.database.db);
    const after = await enqueue({});
    expect(await buryHeldJobs(site.database.db, 'work', { message: 'given up' })).toBe(1);
    expect(await rows('select job_id, error from work_dead_letter')).toEqual([
      { job_id: before, error: { message: 'given up' } },
    ]);
    expect((await rows<{ id: string }>('select id from work_job')).map(({ id }) => id).toSorted()).toEqual(
      [planned, after].toSorted(),
    );
  });
});
