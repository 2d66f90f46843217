import { randomUUID } from 'node:crypto';
import type { UnitOfWork } from '#database/index.ts';
import { errorIdOf } from '#errors/index.ts';
import { contextOf, insertDeadLetter, keptError } from '#sync/index.ts';
import { mappingsFrom, pathOf } from './livesync-platform.ts';
import type { RoundWork } from './round-work.ts';

/**
 * The system does not know any more what has changed since the token: that is written down, both sides of all mappings are compared, unless
 * somebody wants to do that, and it goes on from now.
 */
export async function settleGap(work: RoundWork, error: unknown, token: string): Promise<void> {
  const { platform, place, row } = work;
  const { system, type } = place;
  const source = pathOf(place);
  await work.step(async (unitOfWork) => {
    const db = await unitOfWork.db();
    await insertDeadLetter(db, {
      id: randomUUID(),
      system,
      object_type: type,
      object_id: null,
      mapping: null,
      kind: 'gap',
      attempts: 1,
      error: keptError(error),
      transaction_id: row.transaction_id,
    });
    unitOfWork.afterCommit(`a gap in '${source}'`, () => platform.observe({ kind: 'livesync.gap', source }));
    if (platform.mappings.retryPolicyOf(source).reconcilesGaps) await reconcileAll(work, unitOfWork);
    return token;
  });
}

/** Both sides of all mappings are compared, exactly if it goes on from a later token. */
async function reconcileAll({ platform, place, row }: RoundWork, unitOfWork: UnitOfWork): Promise<void> {
  const source = pathOf(place);
  for (const mapping of mappingsFrom(platform, place)) {
    try {
      await platform.reconcile(contextOf(row, unitOfWork), mapping);
    } catch (thrown) {
      if (errorIdOf(thrown) !== 'RECON_UNDER_WAY') throw thrown;
      // That one may have listed before the gap: whoever reads the log has it done again.
      const told = { kind: 'livesync.gapLeft', source, mapping: mapping.name } as const;
      unitOfWork.afterCommit(`a gap in '${source}' is left`, () => platform.observe(told));
    }
  }
}
