import { isConnectionLost } from '#database/index.ts';
import { backOff } from '#lifecycle/index.ts';

interface Insisting {
  /** Told of each failure. */
  readonly failed?: (error: unknown) => void;
  /** Whether it may be tried once more. Default: always. */
  readonly mayRepeat?: (error: unknown) => boolean;
}

/** Does what may be repeated until the database takes it. @throws what it fails with and may not be repeated after */
export async function insist<T>(
  act: () => Promise<T>,
  { failed = () => {}, mayRepeat = () => true }: Insisting = {},
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await act();
    } catch (error) {
      failed(error);
      if (!mayRepeat(error)) throw error;
      await backOff(failures, 50, 2_000);
    }
  }
}

/** After a commit whose answer was lost: asks what became of the work until the database answers, because only that knows. */
export function untilKnown<T>(ask: () => Promise<T>): Promise<T> {
  return insist(ask, { mayRepeat: isConnectionLost });
}
