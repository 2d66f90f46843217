import type { UnitOfWork } from '#database/index.ts';
import { errorIdOf } from '#errors/index.ts';
import type { Job } from '#queue/index.ts';
import { keptError } from '#sync/index.ts';
import { apart, type Fence, isOfPiece, LostPieceError } from '#work/index.ts';
import { applyBatch } from './apply-batch.ts';
import { acceptListing, compareListing } from './compare-listing.ts';
import { settleGap } from './gap.ts';
import { type LiveSyncPlatform, ROUND_QUEUE } from './livesync-platform.ts';
import { LATEST, MOST_AT_ONCE, RoundWork } from './round-work.ts';
import { endRound, workAt } from './token-repository.ts';

/** Takes a round on, as long as a job may, batch by batch: each of them is committed with its token. */
export async function runRound(
  platform: LiveSyncPlatform,
  unitOfWork: UnitOfWork,
  { id: job, data, suspected }: Job,
  fence: Fence,
): Promise<void> {
  const { system, type, round } = data;
  const place = { system: String(system), type: String(type) };
  const key = { ...place, round: String(round) };
  const row = await apart(platform, async (own) => workAt(await own.db(), key, job), fence);
  if (row === undefined) return;
  const work = new RoundWork(platform, place, row, fence, {
    isSuspect: suspected > 0,
    skips: data['skips'] === true,
  });
  try {
    if (!(await follow(work))) {
      await platform.queue.enqueue(unitOfWork, { queue: ROUND_QUEUE, data });
      return;
    }
  } catch (error) {
    if (error instanceof LostPieceError) return;
    if (!isOfPiece(error)) throw error;
    return work.end(error);
  }
  await work.end(null);
}

/** What is left to be said when its job was given up. */
export async function giveUpRound(unitOfWork: UnitOfWork, { data }: Job, error: unknown): Promise<void> {
  const key = { system: String(data['system']), type: String(data['type']), round: String(data['round']) };
  await endRound(await unitOfWork.db(), key, keptError(error));
}

/** @returns whether it has come to its end */
async function follow(work: RoundWork): Promise<boolean> {
  const told = await work.platform.systems.told(work.place);
  if (told === 'compared') return work.token === null ? acceptListing(work) : compareListing(work);
  if (work.token === null) return takeLatest(work);
  try {
    return await followChanges(work);
  } catch (error) {
    if (errorIdOf(error) !== 'SYSTEM_TOKEN_EXPIRED') throw error;
    await settleGap(work, error, await work.latest());
    return true;
  }
}

async function takeLatest(work: RoundWork): Promise<boolean> {
  const token = await work.latest();
  await work.step(async () => token);
  work.tellFirst();
  return true;
}

async function followChanges(work: RoundWork): Promise<boolean> {
  const { platform, place, named, isStrict, token } = work;
  const options = { named, mostAtOnce: isStrict ? 1 : MOST_AT_ONCE };
  for await (const batch of platform.systems.since(place, token ?? LATEST, options)) {
    await applyBatch(work, batch.changes, async () => batch.token, { isStrict });
    if (batch.isLast) return true;
    if (work.isOverdue) return false;
  }
  return true;
}
