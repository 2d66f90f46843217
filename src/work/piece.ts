import {
  type Database,
  runUnitOfWork,
  troubleOf,
  type UnitOfWork,
  type UnitOfWorkOptions,
} from '#database/index.ts';
import { ResourceError } from '#errors/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Fence } from './claimed.ts';
import { FencedOutError } from './fence-repository.ts';

/**
 * A job that has much to do does it in *pieces*, such as objects, entries, deliveries and batches of changes, each of them a unit of
 * work of its own, and begins new ones for so long: others want its seat, and a node that stops waits for it.
 */
export const TURN_MS = 10_000;

/** Does a piece, which is committed by itself. @param fence that of the job, where nothing else keeps the piece from being done twice */
export function apart<T>(
  { database, observe }: { readonly database: Database; readonly observe: Observe },
  work: (unitOfWork: UnitOfWork) => Promise<T>,
  fence?: Fence,
): Promise<T> {
  return runUnitOfWork(database, tellingEffects(observe), async (unitOfWork) => {
    await fence?.(await unitOfWork.db());
    return work(unitOfWork);
  });
}

/** What fails after the commit of a piece is told, and nobody's failure. */
export function tellingEffects(observe: Observe): Pick<UnitOfWorkOptions, 'onEffectError'> {
  return { onEffectError: (part, error) => observe({ kind: 'server.failed', part, error }) };
}

/** A piece is in other hands by now, or nobody wants it any more: nothing of this attempt may stay. */
export class LostPieceError extends ResourceError {
  override readonly name = 'LostPieceError';
}

/** Whether a piece has failed itself. It has not where it was lost, or its job, or the database: then the job is run again. */
export function isOfPiece(error: unknown): boolean {
  if (error instanceof LostPieceError || error instanceof FencedOutError) return false;
  const trouble = troubleOf(error);
  // A piece that was always in the way of others has failed.
  return trouble === undefined || trouble === 'conflict';
}
