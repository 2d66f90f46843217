import type { JsonObject } from '#json/index.ts';
import { shortServiceName } from '#platform/index.ts';
import { type Context, systemContext, writeContext } from '#resource/index.ts';
import { invokerName } from '../run/run.ts';
import type { ScheduleDefinition } from '../schedule/schedule.ts';
import type { ScheduledServices } from '../service/scheduled-service.ts';

/** What runs in the sandbox can be undone as a whole. */
const REHEARSED = 'script';

/**
 * Runs the script of a schedule as a firing would, inside the unit of work of a dry run, and has a service that knows how to
 * rehearse do so. Any other may reach out of it, so it is only named.
 *
 * @returns what the service says of it; null of a script, undefined when nothing was run
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
): Promise<JsonObject | null | undefined> {
  const { invokeService, invokeContext, invokeLogLevel } = definition;
  const isScript = shortServiceName(invokeService) === REHEARSED;
  const service = isScript ? await services.get(invokeService) : services.find(invokeService);
  if (service === undefined || !(isScript || service.rehearse !== undefined)) return undefined;
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
  const run = {
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
  };
  return budget.asRun(async () => {
    if (service.rehearse !== undefined) return service.rehearse(writeContext(inside), run);
    await service.execute(inside, run);
    return null;
  });
}
