import type { Situation, SyncAction } from '#config/index.ts';
import { errorIdOf, PreconditionFailedError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { WriteContext } from '#resource/index.ts';
import { isShipped } from './assignment/give-assignments.ts';
import { carryOut, type Outcome, runPostAction, takesAway } from './carry-out.ts';
import { type Choice, chooseAction } from './choose-action.ts';
import { type Inquiry, look, type Sight, withTarget } from './look.ts';
import { isLoop } from './loop-guard.ts';
import { hookBindings } from './map-target.ts';
import { runScript } from './mapping-scripts.ts';
import { remember } from './remember.ts';
import type { Scope } from './stage.ts';
import { findState, storeFailure } from './state-repository.ts';
import {
  auditFacts,
  keptError,
  type Progress,
  queuedRecord,
  recordOf,
  type SyncRecord,
} from './sync-record.ts';

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
  /** It is one of many that nobody has looked at: what takes something away is not done. */
  readonly isCautious?: boolean;
}

/** What was not done, because it would take something away. */
class HeldBack extends Error {}

/** How often it is looked again when somebody else has changed the target meanwhile. */
const LOOKS = 3;

/**
 * Brings the target of a source object to what the mapping makes of it, in the unit of work of the context. Whoever has locked the
 * delivery (`lockDelivery`) is the only one to do so.
 *
 * @param progress is told how far it came, whatever becomes of it
 * @throws ResourceError what a script, the target or a policy has against it
 */
export async function deliver(
  scope: Scope,
  inquiry: Inquiry,
  { demand, targetId = null, progress = {}, isCautious = false }: DeliveryOptions = {},
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
  if (isCautious && takesAway(scope, sight, choice)) throw new HeldBack();
  const outcome = await carryOut(scope, sight, choice, state?.assignments ?? null);
  await runPostMapping(scope, sight, choice, outcome);
  await runPostAction(scope, sight, choice, outcome.targetObject);
  await remember(scope, { sight, choice, outcome, state });
  return recordOf(scope, sourceId, progress, { outcome });
}

/** What has come of a delivery whose failure others survive. */
interface Apart {
  readonly record: SyncRecord;
  readonly failure?: { readonly error: unknown };
  /** It would have taken something away. */
  readonly isHeld?: boolean;
}

/**
 * The same under a savepoint: what fails leaves nothing but that it did, and everything else goes on. What is wrong with the database
 * ends all of it.
 */
export async function deliverApart(scope: Scope, inquiry: Inquiry, isCautious = false): Promise<Apart> {
  const { unitOfWork } = scope.context;
  for (let looks = 1; ; looks++) {
    const progress: Progress = {};
    try {
      const delivered = () => deliver(scope, inquiry, { progress, isCautious });
      return { record: await unitOfWork.savepoint(delivered) };
    } catch (error) {
      if (error instanceof HeldBack) {
        return { record: queuedRecord(scope.mapping.name, inquiry.sourceId), isHeld: true };
      }
      requireSurvivable(scope.context, error);
      const isChanged = error instanceof PreconditionFailedError && errorIdOf(error) === 'OBJECT_REVISION';
      if (isChanged && looks < LOOKS) continue;
      await noteFailed(scope, inquiry.sourceId, error, progress);
      const record = recordOf(scope, inquiry.sourceId, progress, { error });
      return { record, failure: { error } };
    }
  }
}

/** @throws what is wrong with the database, which ends all of the unit of work, and a loop, which its first delivery is to fail with */
export function requireSurvivable({ unitOfWork, deliveries = [] }: WriteContext, error: unknown): void {
  unitOfWork.noteFailure(error);
  const isLost = unitOfWork.failure !== undefined || unitOfWork.stopped !== undefined;
  if (isLost || (isLoop(error) && deliveries.length > 1)) throw error;
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
