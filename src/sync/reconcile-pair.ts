import type { Situation, SyncAction } from '#config/index.ts';
import { equalJson, type JsonObject } from '#json/index.ts';
import { internalContext, type WriteContext } from '#resource/index.ts';
import { type Admit, deliverApart, keyOf, noteFailed, requireSurvivable } from './deliver.ts';
import { lockDelivery, qualifiersOf, readSource } from './deliver-source.ts';
import type { KnownSource } from './foresee-correlation.ts';
import type { Foreseen } from './foreseen.ts';
import { NO_SOURCE } from './look.ts';
import { goDeeper } from './loop-guard.ts';
import type { Mapping } from './mapping.ts';
import { isOfMissing } from './missing-in.ts';
import { takeOut, tryAgain } from './outbox.ts';
import { isOutside } from './outside.ts';
import type { SyncPlatform } from './stage.ts';
import { findKnown } from './state-repository.ts';
import { keptError, type Progress } from './sync-record.ts';

/** What a reconciliation has found out about a pair, or has planned for it. */
export interface PairPlan {
  readonly situation: Situation | null;
  readonly action: SyncAction | null;
  readonly targetId: string | null;
  /** Targets that correlate, where there are several. */
  readonly ambiguous: readonly string[];
  /** Whether a target or a link goes by it. */
  readonly takesAway: boolean;
  /** Pointers of what is written of the target; null where nothing is, or it is not known. */
  readonly written: readonly string[] | null;
  readonly sourceRev: string | null;
  readonly targetRev: string | null;
}

/** What a reconciliation wants of a pair. */
export interface PairOrder {
  readonly reconId: string;
  /** Null where there is but a target. */
  readonly sourceId: string | null;
  /** The id of the target, in a pair without a source. */
  readonly targetId: string | null;
  readonly qualifier: string;
  /**
   * `rehearse`: everything is done, and nothing is kept. `careful`: done, unless it takes something away, or links a target that was
   * found, which may be that of another source, too. `planned`: done, if it is still what was planned.
   */
  readonly how: 'rehearse' | 'careful' | 'planned';
  /** What was planned, for `planned`. */
  readonly plan?: PairPlan;
  /** What was found out about many sources at once, before. */
  readonly foreseen?: Foreseen | undefined;
  /** The source, where it was read with others just now. What is done is done with it if it is that still. */
  readonly source?: KnownSource | undefined;
}

export interface PairResult extends PairPlan {
  /**
   * `done`; `held`: it would take something away; `changed`: it is not any more what was planned; `refused`: the policy says that it is
   * to be an error; `failed`; `none`: the mapping has no such qualifier for this source.
   */
  readonly outcome: 'done' | 'held' | 'changed' | 'refused' | 'failed' | 'none';
  /** Pointers of what the target loses. */
  readonly cleared: readonly string[];
  /** Whether anything is other than it was, be it a link. */
  readonly hasChanged: boolean;
  readonly error: JsonObject | null;
}

const NOTHING: Omit<PairResult, 'outcome'> = {
  situation: null,
  action: null,
  targetId: null,
  ambiguous: [],
  takesAway: false,
  written: null,
  sourceRev: null,
  targetRev: null,
  cleared: [],
  hasChanged: false,
  error: null,
};

/**
 * Does about one pair what the mapping says, on the road of all deliveries and in the unit of work of the context. What fails leaves
 * nothing but that it did, and is answered.
 *
 * @throws what is wrong with the database
 */
