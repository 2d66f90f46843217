import { isConnectionLost } from '#database/index.ts';
import { backOff } from '#lifecycle/index.ts';

/**
 * After a commit whose answer was lost: asks what became of the work until the database answers, because only that knows.
 *
 * @throws what the question fails with otherwise
 */
export async function untilKnown<T>(ask: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      await backOff(failures, 50, 2_000);
    }
  }
}
