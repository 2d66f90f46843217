import { troubleOf, type UnitOfWork } from '#database/index.ts';
import { InternalServerError, ResourceError } from '#errors/index.ts';
import type { Job, JobHandler } from '#queue/index.ts';
import { type Foreseen, keptError, type Mapping } from '#sync/index.ts';
import { FencedOutError } from '#work/index.ts';
import { type Chunk, hasFreeChunks, removeChunk, takeChunk } from './chunk-repository.ts';
import { failRun } from './end-run.ts';
import { beginEntry, foldDropped, listOpen, storeEntry } from './entry-repository.ts';
import { foresee } from './foresee-chunk.ts';
import { mappingChanged, waitingAt } from './lead-run.ts';
import { rememberPrints } from './listing-repository.ts';
import {
  apart,
  CHUNK_QUEUE,
  mappingOf,
  pairPrintOf,
  type ReconPlatform,
  STEP_QUEUE,
} from './recon-platform.ts';
import type { ReconEntry, ReconRun, ReconState } from './recon-run.ts';
import { reconcileEntry } from './reconcile-entry.ts';
import { dropLane, findRun, lockRun } from './run-repository.ts';

/** An entry that has been begun so often without an end is what ends its thread or node. */
const MOST_BEGINNINGS = 3;
/** Then a lane lets others have its place, and a node that wants to stop need not wait for the end of its chunk. */
const BUDGET_MS = 10_000;

type Fence = Parameters<JobHandler['run']>[2];

/** What was done about the entry is somebody else's doing: nothing of this attempt may stay. */
class EntryLostError extends ResourceError {
  override readonly name = 'EntryLostError';
  constructor() {
    super(409, 'The entry is in other hands now; what was done about it was rolled back', {
      id: 'RECON_ENTRY_LOST',
    });
  }
}

/**
 * Works on one chunk of entries, each in a unit of work of its own, and then in that of the job hands the lane on: to the next chunk, or, as
 * the last one of its step, to whoever leads the run on.
 */
export async function workChunk(
  platform: ReconPlatform,
  unitOfWork: UnitOfWork,
  job: Pick<Job, 'data' | 'attempt' | 'suspected'>,
  fence: Fence,
): Promise<void> {
  const { database, queue } = platform;
  const [id, lane] = [String(job.data['run']), Number(job.data['lane'])];
  const again = () => queue.enqueue(unitOfWork, { queue: CHUNK_QUEUE, data: { run: id, lane } });
  const run = await findRun(database.db, id);
  if (run === undefined || run.state !== 'ACTIVE') return;
  const mapping = mappingOf(platform, run);
  if (mapping === undefined) return failRun(platform, unitOfWork, id, keptError(mappingChanged(run)));
  const chunk = await apart(platform, async (own) => {
    await fence(await own.db());
    return takeChunk(await own.db(), id, lane);
  });
  const worker = new ChunkWorker(platform, run, mapping, fence, job.attempt > 1 || job.suspected > 0);
  const isDone = chunk === undefined || (await worker.work(chunk));
  const db = await unitOfWork.db();
  if (!isDone) return void (await again());
  // First, as whoever ends the run: both then write the same rows.
  const now = await lockRun(db, id);
  if (now?.state !== 'ACTIVE') return;
  if (chunk !== undefined) {
    const print = pairPrintOf(platform, run, mapping);
    if (print !== null) await rememberPrints(db, id, mapping, { ...chunk, print });
    await foldDropped(db, id, chunk);
    await removeChunk(db, id, chunk);
  }
  if (await hasFreeChunks(db, id)) return void (await again());
  await dropLane(db, id);
  if (now.lanes === 1) await queue.enqueue(unitOfWork, { queue: STEP_QUEUE, data: { run: id } });
}

class ChunkWorker {
  readonly #platform: ReconPlatform;
  readonly #run: ReconRun;
  readonly #mapping: Mapping;
  readonly #fence: Fence;
  /** Whether nodes or threads have ended over one of its entries. */
  readonly #isSuspect: boolean;

  constructor(platform: ReconPlatform, run: ReconRun, mapping: Mapping, fence: Fence, isSuspect: boolean) {
    this.#platform = platform;
    this.#run = run;
    this.#mapping = mapping;
    this.#fence = fence;
    this.#isSuspect = isSuspect;
  }

  /** @returns whether nothing more is to be done with the chunk */
  async work(chunk: Chunk): Promise<boolean> {
    const until = performance.now() + BUDGET_MS;
    const { database } = this.#platform;
    const { id, step } = this.#run;
    const open = await listOpen(database.db, id, chunk, waitingAt(step));
    const foreseen = await foresee(this.#platform, this.#run, this.#mapping, chunk, open);
    for (const entry of open) {
      if (performance.now() > until) return false;
      if ((await this.#settle(entry, foreseen(entry))) !== 'ACTIVE') return true;
      // Another one now: the next job of the lane says so.
      if (mappingOf(this.#platform, this.#run) !== this.#mapping) return false;
    }
    return true;
  }

  /** @returns the state of the run */
  async #settle(entry: ReconEntry, foreseen: Foreseen | undefined): Promise<ReconState> {
    try {
      if (this.#isSuspect && (await this.#begin(entry)) > MOST_BEGINNINGS) {
        return await this.#fail(entry, brokeItsThread());
      }
      return await this.#apart((unitOfWork) =>
        reconcileEntry(this.#platform, unitOfWork, this.#run, this.#mapping, entry, foreseen),
      );
    } catch (error) {
      // Of a run that has ended there are no entries to be done any more.
      const now = error instanceof EntryLostError ? await this.#stateNow() : 'ACTIVE';
      if (now !== 'ACTIVE') return now;
      if (isOurs(error)) throw error;
      // What could not even be written down in its own unit of work.
      return this.#fail(entry, error);
    }
  }

  async #stateNow(): Promise<ReconState> {
    const run = await findRun(this.#platform.database.db, this.#run.id);
    return run?.state ?? 'CANCELED';
  }

  /** Counts it before it begins: what ends its thread each time is given up in the end. */
  async #begin({ number }: ReconEntry): Promise<number> {
    return apart(this.#platform, async (unitOfWork) => {
      const db = await unitOfWork.db();
      await this.#fence(db);
      return beginEntry(db, this.#run.id, number);
    });
  }

  #fail(entry: ReconEntry, error: unknown): Promise<ReconState> {
    return this.#apart(async (unitOfWork) =>
      storeEntry(await unitOfWork.db(), this.#run.id, entry.state, {
        ...entry,
        ambiguous: entry.ambiguous ?? [],
        state: 'failed',
        error: keptError(error),
      }),
    );
  }

  async #apart(work: (unitOfWork: UnitOfWork) => Promise<ReconState | undefined>): Promise<ReconState> {
    return apart(this.#platform, async (unitOfWork) => {
      await this.#fence(await unitOfWork.db());
      const state = await work(unitOfWork);
      if (state === undefined) throw new EntryLostError();
      return state;
    });
  }
}

/** What is no failure of the entry: it was lost, the job was, or the database. */
function isOurs(error: unknown): boolean {
  if (error instanceof EntryLostError || error instanceof FencedOutError) return true;
  const trouble = troubleOf(error);
  return trouble === 'unreachable' || trouble === 'unknownOutcome';
}

function brokeItsThread(): InternalServerError {
  return new InternalServerError('The entry ended its script thread or its node each time', {
    id: 'RECON_POISON',
    hint: 'The logs of the nodes say how; mend it, then begin anew',
  });
}
