import type { UnitOfWork } from '#database/index.ts';
import { ResourceError, toResourceError } from '#errors/index.ts';
import type { FoundObject } from './claimable.ts';
import { findObjects } from './find-objects.ts';
import { sayEnded } from './say-ended.ts';
import {
  connectionOf,
  contextOf,
  PAGE_QUEUE,
  SLICE_QUEUE,
  type TaskScannerPlatform,
} from './scan-platform.ts';
import { type OpenScan, type ScanRun, STATES_UNDER_WAY } from './scan-run.ts';
import { endRun, findRun, lockRun, recordPage } from './scan-run-repository.ts';
import { openDefinition } from './scan-seals.ts';
import { insertSlices } from './scan-slice-repository.ts';

const PAGE_SIZE = 1_000;
export const MAX_SLICE = 50;

/**
 * Reads the next page of a run's query, cuts it into slices, and sees to it that there are lanes for them and somebody
 * who reads on: one unit of work. A query that fails ends the run.
 */
export async function pageScan(
  platform: TaskScannerPlatform,
  unitOfWork: UnitOfWork,
  id: string,
): Promise<void> {
  const run = await findRun(await unitOfWork.db(), id);
  if (run === undefined || run.operation !== null || !STATES_UNDER_WAY.includes(run.state)) return;
  const { maxRecords } = run.stored;
  const wanted = maxRecords === null ? PAGE_SIZE : Math.min(PAGE_SIZE, maxRecords - run.total);
  const definition = await openDefinition(platform.crypto, run.stored);
  const page = await readPage(platform, unitOfWork, { ...run, operation: null, definition }, wanted);
  const db = await unitOfWork.db();
  if (page instanceof ResourceError) {
    await endRun(db, id, 'ERROR', page.toJSON());
    unitOfWork.afterCommit('scan ended', () => sayEnded(platform, id));
    return;
  }
  // The query is read without the lock, because lanes need it. It is this job alone that reads on.
  const locked = await lockRun(db, id);
  if (locked === undefined || !STATES_UNDER_WAY.includes(locked.state)) return;
  await storePage(platform, unitOfWork, locked, page);
}

interface PageRead {
  readonly objects: readonly FoundObject[];
  /** Where the next page begins; null where there is none. */
  readonly cookie: string | null;
}

async function readPage(
  platform: TaskScannerPlatform,
  unitOfWork: UnitOfWork,
  run: OpenScan,
  wanted: number,
): Promise<PageRead | ResourceError> {
  if (wanted <= 0) return { objects: [], cookie: null };
  const connection = connectionOf(platform, contextOf(run, unitOfWork));
  const paging = {
    pageSize: wanted,
    offset: 0,
    totalPolicy: 'NONE',
    ...(run.cookie === null ? {} : { cookie: run.cookie }),
  } as const;
  try {
    const page = await unitOfWork.savepoint(() => findObjects(connection, run.definition, paging));
    // A resource that does not page answers everything at once.
    return { cookie: page.cookie, objects: page.objects.slice(0, limitOf(run)) };
  } catch (thrown) {
    const error = toResourceError(thrown);
    // A wrong query stays wrong; what goes wrong in the server may pass, so the job is tried again.
    if (error.code >= 500 && error.code !== 501) throw thrown;
    return error;
  }
}

function limitOf({ definition, total }: OpenScan): number | undefined {
  return definition.maxRecords === null ? undefined : definition.maxRecords - total;
}

/** Cuts what was found into slices, and sees to it that there are lanes for them and somebody who reads on. Locks the run. */
export async function storePage(
  platform: TaskScannerPlatform,
  unitOfWork: UnitOfWork,
  run: ScanRun,
  { objects, cookie }: PageRead,
): Promise<void> {
  const { queue } = platform;
  const { threads, maxRecords } = run.stored;
  const db = await unitOfWork.db();
  const total = run.total + objects.length;
  const paged = cookie === null || (maxRecords !== null && total >= maxRecords);
  const slices = cut(objects, Math.min(MAX_SLICE, Math.ceil(objects.length / threads)));
  if (slices.length > 0) await insertSlices(db, run.id, run.lastSlice + 1, slices);
  const added = Math.min(threads - run.lanes, slices.length);
  for (let n = 1; n <= added; n++) {
    await queue.enqueue(unitOfWork, { queue: SLICE_QUEUE, data: { run: run.id, lane: run.lastLane + n } });
  }
  await recordPage(db, run.id, {
    cookie,
    paged,
    total,
    lanes: run.lanes + added,
    lastLane: run.lastLane + added,
    lastSlice: run.lastSlice + slices.length,
  });
  if (!paged) await queue.enqueue(unitOfWork, { queue: PAGE_QUEUE, data: { run: run.id } });
  else if (run.lanes + added === 0) {
    await endRun(db, run.id, 'COMPLETED');
    unitOfWork.afterCommit('scan ended', () => sayEnded(platform, run.id));
  }
}

export function cut<T>(list: readonly T[], size: number): (readonly T[])[] {
  const parts: (readonly T[])[] = [];
  for (let start = 0; start < list.length; start += size) parts.push(list.slice(start, start + size));
  return parts;
}
