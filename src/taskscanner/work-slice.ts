import { isUnavailable, troubleOf, type UnitOfWork } from '#database/index.ts';
import { ResourceError, toResourceError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { JobFailure } from '#queue/index.ts';
import {
  apart,
  type Fence,
  hasFreePortions,
  isOfPiece,
  LostPieceError,
  MOST_BEGINNINGS,
  TURN_MS,
  workLane,
} from '#work/index.ts';
import type { FoundObject } from './claimable.ts';
import type { ObjectTask } from './object-task.ts';
import { ObjectWaves } from './object-waves.ts';
import { countBytes } from './operation/export-line-repository.ts';
import { RunOverError } from './operation/operation-caller.ts';
import { probe } from './probe-repository.ts';
import { ClaimLostError } from './process-object.ts';
import { sayEnded } from './say-ended.ts';
import { recordError } from './scan-failure-repository.ts';
import { SLICE_QUEUE, type TaskScannerPlatform } from './scan-platform.ts';
import { type OpenRun, type ScanRun, type ScanState, STATES_UNDER_WAY, type TakenSlice } from './scan-run.ts';
import { dropLane, endRun, findRun, lockRun } from './scan-run-repository.ts';
import { openRun } from './scan-seals.ts';
import { advanceSlice, foldSlices, removeFreeSlices, takeSlice } from './scan-slice-repository.ts';
import { taskOf } from './task-of-run.ts';

const MAX_CLAIM_ATTEMPTS = 5;

/** A job of the slice queue: one lane of a run. */
export interface Lane {
  readonly run: string;
  readonly lane: number;
}

/** Processes one slice, each object in a unit of work of its own; the lane ends with a run that has been read to its end. */
export async function workSlice(
  platform: TaskScannerPlatform,
  unitOfWork: UnitOfWork,
  { run: id, lane }: Lane,
  /** `ends`: how often it has failed, or may have been why its thread or node ended, whichever is more. */
  job: { readonly ends: number; readonly fence: Fence },
): Promise<void> {
  const { database, queue } = platform;
  const run = await findRun(database.db, id);
  if (run === undefined) return;
  // Before it takes anything: what is given back untouched counts for what ends its node.
  const open = STATES_UNDER_WAY.includes(run.state) ? await openRun(platform.crypto, run) : undefined;
  await workLane(platform, unitOfWork, job.fence, {
    take: async (db) => (open === undefined ? undefined : takeSlice(db, id, lane)),
    work: async (slice) =>
      open === undefined || processSlice(platform, open, slice, job.ends >= MOST_BEGINNINGS),
    async settle(db) {
      if (run.operation?.act === 'export') await countBytes(db, id, lane);
      await foldSlices(db, id, lane);
      const now = await lockRun(db, id);
      return now && { goesOn: now.state === 'ACTIVE', lanes: now.lanes, isPaged: now.paged };
    },
    hasMore: (db) => hasFreePortions(db, 'scan_slice', id),
    drop: (db) => dropLane(db, id),
    goOn: () => queue.enqueue(unitOfWork, { queue: SLICE_QUEUE, data: { run: id, lane } }),
    async end(db, { isPaged }) {
      // Whoever reads its last page makes further lanes, or ends it.
      if (!isPaged) return;
      await endRun(db, id, 'COMPLETED');
      unitOfWork.afterCommit('scan ended', () => sayEnded(platform, id));
    },
  });
}

/**
 * A lane that has failed for good ends its run, because nobody would go on with its slice; and so does a page (null),
 * because nobody would read on.
 */
export async function endFailedRun(
  platform: TaskScannerPlatform,
  unitOfWork: UnitOfWork,
  id: string,
  lane: number | null,
  { error, retryAt }: JobFailure,
): Promise<void> {
  if (retryAt !== null) return;
  const db = await unitOfWork.db();
  if (lane !== null) await foldSlices(db, id, lane);
  const run = await lockRun(db, id);
  if (run === undefined) return;
  if (lane !== null) await dropLane(db, id);
  await failRun(platform, unitOfWork, run, error);
}

async function failRun(
  platform: TaskScannerPlatform,
  unitOfWork: UnitOfWork,
  { id, state }: ScanRun,
  error: JsonObject,
): Promise<void> {
  if (!STATES_UNDER_WAY.includes(state)) return;
  const db = await unitOfWork.db();
  await removeFreeSlices(db, id);
  await endRun(db, id, 'ERROR', error);
  unitOfWork.afterCommit('scan ended', () => sayEnded(platform, id));
}

/** @returns whether nothing more is to be done with the slice */
async function processSlice(
  platform: TaskScannerPlatform,
  run: OpenRun,
  slice: TakenSlice,
  mayBePoison: boolean,
): Promise<boolean> {
  const until = performance.now() + TURN_MS;
  const task = taskOf(platform, run);
  // With several at once nobody could tell which one ended the thread.
  const waves = new ObjectWaves(platform, run, task, slice, slice.stuck === 0 && !mayBePoison);
  for (let position = slice.position; ; position++) {
    position = await waves.processFrom(position, until);
    if (position === slice.objects.length) return true;
    if (performance.now() > until) return false;
    const failure = waves.failureAt(position);
    const found = slice.objects[position]!;
    // A database that comes and goes sends a lane back to the same object as well.
    const isStuck = mayBePoison && position === slice.position && slice.stuck >= MOST_BEGINNINGS;
    const state = isStuck
      ? await recordFailure(platform, run, task, slice, position, brokeItsThread())
      : failure !== undefined
        ? await recordFailure(platform, run, task, slice, position, failure.error)
        : await processOne(platform, run, task, slice, position, found);
    if (!STATES_UNDER_WAY.includes(state)) return true;
  }
}

/** @returns the state of the run afterwards */
async function processOne(
  platform: TaskScannerPlatform,
  run: OpenRun,
  task: ObjectTask,
  slice: TakenSlice,
  position: number,
  found: FoundObject,
): Promise<ScanState> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await apart(platform, async (unitOfWork) => {
        const looking = { lookFirst: attempt > 1 };
        const { verdict, error } = await task
          .process(unitOfWork, found, looking)
          .catch(async (thrown: unknown) => {
            // What a script makes of a broken connection no longer says so: ask the connection itself.
            if (unitOfWork.isOpen) await probe(await unitOfWork.db());
            throw thrown;
          });
        const db = await unitOfWork.db();
        if (error !== undefined) await recordError(db, run.id, task.pathOf(found), bodyOf(error));
        return advance(unitOfWork, run, slice, position, verdict);
      });
    } catch (error) {
      if (isOurs(error)) throw error;
      if (error instanceof RunOverError) return endNow(platform, run, error);
      if (!(error instanceof ClaimLostError))
        return recordFailure(platform, run, task, slice, position, error);
      if (attempt >= MAX_CLAIM_ATTEMPTS) {
        return apart(platform, (unitOfWork) => advance(unitOfWork, run, slice, position, 'skipped'));
      }
    }
  }
}

