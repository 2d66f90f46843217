import { nextInUtc } from '#cron/index.ts';
import type { UnitOfWork } from '#database/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { Job, JobFailure, JobHandler } from '#queue/index.ts';
import { SYSTEM, systemContext } from '#resource/index.ts';
import type { Fence } from '#work/index.ts';
import { findDefinition } from '../definition/definition-repository.ts';
import { planNext } from '../engine/index.ts';
import { beginStep } from '../instance/begin-step.ts';
import { type LockedJob, lockForJob, seeForJobs } from '../instance/instance-repository.ts';
import { startInstance } from '../instance/start-instance.ts';
import { treeKey } from '../instance/step-repository.ts';
import { takeStep } from '../instance/take-step.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { enqueueJob, isAwaited } from './enqueue-job.ts';
import { placeOfFailure } from './failure-place.ts';
import {
  deleteJob,
  findJob,
  type JobRow,
  recordFailure,
  startTimerKey,
  startTimerMoves,
} from './job-repository.ts';
import { contextOf, servedBy, stimulusOf } from './job-step.ts';
import { JobsTogether } from './jobs-together.ts';

const PAUSE_MS = 10_000;
/** The pause of a job of a suspended instance; whoever sets the instance going again wakes its jobs. */
const SUSPENDED_PAUSE_MS = 300_000;

/**
 * What is done when a job of a process is due. The row is the truth: a queued job whose row is gone, is dead or has
 * moved on does nothing, so that each job has its effect once, however often the queue delivers it.
 */
export function workflowJobs(platform: WorkflowPlatform): JobHandler {
  const together = new JobsTogether(platform);
  return {
    async run(unitOfWork, job, fence) {
      const { job: id, instance, transaction } = job.data;
      if (typeof id !== 'string') return;
      if (isAwaited(job)) unitOfWork.afterCommit('tell who waits for a job', platform.runEnded.tell);
      if (typeof transaction === 'string')
        unitOfWork.actor = { userId: SYSTEM.authenticationId, transactionId: transaction };
      if (!isActive(platform)) return putOff(platform, unitOfWork, job);
      if (typeof instance === 'string') await moveInstance(platform, unitOfWork, job, fence);
      else await fireStartTimer(platform, unitOfWork, job, fence);
    },
    workTogether: async (jobs) => (isActive(platform) ? together.look(jobs) : new Map()),
    // One step of an instance at a time, however many jobs it has.
    groupOf: ({ data }) => (typeof data['instance'] === 'string' ? data['instance'] : undefined),
    noteAlone: (job) => together.noteAlone(job),
    placeOf: placeOfFailure,
    pauseMs: ({ data, attempt }) => pauseAfter(data['pausesMs'], attempt),
    failed: (unitOfWork, job, failure) => noteFailure(platform, unitOfWork, job, failure),
  };
}

/** The pause after an attempt, in ms, for a job with a list of pauses. */
function pauseAfter(pauses: JsonValue | undefined, attempt: number): number | undefined {
  if (!Array.isArray(pauses)) return undefined;
  const pause = pauses[Math.min(attempt, pauses.length) - 1];
  return typeof pause === 'number' ? pause : undefined;
}

function isActive(platform: WorkflowPlatform): boolean {
  try {
    platform.settings();
    return true;
  } catch {
    return false;
  }
}

/** While workflow is switched off, or an instance is suspended, its jobs wait, and lose no attempt. */
async function putOff(
  platform: WorkflowPlatform,
  unitOfWork: UnitOfWork,
  { data, attempt, attempts }: Job,
  pauseMs = PAUSE_MS,
): Promise<void> {
  const { job, revision, instance } = data;
  const row = await findJob(await unitOfWork.db(), String(job));
  if (row === undefined) return;
  await enqueueJob(platform, unitOfWork, {
    id: row.id,
    revision: Number(revision),
    retryCycle: row.retry_cycle,
    dueAt: platform.now() + pauseMs,
    attempts: attempts - attempt + 1,
    ...(typeof instance === 'string' ? { instanceId: instance } : {}),
  });
}

