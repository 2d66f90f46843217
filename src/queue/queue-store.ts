import type { Db } from '#database/index.ts';
import { type Holder, isSuspect, type WorkStore } from '#work/index.ts';
import type { ClaimedJob } from './job.ts';
import { claimJobs, listDues } from './job-repository.ts';
import { beginSuspect, listOrphanedHolders, releaseJobs, subjectOf } from './release-repository.ts';

/**
 * The queues as a store of work.
 *
 * @param claims sessions for what is asked again and again; that a claim is lost in a crash of Postgres does no harm
 */
export function queueStore(db: Db, holder: () => Holder, claims: Db = db): WorkStore<ClaimedJob> {
  return {
    async claim(asks) {
      const jobs = Map.groupBy(await claimJobs(claims, asks, holder()), ({ queue }) => queue);
      const claimed = asks.map(({ kind, most }) => ({ kind, most, works: jobs.get(kind) ?? [] }));
      const isFull = claimed.some(({ works, most }) => works.length >= most);
      const dues = isFull ? undefined : await listDues(claims, asks);
      return new Map(
        claimed.map(({ kind, most, works }) => [
          kind,
          { works, isFull: works.length >= most, dueInMs: dues?.get(kind) },
        ]),
      );
    },
    /** Only of a suspect somebody must know. */
    async start(jobs) {
      const begun = await Promise.all(jobs.map((job) => !isSuspect(job) || beginSuspect(db, job)));
      return jobs.filter((_, index) => begun[index]);
    },
    async handBackAllBut(kept) {
      await releaseJobs(db, { holder: holder(), except: kept.map(({ id }) => id), lost: null });
    },
    async handBack(jobs) {
      await releaseJobs(db, { holder: holder(), only: jobs.map(({ id }) => id), lost: null });
    },
    async giveUp() {
      await releaseJobs(db, { holder: holder(), lost: null });
    },
    async releaseLost() {
      for (const gone of await listOrphanedHolders(db))
        await releaseJobs(db, { holder: gone, lost: 'silent' });
    },
    subjectOf,
  };
}
