import type { UnitOfWork } from '#database/index.ts';
import { InternalServerError } from '#errors/index.ts';
import type { Job } from '#queue/index.ts';
import type { EngineHandlers } from '../engine/index.ts';
import { beginStep } from '../instance/begin-step.ts';
import { lockForJobs } from '../instance/instance-repository.ts';
import { takeStep } from '../instance/take-step.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { deleteJob } from './job-repository.ts';
import { contextOf, stimulusOf } from './job-step.ts';

/** Locks are not held for longer: what is not done by then is run by itself. */
const LONGEST_MS = 100;
const MOST_KNOWN = 10_000;

/**
 * Steps of different instances in one unit of work: those in which nothing runs but the engine. What scripts and
 * delegates do may take long, reach outside and fail, which must be a matter of their own instance.
 */
export class JobsTogether {
  readonly #platform: WorkflowPlatform;
  /** Places from which a step comes to a script or a delegate. */
  readonly #known = new Set<string>();

  constructor(platform: WorkflowPlatform) {
    this.#platform = platform;
  }

  /** @returns those that are done. @throws InternalServerError when one of them turns out to need a script */
  async run(unitOfWork: UnitOfWork, jobs: readonly Job[]): Promise<readonly Job[]> {
    const startedAt = performance.now();
    const byId = new Map(jobs.map((job) => [String(job.data['job']), job]));
    const done: Job[] = [];
    const db = await unitOfWork.db();
    for (const { job: row, locked } of await lockForJobs(db, [...byId.keys()], { skipLocked: true })) {
      const job = byId.get(row.id)!;
      const place = `${locked.instance.definitionId} ${row.element}`;
      if (row.is_dead || row.revision !== job.data['revision'] || this.#known.has(place)) continue;
      const guard = new Guard();
      const step = {
        ...beginStep(this.#platform, contextOf(locked, unitOfWork, job.data['transaction'])),
        guard: guard.handlers,
      };
      if (row.kind === 'signal') await deleteJob(db, row.id);
      await takeStep(step, locked, stimulusOf(row)).catch((error: unknown) => {
        if (!guard.isBroken) throw error;
      });
      // The engine may have taken the refusal for a failure that its process catches.
      if (guard.isBroken) throw this.#learn(place);
      done.push(job);
      if (performance.now() - startedAt > LONGEST_MS) break;
    }
    return done;
  }

  #learn(place: string): InternalServerError {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.add(place);
    return refused();
  }
}

/** Handlers that refuse whatever is not the engine's own, and remember that they did. */
class Guard {
  isBroken = false;

  readonly handlers = (handlers: EngineHandlers): EngineHandlers => ({
    ...handlers,
    runScript: () => this.#refuse(),
    callDelegate: (call) => (call.kind === 'mail' ? handlers.callDelegate(call) : this.#refuse()),
    findBinding: (name, execution) =>
      name === 'svc' ? this.#refuse() : handlers.findBinding?.(name, execution),
  });

  #refuse(): never {
    this.isBroken = true;
    throw refused();
  }
}

function refused(): InternalServerError {
  return new InternalServerError('This step runs what the engine does not know, so it goes by itself');
}
