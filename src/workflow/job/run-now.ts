import { BadRequestError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { ActionRequest, WriteContext } from '#resource/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { findFailure } from './dead-letter-repository.ts';
import { enqueueJob, WORKFLOW_QUEUE } from './enqueue-job.ts';
import { findJob, type JobRow } from './job-repository.ts';

const LONGEST_WAIT_MS = 30_000;

/**
 * How long the caller waits for the end of the run that it asks for, from the parameter `wait`; 0 without one.
 *
 * @returns ms
 * @throws BadRequestError `WORKFLOW_BAD_PARAMETER`
 */
export function readWait({ parameters }: ActionRequest): number {
  const { wait } = parameters;
  if (wait === undefined) return 0;
  const [, number, unit] = /^(\d{1,6})(ms|s)$/.exec(wait) ?? [];
  const ms = Number(number) * (unit === 's' ? 1_000 : 1);
  if (ms <= LONGEST_WAIT_MS) return ms;
  throw new BadRequestError(`wait is '${wait}', which is not a time of up to 30 s`, {
    id: 'WORKFLOW_BAD_PARAMETER',
    field: 'wait',
    hint: "Write it like '5s' or '500ms'",
  });
}

/**
 * Puts a job into the queue that is stored as due. Where its caller waits, the answer gets the `outcome` of the run after the
 * commit: `completed`; `failed`, or `retrying` where attempts are left, with `failure`; or `pending`, when it has not ended.
 */
export async function runNow(
  platform: WorkflowPlatform,
  { unitOfWork, client }: WriteContext,
  job: Pick<JobRow, 'id' | 'instance_id' | 'revision' | 'retries' | 'retry_cycle'>,
  { waitMs, answer }: { readonly waitMs: number; readonly answer: JsonObject },
): Promise<void> {
  // A script would wait for what is committed after it.
  const isAwaited = waitMs > 0 && client.isExternal;
  await enqueueJob(platform, unitOfWork, {
    id: job.id,
    revision: job.revision,
    dueAt: platform.now(),
    attempts: Math.max(1, job.retries),
    retryCycle: job.retry_cycle,
    ...(job.instance_id === null ? {} : { instanceId: job.instance_id }),
    ...(isAwaited ? { isAwaited } : {}),
  });
  if (!isAwaited) return;
  unitOfWork.afterCommit('wait for the job', async () => {
    const outcome = await platform.runEnded.until(() => outcomeOf(platform, job), waitMs);
    Object.assign(answer, outcome ?? { outcome: 'pending' });
  });
}

async function outcomeOf(
  { database }: WorkflowPlatform,
  { id, revision }: Pick<JobRow, 'id' | 'revision'>,
): Promise<JsonObject | undefined> {
  const row = await findJob(database.db, id);
  // A start timer goes on to its next time.
  if (row === undefined || (row.revision > revision && row.exception === null))
    return { outcome: 'completed' };
  if (row.exception === null) return undefined;
  if (!row.is_dead) return { outcome: 'retrying', failure: { message: row.exception } };
  const failure = await findFailure(database.db, WORKFLOW_QUEUE, id);
  return {
    outcome: 'failed',
    failure: { attempts: failure?.attempts ?? null, ...(failure?.detail ?? { message: row.exception }) },
  };
}
