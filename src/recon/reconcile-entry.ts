import type { UnitOfWork } from '#database/index.ts';
import {
  contextOf,
  type Foreseen,
  type KnownSource,
  type Mapping,
  type PairPlan,
  type PairResult,
  reconcilePair,
} from '#sync/index.ts';
import { dropEntry, type EntryResult, storeEntry } from './entry-repository.ts';
import type { ReconPlatform } from './recon-platform.ts';
import type { EntryState, ReconEntry, ReconRun, ReconState } from './recon-run.ts';

/** What was found out about an entry together with others. */
export interface ForeseenEntry {
  readonly foreseen?: Foreseen | undefined;
  readonly source?: KnownSource | undefined;
}

/** What is not worth a row where nothing was done: nobody wants to hear of it. */
const SILENT: ReadonlySet<string> = new Set(['NOREPORT', 'IGNORE', 'ASYNC']);

/**
 * Does about an entry what is to be done, and writes down with it what has come of that.
 *
 * @returns the state of the run, undefined where somebody else has done it: then nothing may stay; and whether it has failed
 */
export async function reconcileEntry(
  platform: ReconPlatform,
  unitOfWork: UnitOfWork,
  run: ReconRun,
  mapping: Mapping,
  entry: ReconEntry,
  { foreseen, source }: ForeseenEntry = {},
): Promise<{ readonly run: ReconState | undefined; readonly isFailed: boolean }> {
  const { number, source_id: sourceId, target_id: targetId, qualifier } = entry;
  const isPlanned = entry.state === 'planned';
  const isRehearsal = isPlan(run);
  const how = isPlanned ? 'planned' : isRehearsal ? 'rehearse' : 'careful';
  const result = await reconcilePair(
    { ...platform, record: recorder(platform, run, entry) },
    contextOf(run, unitOfWork),
    mapping,
    {
      reconId: run.id,
      sourceId,
      targetId,
      qualifier,
      how,
      foreseen,
      source,
      ...(isPlanned ? { plan: planOf(entry) } : {}),
    },
  );
  const db = await unitOfWork.db();
  const come = { ...resultOf(entry, result), state: stateOf(isRehearsal && !isPlanned, result), number };
  const write = isSilent(run, entry, result) ? dropEntry : storeEntry;
  return { run: await write(db, run.id, entry.state, come), isFailed: come.state === 'failed' };
}

/** Whether nothing is done yet of what is found. */
export function isPlan({ mode, step, parameters }: ReconRun): boolean {
  return mode === 'plan' || (parameters.plansFirst === true && (step === 'source' || step === 'target'));
}

function stateOf(isRehearsal: boolean, { outcome, hasChanged, action, takesAway }: PairResult): EntryState {
  switch (outcome) {
    case 'held':
      return 'planned';
    case 'changed':
      return 'changed';
    case 'failed':
      return 'failed';
    case 'refused':
    case 'none':
      return 'skipped';
    default:
      if (!hasChanged && !takesAway && !isAlways(action)) return 'skipped';
      return isRehearsal ? 'planned' : 'applied';
  }
}

/** An action that is done again when it is approved even if it comes to nothing. */
function isAlways(action: PairResult['action']): boolean {
  return action === 'CREATE' || action === 'DELETE';
}

function isSilent(
  { parameters }: ReconRun,
  entry: ReconEntry,
  { outcome, hasChanged, situation, action, targetId }: PairResult,
): boolean {
  if (outcome === 'none') return true;
  if (parameters.keepsAll === true) return false;
  if (outcome !== 'done' || hasChanged || entry.state === 'planned') return false;
  if (situation === 'CONFIRMED') return action === 'UPDATE' || action === 'LINK' || SILENT.has(action ?? '');
  return SILENT.has(action ?? '') && (targetId === null || entry.phase === 'target');
}

function resultOf(entry: ReconEntry, result: PairResult): Omit<EntryResult, 'number' | 'state'> {
  return {
    // The id of a target that is made is known only when it is there.
    target_id: result.targetId ?? entry.target_id,
    ambiguous: result.ambiguous,
    situation: result.situation,
    action: result.action,
    takes_away: result.takesAway,
    difference: result.written ?? entry.difference,
    cleared: result.cleared,
    source_rev: result.sourceRev,
    target_rev: result.targetRev,
    error: result.error,
  };
}

function planOf(entry: ReconEntry): PairPlan {
  const { situation, action, target_id, ambiguous, takes_away, difference, source_rev, target_rev } = entry;
  return {
    situation,
    action,
    targetId: target_id,
    ambiguous: ambiguous ?? [],
    takesAway: takes_away,
    written: difference,
    sourceRev: source_rev,
    targetRev: target_rev,
  };
}

/** The same audit as of other deliveries, as a part of the reconciliation. */
function recorder(
  platform: ReconPlatform,
  run: ReconRun,
  { phase }: ReconEntry,
): ReconPlatform['recordRecon'] {
  const of = { reconId: run.id, entryType: 'entry', reconciling: phase };
  return (context, facts, objectId) => platform.recordRecon(context, { ...of, ...facts }, objectId);
}
