import type { Situation, SyncAction } from '#config/index.ts';
import { errorIdOf, PreconditionFailedError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { WriteContext } from '#resource/index.ts';
import { isShipped } from './assignment/give-assignments.ts';
import { carryOut, type Outcome, runPostAction, takesAway } from './carry-out.ts';
import { type Choice, chooseAction } from './choose-action.ts';
import { type Inquiry, look, lookAtTarget, NO_SOURCE, type Sight, withTarget } from './look.ts';
import { isLoop } from './loop-guard.ts';
import { hookBindings } from './map-target.ts';
import { runScript } from './mapping-scripts.ts';
import { askedOutside } from './outside.ts';
import { remember } from './remember.ts';
import type { Scope } from './stage.ts';
import { findKnown, type Known, storeFailure } from './state-repository.ts';
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
  readonly admit?: Admit;
  /** What is known of an earlier delivery, where whoever has the lock has looked. */
  readonly known?: Known | undefined;
}

/** Is told what is about to be done, and may say why it is not. */
export type Admit = (sight: Sight, choice: Choice, takesAway: boolean) => Stop | undefined;

/** Why something was not done: it would take something away; or it is not as it was any more when that was decided. */
export type Stop = 'held' | 'changed';

/** Admits a delivery that is one of many and that nobody has looked at: what takes something away is not done. */
export const cautiously: Admit = (_sight, _choice, takesAway) => (takesAway ? 'held' : undefined);

class Stopped extends Error {
  readonly why: Stop;
  constructor(why: Stop) {
    super(why);
    this.why = why;
  }
}

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
  { demand, targetId = null, progress = {}, admit, known }: DeliveryOptions = {},
): Promise<SyncRecord> {
  const { mapping, context } = scope;
  const { sourceId } = inquiry;
  const db = await context.unitOfWork.db();
  const { state, hasWaiting } = known ?? (await findKnown(db, keyOf(scope, sourceId)));
  const sight = await sightOf(scope, inquiry, targetId);
  progress.sight = sight;
  const choice = await choiceOf(scope, sight, demand);
  progress.choice = choice;
  const stop = admit?.(sight, choice, takesAway(scope, sight, choice));
  if (stop !== undefined) throw new Stopped(stop);
  if (demand !== undefined && sight.targetId !== null) {
    const account = { collection: mapping.target, id: sight.targetId };
    await scope.platform.requireAccount(context, account, 'action');
  }
  const outcome = await carryOut({ ...scope, hasWaiting }, sight, choice, state?.assignments ?? null);
  progress.outcome = outcome;
  await runPostMapping(scope, sight, choice, outcome);
  await runPostAction(scope, sight, choice, outcome.targetObject);
  // A reconciliation that only plans keeps nothing but its entry.
  const isPlanned = scope.reconId !== undefined && context.rehearsed === true;
  if (!isPlanned) await remember(scope, { sight, choice, outcome, state });
  return recordOf(scope, sourceId, progress, { outcome });
}

export function keyOf({ mapping, qualifier }: Scope, sourceId: string) {
  return { mapping: mapping.name, qualifier, sourceId };
}

async function sightOf(scope: Scope, inquiry: Inquiry, targetId: string | null): Promise<Sight> {
  if (inquiry.sourceId === NO_SOURCE) {
    const sight = targetId === null ? undefined : await lookAtTarget(scope, targetId);
    if (sight === undefined) throw new Stopped('changed');
    return sight;
  }
  const found = await look(scope, inquiry);
  return targetId === null ? found : withTarget(scope, found, targetId);
}

/** What has come of a delivery whose failure others survive. */
interface Apart {
  readonly record: SyncRecord;
  readonly progress: Progress;
  readonly failure?: { readonly error: unknown };
  readonly stop?: Stop;
}

interface ApartOptions extends Pick<DeliveryOptions, 'admit' | 'known' | 'targetId'> {
  /** Whether anything stays of it, be it that it failed. Default: yes. */
  readonly keep?: boolean;
}

/**
 * The same under a savepoint: what fails leaves nothing but that it did, and everything else goes on. What is wrong with the database
 * ends all of it.
 */
export async function deliverApart(
  scope: Scope,
  inquiry: Inquiry,
  { keep = true, ...options }: ApartOptions = {},
): Promise<Apart> {
  const { unitOfWork } = scope.context;
  for (let looks = 1; ; looks++) {
    const progress: Progress = {};
    try {
      const delivered = () => deliver(scope, inquiry, { ...options, progress });
      return { record: await unitOfWork.savepoint(delivered, { keep }), progress };
    } catch (error) {
      if (error instanceof Stopped) {
        const record = queuedRecord(scope.mapping.name, inquiry.sourceId);
        return { record, progress, stop: error.why };
      }
      requireSurvivable(scope.context, error);
      const isChanged = error instanceof PreconditionFailedError && errorIdOf(error) === 'OBJECT_REVISION';
      if (isChanged && looks < LOOKS) continue;
      if (keep) await noteFailed(scope, inquiry.sourceId, error, progress);
      const record = recordOf(scope, inquiry.sourceId, progress, { error });
      return { record, progress, failure: { error } };
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
  if (demand === undefined) {
    const asked = await askedOutside(scope, sight);
    const own = { rule: null, postAction: undefined };
    // It is gone by our own doing, of which nothing was stored.
    if (asked !== undefined && sight.situation === 'MISSING') return { action: 'CREATE', ...own };
    return asked === 'delete' ? { action: 'UNLINK', ...own } : chooseAction(scope, sight, {});
  }
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
  if (sourceId !== NO_SOURCE) {
    await storeFailure(await context.unitOfWork.db(), {
      mapping: mapping.name,
      qualifier,
      source_id: sourceId,
      situation: progress.sight?.situation ?? null,
      action: progress.choice?.action ?? null,
      error: keptError(error),
      transaction_id: context.transactionId,
    });
  }
  const facts = auditFacts(scope, sourceId, progress, { error });
  await platform.record(context, facts, `${mapping.source}/${sourceId}`);
}
