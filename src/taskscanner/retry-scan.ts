import { randomUUID } from 'node:crypto';
import { BadRequestError, ConflictError, NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { parsePath, type WriteContext } from '#resource/index.ts';
import type { FoundObject } from './claimable.ts';
import { storePage } from './page-scan.ts';
import { rehearseObjects } from './rehearse-scan.ts';
import type { ScanDefinition } from './scan-definition.ts';
import { listFailed } from './scan-failure-repository.ts';
import type { TaskScannerPlatform } from './scan-platform.ts';
import { type ScanRun, STATES_UNDER_WAY } from './scan-run.ts';
import { findRetryOf, lockRun } from './scan-run-repository.ts';
import { openDefinition } from './scan-seals.ts';
import { storeRun } from './start-scan.ts';

/** The definition of the schedule of that name as it is now. @throws ResourceError where it cannot be read */
export type ReadDefinition = (name: string) => Promise<ScanDefinition>;

/**
 * Tries again what failed in a run that has ended, as a run of its own, with the script as it is now. What somebody has
 * started or completed since is skipped. A run is retried once: what fails again is retried with the run that retried it.
 * What its schedule has withdrawn does not run again.
 *
 * @returns the id of the new run and how many objects it has; in a rehearsal what would come of the first of them
 * @throws NotFoundError, ConflictError `SCAN_UNDER_WAY`, `SCAN_RETRIED`, BadRequestError `SCAN_NOTHING_FAILED`
 */
export async function retryScan(
  platform: TaskScannerPlatform,
  context: WriteContext,
  id: string,
  readDefinition: ReadDefinition,
): Promise<JsonObject> {
  const { unitOfWork } = context;
  const db = await unitOfWork.db();
  const run = await lockRun(db, id);
  if (run === undefined || run.operation !== null) throw new NotFoundError(`Scan run '${id}' not found`);
  await requireEnded(run, await findRetryOf(db, id));
  const failed = await listFailed(db, id);
  const objects = failed.flatMap(({ _id, failedAt }): FoundObject[] => {
    const own = parsePath(_id).at(-1);
    return own === undefined ? [] : [[own, null, null, failedAt]];
  });
  if (objects.length === 0) {
    throw new BadRequestError(`Nothing failed in scan run '${id}'`, { id: 'SCAN_NOTHING_FAILED' });
  }
  const then = await openDefinition(platform.crypto, run.stored);
  const { script } = run.name === null ? then : await readDefinition(run.name);
  const definition = { ...then, script };
  if (context.rehearsed === true) return rehearseObjects(platform, context, definition, objects);
  const retry = randomUUID();
  await storeRun(platform, db, context, { id: retry, name: run.name, firing: null, definition, retryOf: id });
  const begun = await lockRun(db, retry);
  if (begun !== undefined) await storePage(platform, unitOfWork, begun, { objects, cookie: null });
  unitOfWork.record({
    resource: `taskscanner/${retry}`,
    operation: 'create',
    before: null,
    after: { name: run.name, object: definition.object, retryOf: id },
  });
  return { _id: retry, retryOf: id, objects: objects.length };
}

async function requireEnded({ id, state }: ScanRun, retriedBy: string | undefined): Promise<void> {
  if (STATES_UNDER_WAY.includes(state)) {
    throw new ConflictError(`Scan run '${id}' has not ended`, {
      id: 'SCAN_UNDER_WAY',
      hint: 'Wait for its end, or cancel it',
    });
  }
  if (retriedBy === undefined) return;
  throw new ConflictError(`What failed in scan run '${id}' is tried again by '${retriedBy}'`, {
    id: 'SCAN_RETRIED',
    hint: 'Retry what fails in that',
  });
}
