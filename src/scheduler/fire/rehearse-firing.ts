import { shortServiceName } from '#platform/index.ts';
import { type Context, systemContext } from '#resource/index.ts';
import { invokerName } from '../run/run.ts';
import type { ScheduleDefinition } from '../schedule/schedule.ts';
import type { ScheduledServices } from '../service/scheduled-service.ts';

/** Only what runs in the sandbox can be undone as a whole. */
const REHEARSED = 'script';

/**
 * Runs the script of a schedule as a firing would, inside the unit of work of a dry run. Any other service may reach
 * out of it, so it is only named.
 *
 * @returns whether it was run
 * @throws what the script ends with
 */
export async function rehearseFiring(
  services: ScheduledServices,
  context: Context,
  {
    id,
    definition,
    now,
  }: { readonly id: string; readonly definition: ScheduleDefinition; readonly now: number },
): Promise<boolean> {
  const { invokeService, invokeContext, invokeLogLevel } = definition;
  if (shortServiceName(invokeService) !== REHEARSED) return false;
  const invoker = invokerName(id, now);
  const { unitOfWork, made, signal, budget } = context;
  const security = {
    authenticationId: invoker,
    authorization: { id: invoker, component: 'scheduler', roles: ['system'] },
  };
  const inside = {
    ...systemContext(security, context.transactionId),
    unitOfWork,
    made,
    // Statements of the unit of work are paid by whoever has opened it.
    budget,
    rehearsed: true,
    ...(signal === undefined ? {} : { signal }),
  };
  const service = await services.get(invokeService);
  await budget.asRun(() =>
    service.execute(inside, {
      jobId: id,
      invokerName: invoker,
      invokeService,
      invokeContext,
      invokeLogLevel,
      scheduledFireTime: now,
      actualFireTime: now,
      nextFireTime: null,
      runId: `rehearsal of ${id}`,
      definition,
      log: () => {},
    }),
  );
  return true;
}
