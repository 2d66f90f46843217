import { TooManyRequestsError } from '#errors/index.ts';
import { dbOf } from '#resource/index.ts';
import { isOrdinary } from '../identity/sender.ts';
import { countOpenInstances, lockStarter, reserveRoom } from './starter-repository.ts';
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
  if (await reserveRoom(context.unitOfWork!, starter, allowed)) return;
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
