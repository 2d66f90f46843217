import type { UnitOfWork } from '#database/index.ts';
import { ConflictError } from '#errors/index.ts';
import { type ActionResult, actionResult, bodyOf, personName, type WriteContext } from '#resource/index.ts';
import { enqueueJob } from '../job/enqueue-job.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import type { Suspension } from './instance.ts';
import { isId } from './instance-id.ts';
import { lockInstance } from './instance-repository.ts';
import { notRunning } from './not-running.ts';
import { noteAct } from './note-act.ts';
import { findSuspension, takeDueJobs, writeStop, writeSuspension } from './suspension-repository.ts';

/** What comes of it. */
export const SUSPENDED = bodyOf({ suspended: { type: 'boolean' } }, 'suspended');

/** So many jobs that have waited go on at once; others by themselves within minutes. */
const MOST_AT_ONCE = 1_000;

/**
 * Has a running instance, with all that it has called, stand still or go on again.
 *
 * @throws NotFoundError `WORKFLOW_NOT_RUNNING`; ConflictError for one that another has called
 */
export async function suspendInstance(
  platform: WorkflowPlatform,
  context: WriteContext,
  id: string,
  isSuspended: boolean,
): Promise<ActionResult> {
  const db = await context.unitOfWork.db();
  const locked = isId(id) ? await lockInstance(db, id) : undefined;
  if (locked === undefined) throw notRunning(id);
  const { instance } = locked;
  if (instance.rootId !== instance.id) throw isCalled(instance.id, instance.rootId);
  const isOwn = locked.suspended?.ref === refOf(instance.id);
  if (isOwn !== isSuspended) {
    await writeSuspension(db, instance.id, isSuspended ? personName(context.security) : null);
    await noteAct(platform, context, instance.id, { kind: isSuspended ? 'suspend' : 'activate' });
    if (!isSuspended) await goOn(platform, context.unitOfWork, { rootId: instance.id });
  }
  // Its definition may be suspended as well.
  return actionResult({ suspended: (await findSuspension(db, instance.id)) !== null });
}

/** Has all instances of a definition stand still or go on again, and nobody start it meanwhile. */
export async function suspendDefinition(
  platform: WorkflowPlatform,
  context: WriteContext,
  id: string,
  isSuspended: boolean,
): Promise<ActionResult> {
  const { unitOfWork } = context;
  const db = await unitOfWork.db();
  if (await writeStop(db, id, isSuspended ? personName(context.security) : null)) {
    unitOfWork.record({
      resource: `workflow/processdefinition/${id}`,
      operation: 'update',
      before: { suspended: !isSuspended },
      after: { suspended: isSuspended },
    });
    if (!isSuspended) await goOn(platform, unitOfWork, { definitionId: id });
  }
  return actionResult({ suspended: isSuspended });
}

/** What has come due meanwhile is done now. */
export async function goOn(
  platform: Pick<WorkflowPlatform, 'queue' | 'now'>,
  unitOfWork: UnitOfWork,
  of: Parameters<typeof takeDueJobs>[1],
): Promise<void> {
  for (const job of await takeDueJobs(await unitOfWork.db(), of, MOST_AT_ONCE)) {
    await enqueueJob(platform, unitOfWork, {
      id: job.id,
      revision: job.revision,
      dueAt: platform.now(),
      attempts: Math.max(1, job.retries),
      retryCycle: job.retry_cycle,
      ...(job.instance_id === null ? {} : { instanceId: job.instance_id }),
    });
  }
}

/** What is asked of an instance that stands still. */
export function standsStill(id: string, { at, by, ref }: Suspension): ConflictError {
  return new ConflictError(
    `The process instance '${id}' is suspended since ${new Date(at).toISOString()} by ${by}`,
    {
      id: 'WORKFLOW_INSTANCE_SUSPENDED',
      hint: `It goes on with POST ${ref}?_action=activate`,
    },
  );
}

function refOf(instanceId: string): string {
  return `workflow/processinstance/${instanceId}`;
}

function isCalled(id: string, rootId: string): ConflictError {
  return new ConflictError(
    `The process instance '${id}' was called by another one, with which it is suspended`,
    {
      id: 'WORKFLOW_CALLED',
      hint: `Ask it of '${rootId}'`,
    },
  );
}
