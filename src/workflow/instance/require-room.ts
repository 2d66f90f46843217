import type { UnitOfWork } from '#database/index.ts';
import { TooManyRequestsError } from '#errors/index.ts';
import { besideOf, type Context, dbOf, isAdministrator, personName } from '#resource/index.ts';
import { isOrdinary } from '../identity/sender.ts';
import { countCalledInstances, countOpenInstances, lockStarter, reserveRoom } from './starter-repository.ts';
import type { StepContext } from './take-step.ts';

/**
 * Refuses a caller one more instance than `workflow.json` lets have under way. What the server starts itself, by scripts
 * and schedules, and administrators are not bound.
 *
 * @throws TooManyRequestsError `WORKFLOW_TOO_MANY_OPEN`
 */
export async function requireRoom({ platform, context }: StepContext, starter: string): Promise<void> {
  if (!isOrdinary(context)) return;
  const { maxOpenInstances: allowed } = platform.settings();
  if (await reserveRoom(context.unitOfWork, starter, allowed)) return;
  const db = await dbOf(platform, context);
  // Before it counts, so that what it sees is all that others have started.
  await lockStarter(db, starter);
  const open = await countOpenInstances(db, starter, allowed);
  if (open < allowed) return;
  throw new TooManyRequestsError(
    `'${starter}' has ${open} processes under way, and ${allowed} at most may be started before some of them end`,
    {
      id: 'WORKFLOW_TOO_MANY_OPEN',
      hint: 'Have some of them completed or deleted; maxOpenInstances of workflow.json is the number',
      detail: { open, allowed },
    },
  );
}

const called = new WeakMap<UnitOfWork, number>();

/**
 * Refuses a request of a caller who is bound that would have more processes called than that caller may start: how many
 * a call activity calls may be a variable of theirs. Jobs are not bound by that, but in all that the processes of
 * somebody have called and that is under way, whichever way it was.
 *
 * @param more about to be called
 * @throws TooManyRequestsError `WORKFLOW_TOO_MANY_CALLED`, `WORKFLOW_TOO_MANY_CALLED_OPEN`
 */
export async function requireRoomForCalled(step: StepContext, more: number): Promise<void> {
  const { platform, context } = step;
  if (more === 0 || !isBound(context.security)) return;
  const { maxOpenInstances, maxCalledInstances } = platform.settings();
  const wanted = (called.get(context.unitOfWork) ?? 0) + more;
  called.set(context.unitOfWork, wanted);
  if (isOrdinary(context)) requireFewAtOnce(wanted, maxOpenInstances);
  const starter = personName(context.security);
  const db = await besideOf(platform, context);
  // Several that count at once may be a few too many together: it keeps nobody waiting.
  const open = await countCalledInstances(db, starter, maxCalledInstances);
  if (open + wanted <= maxCalledInstances) return;
  throw new TooManyRequestsError(
    `The processes of '${starter}' would have ${open + wanted} others under way that they have called, and ${maxCalledInstances} at most may be`,
    {
      id: 'WORKFLOW_TOO_MANY_CALLED_OPEN',
      hint: 'When some of them have ended, a job that has failed for this goes on with retry; maxCalledInstances of workflow.json is the number',
      detail: { open, wanted, allowed: maxCalledInstances },
    },
  );
}

/** Whoever a process was started by, unless that was the server itself or one of its administrators. */
function isBound(security: Context['security']): boolean {
  return !isAdministrator(security) && !security.authorization.roles.includes('system');
}

function requireFewAtOnce(wanted: number, allowed: number): void {
  if (wanted <= allowed) return;
  throw new TooManyRequestsError(
    `The request would have ${wanted} processes called, and ${allowed} at most may be at once`,
    {
      id: 'WORKFLOW_TOO_MANY_CALLED',
      hint: 'Ask for fewer, or let the call activity be asynchronous; maxOpenInstances of workflow.json is the number',
      detail: { wanted, allowed },
    },
  );
}
