import { describe, expect, it } from 'vitest';
import type { UnitOfWork } from '#database/index.ts';
import type { Job, JobPoller } from '#queue/index.ts';
import { eventually } from '../../support/eventually.ts';
import { QUICK, queueSite } from '../../support/queue-site.ts';

describe('jobs that wait for one another', () => {
  const site = queueSite();
  const { enqueue, mark, marks, rows, startPoller } = site;

  /** A whole round that began after this was called has ended. */
  async function nextRound(poller: JobPoller): Promise<void> {
    for (let round = 0; round < 2; round++) {
      const before = poller.lastBeatAt;
      poller.wake();
      await eventually(
        async () => poller.lastBeatAt,
        (at) => at > before,
      );
    }
  }

  it('are held while they wait, so that none is given to another and run twice', async () => {
    const gate = Promise.withResolvers<void>();
    const handled: string[] = [];
    const run = async (unitOfWork: UnitOfWork, job: Job) => {
      handled.push(job.id);
      await gate.promise;
      await mark(unitOfWork, job);
    };
    site.queue.work('work', { run, groupOf: () => 'instance' }, { ...QUICK, concurrency: 2 });
    await site.queue.prepare();
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) ids.push(await enqueue({}));
    const { poller } = await startPoller();
    const held = 'select id from work_job where node_id is not null';
    await eventually(
      () => rows(held),
      ({ length }) => length === ids.length,
    );
    await nextRound(poller);
    expect(poller.held.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());

    poller.drain(true);
    await nextRound(poller);
    expect(await rows(held)).toHaveLength(ids.length);
    gate.resolve();
    await eventually(
      () => rows(held),
      ({ length }) => length === 0,
    );
    expect(await marks()).toHaveLength(1);
    poller.drain(false);
    await eventually(
      () => rows('select from work_job'),
      ({ length }) => length === 0,
    );
    expect(handled.toSorted()).toEqual(ids.toSorted());
    expect((await marks()).map(({ job }) => job).toSorted()).toEqual(ids.toSorted());
  });
});
