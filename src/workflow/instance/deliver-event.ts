import type { JsonObject } from '#json/index.ts';
import { besideOf, dbOf, readerOf } from '#resource/index.ts';
import { timeOrderedId } from '#time/index.ts';
import { type DefinitionRow, findDefinition } from '../definition/definition-repository.ts';
import { type Received, receiveVariables } from '../form/index.ts';
import { senderOf } from '../identity/sender.ts';
import { enqueueJob } from '../job/enqueue-job.ts';
import { insertSignal } from '../job/job-repository.ts';
import { holdInstance } from './hold-instance.ts';
import type { LockedInstance } from './instance.ts';
import { lockInstance } from './instance-repository.ts';
import { startInstance } from './start-instance.ts';
import { listSubscribers } from './subscription-repository.ts';
import { standsStill } from './suspension.ts';
import { type StepContext, takeStep } from './take-step.ts';

/**
 * Hands a signal to every instance that waits for it, and starts an instance for every start event that does.
 *
 * @returns the instances that it moved or started
 */
export async function deliverSignal(
  step: StepContext,
  name: string,
  variables: JsonObject,
): Promise<string[]> {
  const moved: string[] = [];
  for (const deliver of await signalDeliveries(step, name, variables)) {
    const id = await deliver();
    if (id !== undefined) moved.push(id);
  }
  return moved;
}

/**
 * The same one by one: each answers with the instance that it has moved or started.
 *
 * @param except the thrower, whose own waits have been served already
 */
export async function signalDeliveries(
  step: StepContext,
  name: string,
  variables: JsonObject,
  except?: string,
): Promise<readonly (() => Promise<string | undefined>)[]> {
  const subscribers = await listSubscribers(await readerOf(step.platform, step.context), 'signal', name);
  const instances = new Set(subscribers.flatMap(({ instance_id }) => instance_id ?? []));
  instances.delete(except ?? '');
  const { platform, context } = step;
  // What many are told would have to be told once more when one of them was moved meanwhile.
  const hold = async (id: string) =>
    instances.size === 1
      ? holdInstance(context, id, { skipLocked: true })
      : lockInstance(await dbOf(platform, context), id, { skipLocked: true });
  const toInstances = [...instances].map((id) => async () => {
    // Two that signal each other would wait for each other: one that is busy is told as soon as it is free.
    const locked = await hold(id);
    if (locked === undefined || locked.suspended !== null) await tellLater(step, id, name, variables);
    else await takeStep(step, locked, { kind: 'signal', name, variables });
    return id;
  });
  const toStarts = subscribers.flatMap(({ definition_id: id, element }) =>
    id === null ? [] : () => startAt(step, id, element, variables),
  );
  return [...toInstances, ...toStarts];
}

/**
 * Hands a message to one receiver: the instance named, else the one that has waited longest, else a start event.
 *
 * @returns the instance that it moved or started; undefined when nobody waits
 */
export async function deliverMessage(
  step: StepContext,
  name: string,
  variables: JsonObject,
  instanceId?: string,
): Promise<string | undefined> {
  const db = await readerOf(step.platform, step.context);
  let suspended: LockedInstance | undefined;
  for (const { instance_id, execution, definition_id, element } of await listSubscribers(
    db,
    'message',
    name,
  )) {
    if (instanceId !== undefined && instance_id !== instanceId) continue;
    if (definition_id !== null) {
      const started = await startAt(step, definition_id, element, variables);
      if (started !== undefined) return started;
    } else if (instance_id !== null && execution !== null) {
      const locked = await holdInstance(step.context, instance_id);
      // It may have been served while this one waited for the lock.
      if (
        !locked?.state.waits.some(
          (wait) => wait.kind === 'message' && wait.name === name && wait.of === execution,
        )
      ) {
        continue;
      }
      if (locked.suspended !== null) {
        suspended ??= locked;
        continue;
      }
      const { definitionId: id, definitionKey: key } = locked.instance;
      const received = await receiveWithEvent(step, { id, key }, element, locked.settled, variables);
      await takeStep(step, locked, { kind: 'message', name, execution, ...received });
      return instance_id;
    }
  }
  if (suspended?.suspended) throw standsStill(suspended.instance.id, suspended.suspended);
  return undefined;
}

async function startAt(
  step: StepContext,
  definitionId: string,
  element: string,
  variables: JsonObject,
): Promise<string | undefined> {
  const definition = await findDefinition(await besideOf(step.platform, step.context), definitionId);
  if (definition === undefined || definition.suspended || definition.stopped_at !== null) return undefined;
  const received = await receiveWithEvent(step, definition, element, new Set(), variables);
  const { instance } = await startInstance(step, definition, { element, ...received });
  return instance.id;
}

/** What comes with an event, as far as the process takes it where the event is awaited. */
async function receiveWithEvent(
  { platform, context }: StepContext,
  definition: Pick<DefinitionRow, 'id' | 'key'>,
  element: string,
  settled: ReadonlySet<string>,
  given: JsonObject,
): Promise<Received> {
  const { process } = await platform.definitions.get(await besideOf(platform, context), definition.id);
  const node = process.nodes.get(element);
  return receiveVariables(given, {
    process,
    step: node?.kind === 'startEvent' ? node : undefined,
    settled,
    ...senderOf(platform, context, definition.key),
    checkedIn: undefined,
  });
}

async function tellLater(
  { platform, context }: StepContext,
  instanceId: string,
  name: string,
  variables: JsonObject,
): Promise<void> {
  const now = platform.now();
  const id = timeOrderedId(now);
  const unitOfWork = context.unitOfWork;
  await insertSignal(await unitOfWork.db(), { id, instanceId, payload: { name, variables } });
  await enqueueJob(platform, unitOfWork, { id, revision: 1, dueAt: now, instanceId });
}
