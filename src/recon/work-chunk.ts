import type { UnitOfWork } from '#database/index.ts';
import { ConflictError, InternalServerError } from '#errors/index.ts';
import type { Job } from '#queue/index.ts';
import { keptError, type Mapping } from '#sync/index.ts';
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
import { type Chunk, removeChunk, takeChunk } from './chunk-repository.ts';
import { failRun } from './end-run.ts';
import { beginEntry, findSameError, foldDropped, listOpen, storeEntry } from './entry-repository.ts';
import { foresee } from './foresee-chunk.ts';
import { mappingChanged, waitingAt } from './lead-run.ts';
import { rememberPrints } from './listing-repository.ts';
import { CHUNK_QUEUE, mappingOf, pairPrintOf, type ReconPlatform, STEP_QUEUE } from './recon-platform.ts';
import type { ReconEntry, ReconRun, ReconState } from './recon-run.ts';
import { type ForeseenEntry, reconcileEntry } from './reconcile-entry.ts';
import { dropLane, findRun, lockRun } from './run-repository.ts';

/** So many that fail alike, and nothing else in their chunk, say that the mapping is at fault, and not the objects. */
const MOST_ALIKE = 100;

/** Works on one chunk of entries, each in a unit of work of its own; the last lane of a step has the run led on. */
export async function workChunk(
  platform: ReconPlatform,
  unitOfWork: UnitOfWork,
  job: Pick<Job, 'data' | 'attempt' | 'suspected'>,
  fence: Fence,
): Promise<void> {
  const { database, queue } = platform;
  const [id, lane] = [String(job.data['run']), Number(job.data['lane'])];
  const run = await findRun(database.db, id);
  if (run === undefined || run.state !== 'ACTIVE') return;
  const mapping = mappingOf(platform, run);
  if (mapping === undefined) return failRun(platform, unitOfWork, id, keptError(mappingChanged(run)));
  const worker = new ChunkWorker(platform, run, mapping, fence, job.attempt > 1 || job.suspected > 0);
  await workLane(platform, unitOfWork, fence, {
    take: (db) => takeChunk(db, id, lane),
    work: async (chunk) => {
      const isDone = await worker.work(chunk);
      return (await worker.giveUpAlike(chunk)) || isDone;
    },
    async settle(db, chunk) {
      // First, as whoever ends the run: both then write the same rows.
      const now = await lockRun(db, id);
      if (now?.state !== 'ACTIVE') return undefined;
      if (chunk !== undefined) {
        const print = pairPrintOf(platform, run, mapping);
        if (print !== null) await rememberPrints(db, id, mapping, { ...chunk, print });
        await foldDropped(db, id, chunk);
        await removeChunk(db, id, chunk);
      }
      return { goesOn: true, lanes: now.lanes };
    },
    hasMore: (db) => hasFreePortions(db, 'recon_chunk', id),
    drop: (db) => dropLane(db, id),
    goOn: () => queue.enqueue(unitOfWork, { queue: CHUNK_QUEUE, data: { run: id, lane } }),
    end: async () => void (await queue.enqueue(unitOfWork, { queue: STEP_QUEUE, data: { run: id } })),
  });
}

class ChunkWorker {
  readonly #platform: ReconPlatform;
  readonly #run: ReconRun;
  readonly #mapping: Mapping;
  readonly #fence: Fence;
  /** Whether nodes or threads have ended over one of its entries. */
  readonly #isSuspect: boolean;
  #failures = 0;

  constructor(platform: ReconPlatform, run: ReconRun, mapping: Mapping, fence: Fence, isSuspect: boolean) {
    this.#platform = platform;
    this.#run = run;
    this.#mapping = mapping;
    this.#fence = fence;
    this.#isSuspect = isSuspect;
  }

  /** @returns whether nothing more is to be done with the chunk */
  async work(chunk: Chunk): Promise<boolean> {
    const until = performance.now() + TURN_MS;
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

  /** Ends the run where all that was done of the chunk has failed alike. @returns whether it has */
  async giveUpAlike(chunk: Chunk): Promise<boolean> {
    if (this.#failures === 0) return false;
    const { id, step } = this.#run;
    const { db } = this.#platform.database;
    const words = await findSameError(db, id, chunk, waitingAt(step).state, MOST_ALIKE);
    if (words === undefined) return false;
    const error = keptError(allFailAlike(this.#mapping, words));
    await apart(this.#platform, (own) => failRun(this.#platform, own, id, error), this.#fence);
    return true;
  }

  /** @returns the state of the run */
  async #settle(entry: ReconEntry, foreseen: ForeseenEntry): Promise<ReconState> {
    try {
      if (this.#isSuspect && (await this.#begin(entry)) > MOST_BEGINNINGS) {
        return await this.#fail(entry, brokeItsThread());
      }
      return await this.#apart(async (unitOfWork) => {
        const { run, isFailed } = await reconcileEntry(
          this.#platform,
          unitOfWork,
          this.#run,
          this.#mapping,
          entry,
          foreseen,
        );
        if (isFailed) this.#failures += 1;
        return run;
      });
    } catch (error) {
      // A run that has ended has no entries to be done any more.
      const now = error instanceof LostPieceError ? await this.#stateNow() : 'ACTIVE';
      if (now !== 'ACTIVE') return now;
      if (!isOfPiece(error)) throw error;
      // The failure could not even be written down in the unit of work of the entry.
      return this.#fail(entry, error);
    }
  }

  async #stateNow(): Promise<ReconState> {
    const run = await findRun(this.#platform.database.db, this.#run.id);
    return run?.state ?? 'CANCELED';
  }

  /** Counts it before it begins: what ends its thread each time is given up in the end. */
  async #begin({ number }: ReconEntry): Promise<number> {
    const begin = async (unitOfWork: UnitOfWork) => beginEntry(await unitOfWork.db(), this.#run.id, number);
    return apart(this.#platform, begin, this.#fence);
  }

  #fail(entry: ReconEntry, error: unknown): Promise<ReconState> {
    this.#failures += 1;
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
    const stored = async (unitOfWork: UnitOfWork) => {
      const state = await work(unitOfWork);
      if (state === undefined)
        throw new LostPieceError(
          409,
          'The entry is in other hands now; what was done about it was rolled back',
          {
            id: 'RECON_ENTRY_LOST',
          },
        );
      return state;
    };
    return apart(this.#platform, stored, this.#fence);
  }
}

function allFailAlike({ name }: Mapping, words: string): ConflictError {
  return new ConflictError(`'${name}' goes no further: ${MOST_ALIKE} entries have failed alike: ${words}`, {
    id: 'RECON_SAME_ERROR',
    hint: 'Mend the mapping, or what it leads to, and begin anew; svc recon plan shows what would come of it',
  });
}

function brokeItsThread(): InternalServerError {
  return new InternalServerError('The entry ended its script thread or its node each time', {
    id: 'RECON_POISON',
    hint: 'The logs of the nodes say how; mend it, then begin anew',
  });
}
