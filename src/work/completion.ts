import type { GroupWrite, UnitOfWork } from '#database/index.ts';
import type { FencedOutError } from './fence-repository.ts';

/**
 * How pieces of work of a kind end: their rows go, and whatever is written down of them, such as an entry of a ledger, comes with that.
 * Guarded by the fence: of what is another's by now nothing is stored.
 */
export type Completions<Ended> = GroupWrite<Ended> & { readonly isGuarded: true };

/**
 * Completes work in the unit of work that has its effects. Where these wait for the commit, so does the completion, and they leave
 * as one statement, with those of others. What has written nothing may have done something elsewhere, so it is not run again
 * for a completion that was refused.
 *
 * @throws `lost` when the work is another's now
 */
export async function completeIn<Ended>(
  unitOfWork: UnitOfWork,
  completions: Completions<Ended>,
  ended: Ended,
  lost: () => FencedOutError,
): Promise<void> {
  const mayShare = unitOfWork.isLight && unitOfWork.isOpen;
  const isOurs = mayShare
    ? await unitOfWork.write(completions, ended)
    : (await completions.run(await unitOfWork.db(), [ended]))[0];
  if (isOurs !== true) throw lost();
}