async function moveInstance(
  platform: WorkflowPlatform,
  unitOfWork: UnitOfWork,
  job: Job,
  fence: Fence,
): Promise<void> {
  const { job: id, revision, transaction } = job.data;
  const { job: row, locked } = (await holdForJob(unitOfWork, String(id))) ?? {};
  if (row === undefined || locked === undefined || row.is_dead || row.revision !== revision) return;
  if (locked.suspended !== null) return putOff(platform, unitOfWork, job, SUSPENDED_PAUSE_MS);
  const step = beginStep(platform, { ...contextOf(locked, unitOfWork, transaction), fence });
  await takeStep(step, locked, stimulusOf(row), servedBy(row));
}

/** Holds the instance of a job without a lock, as long as nobody else moves it; see `holdInstance`. */
async function holdForJob(unitOfWork: UnitOfWork, id: string): Promise<LockedJob | undefined> {
  if (unitOfWork.isLight) {
    const [seen] = await seeForJobs(await unitOfWork.readerBesidePending(), [id]);
    if (seen === undefined || unitOfWork.mayBePending(treeKey(seen.locked.instance.rootId))) return seen;
  }
  return lockForJob(await unitOfWork.db(), id);
}

async function fireStartTimer(
  platform: WorkflowPlatform,
  unitOfWork: UnitOfWork,
  job: Job,
  fence: Fence,
): Promise<void> {
  const id = String(job.data['job']);
  // As long as nobody else moves it, nothing is locked: it is moved only if it is as it was read.
  const isSeen = unitOfWork.mayBePending(startTimerKey(id));
  const db = isSeen ? await unitOfWork.readerBesidePending() : await unitOfWork.db();
  const row = await findJob(db, id, !isSeen);
  if (row === undefined || row.is_dead || row.revision !== job.data['revision']) return;
  const definition = await findDefinition(db, row.definition_id);
  if (definition === undefined || definition.suspended) return deleteJob(await unitOfWork.db(), id);
  if (definition.stopped_at !== null) return putOff(platform, unitOfWork, job, SUSPENDED_PAUSE_MS);
  const next = planNext(row.due_at.getTime(), row.repeat ?? undefined, platform.now(), nextInUtc);
  const { revision } = row;
  if (!(await unitOfWork.write(startTimerMoves, { id, revision, next: next ?? null }))) unitOfWork.refuse();
  if (next !== undefined)
    await enqueueJob(platform, unitOfWork, { id, revision: revision + 1, dueAt: next.dueAt });
  const context = { ...systemContext(), unitOfWork, fence };
  await startInstance(beginStep(platform, context), definition, {
    element: row.element,
    variables: {},
    isUnattended: true,
  });
}

async function noteFailure(
  platform: WorkflowPlatform,
  unitOfWork: UnitOfWork,
  job: Job,
  { error, retryAt }: JobFailure,
): Promise<void> {
  const { job: id, revision } = job.data;
  if (typeof id !== 'string' || typeof revision !== 'number') return;
  const exception = textOf(error);
  if (isAwaited(job)) unitOfWork.afterCommit('tell who waits for a job', platform.runEnded.tell);
  const row = await recordFailure(await unitOfWork.db(), {
    id,
    revision,
    retries: retryAt === null ? 0 : Math.max(1, job.attempts - job.attempt),
    exception,
    retryAt,
  });
  if (row?.is_dead !== true) return;
  unitOfWork.afterCommit('dead letter', () => sayDead(platform, row, exception));
}

function sayDead(platform: WorkflowPlatform, row: JobRow, error: string): void {
  const { id, instance_id: instance, element } = row;
  platform.observe({ kind: 'workflow.deadLetter', job: id, instance, element, error });
}

function textOf({ message, cause }: JsonObject): string {
  const inner = typeof cause === 'string' && cause !== message ? `: ${cause}` : '';
  return `${String(message)}${inner}`;
}
