import type { UnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { removeChunks } from './chunk-repository.ts';
import { countEntries, foldDropped, removeListed } from './entry-repository.ts';
import { forgetStaged } from './listing-repository.ts';
import type { ReconPlatform } from './recon-platform.ts';
import type { ReconRun, ReconState } from './recon-run.ts';
import { summaryOf } from './recon-view.ts';
import { recordEnd } from './record-recon.ts';
import { findRun, lockRun, storeEnd } from './run-repository.ts';

/** Ends a run, and says so. Whoever asks for it holds the lock of the run. */
export async function endRun(
  platform: ReconPlatform,
  unitOfWork: UnitOfWork,
  { id }: ReconRun,
  state: Exclude<ReconState, 'ACTIVE'>,
  error: JsonObject | null,
): Promise<void> {
  const db = await unitOfWork.db();
  await removeChunks(db, id);
  await removeListed(db, id);
  await foldDropped(db, id, null);
  await forgetStaged(db, id);
  const outcomes = await countEntries(db, id);
  await storeEnd(db, id, { state, error, outcomes });
  const ended = await findRun(db, id);
  if (ended === undefined) return;
  const summary = summaryOf(ended, outcomes, true);
  await recordEnd(platform, unitOfWork, ended, summary);
  unitOfWork.afterCommit('reconciliation ended', () => {
    const { mapping, mode, started_at, ended_at } = ended;
    platform.observe({
      kind: 'recon.ended',
      run: id,
      mapping,
      mode,
      state,
      outcomes,
      ms: (ended_at?.getTime() ?? 0) - (started_at?.getTime() ?? 0),
      error: error === null ? null : String(error['message']),
    });
  });
}

/** The same for one that cannot go on. */
export async function failRun(
  platform: ReconPlatform,
  unitOfWork: UnitOfWork,
  id: string,
  error: JsonObject,
): Promise<void> {
  const run = await lockRun(await unitOfWork.db(), id);
  if (run?.state === 'ACTIVE') await endRun(platform, unitOfWork, run, 'FAILED', error);
}
