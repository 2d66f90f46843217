import type { UnitOfWork } from '#database/index.ts';
import type { FoundObject } from './claimable.ts';
import type { Processed } from './process-object.ts';

/** What a run does with each of its objects. */
export interface ObjectTask {
  /** What the object is called where its failure is told. */
  pathOf(found: FoundObject): string;
  /**
   * Processes the object; all of that is part of the unit of work.
   *
   * @param lookFirst false: as it was found, it may be taken without another look
   */
  process(
    unitOfWork: UnitOfWork,
    found: FoundObject,
    looking: { readonly lookFirst: boolean },
  ): Promise<Processed>;
  /** Whatever is to be stored of an object of whose processing nothing is left. */
  markFailed(unitOfWork: UnitOfWork, found: FoundObject): Promise<void>;
}
