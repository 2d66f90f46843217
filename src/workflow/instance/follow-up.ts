import { NotFoundError } from '#errors/index.ts';
import { getMember, type JsonObject } from '#json/index.ts';
import { besideOf, dbOf } from '#resource/index.ts';
import {
  type DefinitionRow,
  findDefinition,
  findInDeployment,
  findLatest,
} from '../definition/definition-repository.ts';
import type { Effect, Outcome, Stimulus } from '../engine/index.ts';
import { CONTEXT_VARIABLE } from '../variable/variable.ts';
import type { Work } from './agenda.ts';
import { deliverMessage, signalDeliveries } from './deliver-event.ts';
import type { Instance, LockedInstance } from './instance.ts';
import { listChildren, lockInstance, seeInstance } from './instance-repository.ts';
import { requireRoomForCalled } from './require-room.ts';
import { startInstance } from './start-instance.ts';
import { isStepPending, treeKey } from './step-repository.ts';
import { type StepContext, takeStep } from './take-step.ts';

/** What is about more than the instance itself. */
const FOLLOWED: ReadonlySet<Effect['kind']> = new Set<Effect['kind']>([
  'child.started',
  'child.cancelled',
  'signal.thrown',
  'message.thrown',
  'escalation.thrown',
  'incident',
  'ended',
]);

/** What a step of one instance means for others, in the same unit of work. */
export async function followUp(
  step: StepContext,
  instance: Instance,
  { effects, state }: Outcome,
): Promise<readonly Work[]> {
  await requireRoomForCalled(step, effects.filter(({ kind }) => kind === 'child.started').length);
  return effects
    .filter(({ kind }) => FOLLOWED.has(kind))
    .map((effect) => async () => (await follow(step, instance, state, effect)) ?? []);
}

/** @returns what is to be done besides, where it is about several instances */
async function follow(
  step: StepContext,
  instance: Instance,
  state: Outcome['state'],
  effect: Effect,
): Promise<readonly Work[] | undefined> {
  const { platform } = step;
  switch (effect.kind) {
    case 'child.started':
      await callChild(step, instance, state, effect);
      return;
    case 'child.cancelled':
      return cancelChildren(step, instance.id, effect.execution, effect.reason);
    case 'signal.thrown': {
      const deliveries = await signalDeliveries(step, effect.name, {}, instance.id);
      return deliveries.map((deliver) => async () => {
        await deliver();
        return [];
      });
    }
    case 'message.thrown': {
      const isReceived = await deliverMessage(step, effect.name, {});
      if (!isReceived)
        platform.observe({ kind: 'workflow.messageLost', instance: instance.id, name: effect.name });
      return;
    }
    case 'escalation.thrown': {
      const code = effect.code === undefined ? {} : { code: effect.code };
      await tellCaller(step, instance, (execution) => ({ kind: 'childEscalated', execution, ...code }));
      return;
    }
    case 'incident':
      platform.observe({ kind: 'workflow.stuck', instance: instance.id, elements: effect.elements });
      return;
    case 'ended':
      await tellEnd(step, instance, effect);
      return;
    default:
      return;
  }
}

async function callChild(
  step: StepContext,
  caller: Instance,
  state: Outcome['state'],
  effect: Extract<Effect, { kind: 'child.started' }>,
): Promise<void> {
  const definition = await calledDefinition(step, caller, effect);
  const variables: JsonObject = { ...effect.variables };
  // A called process acts with the identity of its caller.
  if (getMember(variables, CONTEXT_VARIABLE) === undefined) {
    const inherited = getMember(state?.variables['0'] ?? {}, CONTEXT_VARIABLE);
    if (inherited !== undefined) variables[CONTEXT_VARIABLE] = inherited;
  }
  await startInstance(step, definition, {
    variables,
    caller: { instance: caller, execution: effect.execution },
    ...(effect.instanceId === undefined ? {} : { id: effect.instanceId }),
    ...(effect.businessKey === undefined ? {} : { businessKey: effect.businessKey }),
    ...(effect.name === undefined ? {} : { name: effect.name }),
  });
}

async function calledDefinition(
  { platform, context }: StepContext,
  caller: Instance,
  effect: Extract<Effect, { kind: 'child.started' }>,
): Promise<DefinitionRow> {
  const db = await besideOf(platform, context);
  const { calledElement, calledElementType, isSameDeployment } = effect;
  const found =
    calledElementType === 'id'
      ? await findDefinition(db, calledElement)
      : ((isSameDeployment && caller.deploymentId !== null
          ? await findInDeployment(db, calledElement, caller.deploymentId)
          : undefined) ?? (await findLatest(db, calledElement)));
  if (found !== undefined) return found;
  throw new NotFoundError(`'${effect.element}' calls the process '${calledElement}', which is not deployed`, {
    id: 'WORKFLOW_NO_CALLED_PROCESS',
  });
}

/** Ends the running instances that an execution (or all of them) called. */
async function cancelChildren(
  step: StepContext,
  instanceId: string,
  execution: number | undefined,
  reason: string,
): Promise<readonly Work[]> {
  const db = await dbOf(step.platform, step.context);
  return (await listChildren(db, instanceId, execution)).map((id) => async () => {
    const child = (await lockInstance(db, id)) ?? (await lockInstance(db, id, { isOrphan: true }));
    if (child !== undefined) await takeStep(step, child, { kind: 'cancel', reason });
    return [];
  });
}

async function tellEnd(
  step: StepContext,
  instance: Instance,
  { reason, variables, error, endsAll }: Extract<Effect, { kind: 'ended' }>,
): Promise<void> {
  if (instance.caller === null || reason === 'cancelled') return;
  if (endsAll === true) {
    const root = await lockInstance(await dbOf(step.platform, step.context), instance.rootId);
    if (root !== undefined) await takeStep(step, root, { kind: 'cancel', reason: 'terminate end event' });
    return;
  }
  const failed = error === undefined ? {} : { error };
  await tellCaller(step, instance, (execution) => ({ kind: 'childEnded', execution, variables, ...failed }));
}

async function tellCaller(
  step: StepContext,
  { caller }: Instance,
  stimulus: (execution: number) => Exclude<Stimulus, { kind: 'start' }>,
): Promise<void> {
  if (caller === null) return;
  const parent = await holdCaller(step, caller.instanceId);
  // An escalation may have taken it away from its call activity, and the end of the child comes after that.
  const waits = parent?.state.executions.some(({ id, is }) => id === caller.execution && is === 'child');
  if (parent !== undefined && waits === true) await takeStep(step, parent, stimulus(caller.execution));
}

/**
 * Holds the caller, without a lock as long as its tree is as it was when the instance that tells it was read; see
 * `holdInstance`.
 */
async function holdCaller(
  { platform, context }: StepContext,
  id: string,
): Promise<LockedInstance | undefined> {
  const { unitOfWork } = context;
  if (unitOfWork.isLight && !isStepPending(unitOfWork, id)) {
    const seen = await seeInstance(await unitOfWork.readerBesidePending(), id, {});
    if (seen === undefined || unitOfWork.mayBePending(treeKey(seen.instance.rootId))) return seen;
  }
  return lockInstance(await dbOf(platform, context), id);
}