async function endNow(
  platform: TaskScannerPlatform,
  { id }: OpenRun,
  error: RunOverError,
): Promise<ScanState> {
  await apart(platform, async (unitOfWork) => {
    const run = await lockRun(await unitOfWork.db(), id);
    if (run !== undefined) await failRun(platform, unitOfWork, run, bodyOf(error));
  });
  return 'ERROR';
}

/** Nothing of the attempt is left. */
async function recordFailure(
  platform: TaskScannerPlatform,
  run: OpenRun,
  task: ObjectTask,
  slice: TakenSlice,
  position: number,
  thrown: unknown,
): Promise<ScanState> {
  const found = slice.objects[position]!;
  return apart(platform, async (unitOfWork) => {
    // An object that cannot even be stamped has failed all the same.
    await unitOfWork
      .savepoint(() => task.markFailed(unitOfWork, found))
      .catch((error: unknown) => {
        if (isUnavailable(error)) throw error;
      });
    // Whoever made an operation is told what a single request would have told them, and nothing of the inside.
    const error = run.operation === null ? bodyOf(thrown) : toResourceError(thrown).toJSON();
    await recordError(await unitOfWork.db(), run.id, task.pathOf(found), error);
    return advance(unitOfWork, run, slice, position, 'failures');
  });
}

async function advance(
  unitOfWork: UnitOfWork,
  run: OpenRun,
  slice: TakenSlice,
  position: number,
  verdict: 'successes' | 'failures' | 'skipped',
): Promise<ScanState> {
  const state = await advanceSlice(await unitOfWork.db(), run.id, slice, position, verdict);
  if (state === undefined)
    throw new LostPieceError(409, 'The slice is in other hands now; what was done about it was rolled back', {
      id: 'SCAN_SLICE_LOST',
    });
  return state;
}

/** An object that others were always in the way of is done with the next job of the lane, too. */
function isOurs(error: unknown): boolean {
  return !isOfPiece(error) || troubleOf(error) === 'conflict';
}

function brokeItsThread(): ResourceError {
  return new ResourceError(500, 'Processing the object ended its script thread or its node each time', {
    id: 'SCAN_POISON',
  });
}

function bodyOf(thrown: unknown): JsonObject {
  const error = toResourceError(thrown);
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {};
  return { ...error.toJSON(), ...cause };
}
