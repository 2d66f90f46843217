import { InternalServerError } from '#errors/index.ts';
import type { Context } from '#resource/index.ts';
import type { EngineHandlers } from '../engine/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import type { Instance } from './instance.ts';
import { executionId } from './instance-id.ts';

/** What the engine asks of the house while it takes a step of this instance. */
export function stepHandlers(
  platform: WorkflowPlatform,
  context: Context,
  instance: Instance,
  now: number,
): EngineHandlers {
  return {
    now,
    instance: {
      id: instance.id,
      definitionId: instance.definitionId,
      user: context.security.authenticationId,
      ...(instance.tenantId === '' ? {} : { tenant: instance.tenantId }),
    },
    runScript: ({ element }) => {
      throw new InternalServerError(`Scripts are not wired for '${element}'`);
    },
    callDelegate: ({ name }) => {
      throw new InternalServerError(`There is no delegate '${name}'`, { id: 'WORKFLOW_NO_DELEGATE' });
    },
    nextCron: platform.cron.next,
    taskId: (execution) => executionId(instance.id, execution),
  };
}
