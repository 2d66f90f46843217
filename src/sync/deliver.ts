import type { Situation, SyncAction } from '#config/index.ts';
import { errorIdOf, PreconditionFailedError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { isShipped } from './assignment/give-assignments.ts';
import { carryOut, type Outcome, runPostAction } from './carry-out.ts';
import { type Choice, chooseAction } from './choose-action.ts';
import { type Inquiry, look, type Sight, withTarget } from './look.ts';
import { isLoop } from './loop-guard.ts';
import { hookBindings } from './map-target.ts';
import { runScript } from './mapping-scripts.ts';
import { remember } from './remember.ts';
import type { Scope } from './stage.ts';
import { findState, storeFailure } from './state-repository.ts';
import { auditFacts, keptError, type Progress, recordOf, type SyncRecord } from './sync-record.ts';

/** What somebody has asked for by name, instead of what a policy says. */
export interface Demand {
  readonly action: SyncAction;
  /** The situation must still be this one. */
  readonly situation: Situation | null;
  readonly ignoresPostAction: boolean;
  /** All that was asked, for scripts. */
  readonly parameters: JsonObject;
}

interface DeliveryOptions {
  readonly demand?: Demand;
  /** The target that is meant, where the mapping finds none or several. */
  readonly targetId?: string | null;
  readonly progress?: Progress;
}

/** How often it is looked again when somebody else has changed the target meanwhile. */
const LOOKS = 3;

/**
 * Brings the target of a source object to what the mapping makes of it, in the unit of work of the context. Whoever has read the source
 * (`readSource`) is the only one to do so.
 *
 * @param progress is told how far it came, whatever becomes of it
 * @throws ResourceError what a script, the target or a policy has against it
 */
export async function deliver(
  scope: Scope,
  inquiry: Inquiry,
  { demand, targetId = null, progress = {} }: DeliveryOptions = {},
): Promise<SyncRecord> {
  const { mapping, qualifier, context } = scope;
  const { sourceId } = inquiry;
  const db = await context.unitOfWork.db();
  const state = await findState(db, { mapping: mapping.name, qualifier, sourceId });
  const found = await look(scope, inquiry);
  const sight = targetId === null ? found : await withTarget(scope, found, targetId);
  progress.sight = sight;
  const choice = await choiceOf(scope, sight, demand);
  progress.choice = choice;
  const outcome = await carryOut(scope, sight, choice, state?.assignments ?? null);
  await runPostMapping(scope, sight, choice, outcome);
  await runPostAction(scope, sight, choice, outcome.targetObject);
  await remember(scope, { sight, choice, outcome, state });
  return recordOf(scope, sourceId, progress, { outcome });
}

/**
 * The same under a savepoint: what fails leaves nothing but that it did, and everything else goes on. What is wrong with the database
 * ends all of it.
 */
export async function deliverApart(
  scope: Scope,
  inquiry: Inquiry,
): Promise<{ readonly record: SyncRecord; readonly failure?: { readonly error: unknown } }> {
  const { unitOfWork } = scope.context;
  for (let looks = 1; ; looks++) {
    const progress: Progress = {};
    try {
      return { record: await unitOfWork.savepoint(() => deliver(scope, inquiry, { progress })) };
    } catch (error) {
      unitOfWork.noteFailure(error);
      if (unitOfWork.failure !== undefined || unitOfWork.stopped !== undefined) throw error;
      if (isLoop(error) && (scope.context.deliveries ?? []).length > 1) throw error;
      const isChanged = error instanceof PreconditionFailedError && errorIdOf(error) === 'OBJECT_REVISION';
      if (isChanged && looks < LOOKS) continue;
      await noteFailed(scope, inquiry.sourceId, error, progress);
      const record = recordOf(scope, inquiry.sourceId, progress, { error });
      return { record, failure: { error } };
    }
  }
}

async function choiceOf(scope: Scope, sight: Sight, demand: Demand | undefined): Promise<Choice> {
  if (demand === undefined) return chooseAction(scope, sight, {});
  const { action, situation, ignoresPostAction, parameters } = demand;
  if (situation !== null && situation !== sight.situation) {
    throw new PreconditionFailedError(
      `The situation of '${sight.sourceId}' is ${sight.situation}, and not ${situation}`,
      { id: 'SYNC_OTHER_SITUATION', field: 'situation', hint: 'Ask for an action that fits it' },
    );
  }
  if (ignoresPostAction) return { action, rule: null, postAction: undefined };
  return { ...(await chooseAction(scope, sight, parameters)), action };
}

/** What the server does itself is to remember the assignments. */
async function runPostMapping(
  scope: Scope,
  sight: Sight,
  { action }: Choice,
  { targetId, targetObject }: Outcome,
): Promise<void> {
  const reference = scope.mapping.postMapping;
  const isMapped = action === 'CREATE' || action === 'UPDATE';
  if (reference === undefined || !isMapped || (await isShipped(scope, reference))) return;
  const seen = hookBindings(scope, { ...sight, targetId, target: targetObject });
  await runScript(scope, {
    use: 'postMapping',
    reference,
    bindings: { ...seen, action, sourceObject: sight.source, targetObject },
  });
}

/** Writes down that a delivery failed, and tells the audit. */
export async function noteFailed(
  scope: Scope,
  sourceId: string,
  error: unknown,
  progress: Progress,
): Promise<void> {
  const { mapping, qualifier, context, platform } = scope;
  await storeFailure(await context.unitOfWork.db(), {
    mapping: mapping.name,
    qualifier,
    source_id: sourceId,
    situation: progress.sight?.situation ?? null,
    action: progress.choice?.action ?? null,
    error: keptError(error),
    transaction_id: context.transactionId,
  });
  const facts = auditFacts(scope, sourceId, progress, { error });
  await platform.record(context, facts, `${mapping.source}/${sourceId}`);
}
