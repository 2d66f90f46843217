import type { UnitOfWork } from '#database/index.ts';
import { firstOf } from '#json/index.ts';
import type { Job } from '#queue/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { readRetryCycle } from './retry-cycle.ts';

export const WORKFLOW_QUEUE = 'workflow';

/** What has to be known of a stored job to wake for it. Epoch ms. */
export interface QueuedJob {
  readonly id: string;
  readonly revision: number;
  readonly dueAt: number;
  readonly instanceId?: string;
  readonly retryCycle?: string | null;
  /** Instead of what the cycle says. */
  readonly attempts?: number;
  /** Somebody waits for its end. */
  readonly isAwaited?: boolean;
}

/** Puts a stored job into the queue, in the unit of work that stores it. */
export async function enqueueJob(
  { queue, now }: Pick<WorkflowPlatform, 'queue' | 'now'>,
  unitOfWork: UnitOfWork,
  job: QueuedJob,
): Promise<void> {
  const { attempts, pausesMs } = readRetryCycle(job.retryCycle ?? null);
  await queue.enqueue(unitOfWork, {
    queue: WORKFLOW_QUEUE,
    data: {
      job: job.id,
      revision: job.revision,
      ...(job.instanceId === undefined ? {} : { instance: job.instanceId }),
      ...(job.isAwaited === true ? { isAwaited: true } : {}),
      ...(pausesMs.length === 1 ? {} : { pausesMs: [...pausesMs] }),
      // What it does is part of what caused it; each firing of a start timer begins something of its own.
      ...(job.instanceId === undefined || unitOfWork.actor === undefined
        ? {}
        : { transaction: unitOfWork.actor.transactionId }),
    },
    ...(job.dueAt <= now() ? {} : { startAt: job.dueAt }),
    retries: (job.attempts ?? attempts) - 1,
    retryDelayMs: firstOf(pausesMs),
  });
}

export function isAwaited({ data }: Pick<Job, 'data'>): boolean {
  return data['isAwaited'] === true;
}
