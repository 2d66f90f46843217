import type { UnitOfWork } from '#database/index.ts';
import { sayEnded } from './say-ended.ts';
import type { TaskScannerPlatform } from './scan-platform.ts';
import { endRun, lockRun } from './scan-run-repository.ts';
import { removeFreeSlices } from './scan-slice-repository.ts';

/**
 * Cancels a run: every lane ends after the object that it is at.
 *
 * @returns false when the run has ended already; undefined when there is none
 */
export async function cancelScan(
  platform: TaskScannerPlatform,
  unitOfWork: UnitOfWork,
  id: string,
): Promise<boolean | undefined> {
  const db = await unitOfWork.db();
  const run = await lockRun(db, id);
  if (run === undefined) return undefined;
  if (run.state === 'COMPLETED' || run.state === 'ERROR') return false;
  if (run.state === 'CANCELLED') return true;
  await endRun(db, id, 'CANCELLED');
  await removeFreeSlices(db, id);
  const resource = `${run.operation === null ? 'taskscanner' : 'operation'}/${id}`;
  unitOfWork.record({
    resource,
    operation: 'update',
    before: { state: run.state },
    after: { state: 'CANCELLED' },
  });
  unitOfWork.afterCommit('scan ended', () => sayEnded(platform, id));
  return true;
}
