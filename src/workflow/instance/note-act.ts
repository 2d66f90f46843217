import type { JsonObject } from '#json/index.ts';
import { personName, type WriteContext } from '#resource/index.ts';
import { insertEvent } from '../history/event-repository.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';

/** What an operator has done with an instance; its history tells it at every level. */
export interface Act extends JsonObject {
  readonly kind: 'migrate' | 'suspend' | 'activate' | 'variables' | 'execute';
}

/** Notes an act that is no step of the engine. The tree of the instance must be locked. */
export async function noteAct(
  { now }: Pick<WorkflowPlatform, 'now'>,
  context: WriteContext,
  instanceId: string,
  act: Act,
): Promise<void> {
  const { unitOfWork, security, transactionId } = context;
  await insertEvent(await unitOfWork.db(), {
    instanceId,
    at: now(),
    user: personName(security),
    stimulus: { ...act, transaction: transactionId },
  });
  unitOfWork.record({
    resource: `workflow/processinstance/${instanceId}`,
    operation: 'update',
    before: null,
    after: { act },
  });
}
