import type { Db } from '#database/index.ts';
import type { Holder, WorkStore } from '#work/index.ts';
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
    claim: async (asks) => Map.groupBy(await claimJobs(claims, asks, holder()), ({ queue }) => queue),
    listDues: (asks) => listDues(claims, asks),
    async handBackAllBut(kept) {
      await releaseJobs(db, { holder: holder(), except: kept.map(({ id }) => id), lost: null });
    },
    async handBack(jobs) {
      await releaseJobs(db, { holder: holder(), only: jobs.map(({ id }) => id), lost: null });
    },
    async releaseLost() {
      for (const gone of await listOrphanedHolders(db))
        await releaseJobs(db, { holder: gone, lost: 'silent' });
    },
    beginSuspect: (job) => beginSuspect(db, job),
    subjectOf,
  };
}
