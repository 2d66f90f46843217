import type { UnitOfWork } from '#database/index.ts';
import { contextOf, deliverChange, giveUpChange } from '#sync/index.ts';
import type { ObjectChange } from '#system/index.ts';
import { isOfPiece } from '#work/index.ts';
import { mappingsFrom, pathOf } from './livesync-platform.ts';
import type { RoundWork } from './round-work.ts';
import { countFailing } from './token-repository.ts';

interface BatchOptions {
  readonly isStrict: boolean;
}

/**
 * Brings some changes to what is mapped to them, in one unit of work with the token of what comes after them. What one of them fails with
 * leaves nothing but a row to be tried again. What keeps all of them from being stored, or has ended a thread before, has each put off, to
 * be a unit of work of its own.
 */
export async function applyBatch(
  work: RoundWork,
  changes: readonly ObjectChange[],
  token: (unitOfWork: UnitOfWork) => Promise<string>,
  { isStrict }: BatchOptions,
): Promise<void> {
  if (isStrict) return applyStrictly(work, changes, token);
  try {
    await applied(work, changes, token, { isPutOff: work.isSuspect, isStrict: false });
  } catch (error) {
    if (!isOfPiece(error) || work.isSuspect || changes.length === 0) throw error;
    await applied(work, changes, token, { isPutOff: true, isStrict: false });
  }
}

async function applied(
  work: RoundWork,
  changes: readonly ObjectChange[],
  token: (unitOfWork: UnitOfWork) => Promise<string>,
  options: { readonly isPutOff: boolean; readonly isStrict: boolean },
): Promise<void> {
  let failed = 0;
  await work.step(
    async (unitOfWork) => {
      failed = 0;
      for (const change of changes) if (!(await applyChange(work, unitOfWork, change, options))) failed += 1;
      return token(unitOfWork);
    },
    () => ({ changes: work.counts.changes + changes.length, failed: work.counts.failed + failed }),
  );
}

/** @returns whether it went well by all mappings, or is still to be done */
async function applyChange(
  { platform, place, row }: RoundWork,
  unitOfWork: UnitOfWork,
  change: ObjectChange,
  options: { readonly isPutOff: boolean; readonly isStrict: boolean },
): Promise<boolean> {
  const known =
    change.kind === 'upsert'
      ? { id: change.id, source: change.object, oldSource: null, previousId: change.previousId }
      : { id: change.id, source: null, oldSource: change.last };
  let isWell = true;
  const unfinished = new Set<string>();
  for (const mapping of mappingsFrom(platform, place)) {
    const isHeldUp = mapping.delivery.after.some((name) => unfinished.has(name));
    // Each has a budget of its own.
    const context = contextOf(row, unitOfWork);
    const how = { ...options, isPutOff: options.isPutOff || isHeldUp };
    const come = await deliverChange(platform, context, mapping, known, how);
    if (come !== 'done') unfinished.add(mapping.name);
    if (come === 'failed') isWell = false;
  }
  return isWell;
}

/** One after the other: what fails holds up all that comes after it, until it was tried often enough. */
async function applyStrictly(
  work: RoundWork,
  changes: readonly ObjectChange[],
  token: (unitOfWork: UnitOfWork) => Promise<string>,
): Promise<void> {
  const { platform, place, row } = work;
  try {
    await applied(work, changes, token, { isPutOff: false, isStrict: true });
  } catch (error) {
    const [change] = changes;
    if (!isOfPiece(error) || change === undefined) throw error;
    const policy = platform.mappings.retryPolicyOf(pathOf(place));
    let failures = 0;
    await work.fenced(async (unitOfWork) => {
      failures = await countFailing(await unitOfWork.db(), { ...place, round: String(row.round) }, change.id);
    });
    if (failures < policy.mostAttempts) throw error;
    await work.step(
      async (unitOfWork) => {
        const [mapping] = mappingsFrom(platform, place);
        const stage = { platform, context: contextOf(row, unitOfWork), mapping };
        if (mapping !== undefined) {
          await giveUpChange({ ...stage, mapping }, change.id, failures, error);
        }
        return token(unitOfWork);
      },
      () => ({ changes: work.counts.changes + changes.length, failed: work.counts.failed + 1 }),
    );
  }
}
