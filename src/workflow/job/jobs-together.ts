import type { UnitOfWork } from '#database/index.ts';
import type { Job, JobWork } from '#queue/index.ts';
import { beginStep } from '../instance/begin-step.ts';
import { type LockedJob, seeForJobs } from '../instance/instance-repository.ts';
import { treeKey } from '../instance/step-repository.ts';
import { takeStep } from '../instance/take-step.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { isAwaited } from './enqueue-job.ts';
import { contextOf, servedBy, stimulusOf } from './job-step.ts';

const MOST_KNOWN = 10_000;

/**
 * Steps of different instances whose jobs are due at once: what they start from is read with one statement and without
 * a lock, and what they write waits for the commit, which they share.
 */
export class JobsTogether {
  readonly #platform: WorkflowPlatform;
  /** Places whose steps need a transaction: they look at the database, or reach outside. */
  readonly #known = new Set<string>();
  readonly #places = new WeakMap<Job, string>();

  constructor(platform: WorkflowPlatform) {
    this.#platform = platform;
  }

  /** @returns how the jobs are done that may share a commit: one of each tree of instances */
  async look(jobs: readonly Job[]): Promise<ReadonlyMap<Job, JobWork>> {
    const byId = new Map(jobs.map((job) => [String(job.data['job']), job]));
    const works = new Map<Job, JobWork>();
    for (const seen of await seeForJobs(this.#platform.database.db, [...byId.keys()])) {
      const { job: row, locked } = seen;
      const job = byId.get(row.id)!;
      const place = `${locked.instance.definitionId} ${row.element}`;
      this.#places.set(job, place);
      if (row.is_dead || row.revision !== job.data['revision']) continue;
      if (locked.suspended !== null) continue;
      // A caller who waits for a job is told of that job alone.
      if (!this.#known.has(place) && !isAwaited(job))
        works.set(job, (unitOfWork) => this.#work(unitOfWork, job, seen));
    }
    return works;
  }

  async #work(unitOfWork: UnitOfWork, job: Job, { job: row, locked }: LockedJob): Promise<void> {
    // A job whose instance others moved a moment ago waits for the lock.
    if (!unitOfWork.mayBePending(treeKey(locked.instance.rootId))) unitOfWork.refuse();
    const context = contextOf(locked, unitOfWork, job.data['transaction']);
    await takeStep(beginStep(this.#platform, context), locked, stimulusOf(row), servedBy(row));
  }

  noteAlone(job: Job): void {
    const place = this.#places.get(job);
    if (place === undefined) return;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.add(place);
  }
}