export async function reconcilePair(
  platform: SyncPlatform,
  outer: WriteContext,
  mapping: Mapping,
  { reconId, sourceId, targetId, qualifier, how, plan, foreseen, source: known }: PairOrder,
): Promise<PairResult> {
  const id = sourceId ?? NO_SOURCE;
  const { unitOfWork } = outer;
  const inner = { ...internalContext(outer), unitOfWork, ...(how === 'rehearse' ? { rehearsed: true } : {}) };
  const context = goDeeper(inner, mapping, id);
  const scope = { platform, mapping, context, qualifier, reconId, foreseen };
  if (sourceId !== null) await lockDelivery(scope, sourceId);
  const lookAgain = async (source: string, { stamp }: KnownSource) => {
    if (how === 'rehearse') return { isStill: true };
    const found = await findKnown(await unitOfWork.db(), keyOf(scope, source), mapping.source);
    return { isStill: found.stamp !== undefined && found.stamp === stamp, known: found };
  };
  const read = async () => {
    const before = sourceId === null || known === undefined ? undefined : await lookAgain(sourceId, known);
    const isKnown = before?.isStill === true;
    const source =
      sourceId === null ? null : isKnown ? (known?.source ?? null) : await readSource(scope, sourceId);
    // One that is gone may have had any of them.
    const applies = source === null || (await qualifiersOf(scope, source, null)).includes(qualifier);
    return { source, applies, known: before?.known };
  };
  const found = await unitOfWork.savepoint(read).catch((error: unknown) => ({ error }));
  if ('error' in found) {
    requireSurvivable(context, found.error);
    if (how !== 'rehearse') await noteFailed(scope, id, found.error, {});
    return { ...NOTHING, outcome: 'failed', error: keptError(found.error) };
  }
  if (!found.applies) return { ...NOTHING, outcome: 'none' };

  let takesAway = false;
  const admit: Admit = (sight, choice, takes) => {
    takesAway = takes;
    const links = mapping.enableLinking && (choice.action === 'UPDATE' || choice.action === 'LINK');
    if (how === 'careful' && (takes || (sight.situation === 'FOUND' && links))) return 'held';
    return plan === undefined || isSame(plan, planOf({ sight, choice })) ? undefined : 'changed';
  };
  const inquiry = { sourceId: id, source: found.source, oldSource: null };
  const options = {
    admit,
    keep: how !== 'rehearse',
    known: found.known,
    ...(sourceId === null ? { targetId } : {}),
  };
  const { progress, failure, stop } = await deliverApart(scope, inquiry, options);
  const seen = planOf(progress);
  // What is only rehearsed has no id that stays.
  const target = how === 'rehearse' ? (progress.sight?.targetId ?? null) : seen.targetId;
  const result = {
    ...seen,
    targetId: target,
    takesAway,
    cleared: progress.outcome?.cleared ?? [],
    hasChanged: progress.outcome?.hasChanged ?? false,
  };
  if (stop !== undefined) return { ...result, outcome: stop, error: null };
  if (failure !== undefined) {
    const isRefused = progress.choice?.action === 'EXCEPTION';
    // What it refers to may be another entry of the run, or the last one of another run.
    if (sourceId !== null && how !== 'rehearse' && isOfMissing(failure.error))
      await tryAgain(scope, { sourceId, oldSource: null }, 1, failure.error);
    return { ...result, outcome: isRefused ? 'refused' : 'failed', error: keptError(failure.error) };
  }
  // What was to be delivered by the queue is delivered.
  // What waits for another system may have been written meanwhile: nobody holds its row.
  const isOwn = sourceId !== null && how !== 'rehearse' && !isOutside(mapping.target);
  if (isOwn && isOnlyQualifier(mapping)) await takeOut(scope, sourceId);
  return { ...result, outcome: 'done', error: null };
}

function planOf({ sight, choice, outcome }: Progress): Omit<PairPlan, 'takesAway'> {
  return {
    situation: sight?.situation ?? null,
    action: choice?.action ?? null,
    targetId: sight?.targetId ?? outcome?.targetId ?? null,
    ambiguous: sight?.ambiguous ?? [],
    written: outcome?.written ?? null,
    sourceRev: revisionOf(sight?.source),
    targetRev: revisionOf(sight?.target),
  };
}

/** Whether the plan still holds, as far as that is known beforehand. A target that is to be made has no id yet. */
function isSame(planned: PairPlan, found: Omit<PairPlan, 'takesAway'>): boolean {
  const known = ({ situation, action, sourceRev, targetRev, ambiguous }: Omit<PairPlan, 'takesAway'>) => [
    situation,
    action,
    sourceRev,
    targetRev,
    [...ambiguous],
  ];
  const isOther = planned.action !== 'CREATE' && planned.targetId !== found.targetId;
  return !isOther && equalJson(known(planned), known(found));
}

function isOnlyQualifier({ linkQualifiers }: Mapping): boolean {
  return !('language' in linkQualifiers) && linkQualifiers.length === 1;
}

function revisionOf(object: JsonObject | null | undefined): string | null {
  const rev = object?.['_rev'];
  return typeof rev === 'string' ? rev : null;
}
