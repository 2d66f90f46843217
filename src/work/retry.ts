/** How often work is tried, and how long what has failed waits. */
export interface RetryPlan {
  /** Infinite for as often as it takes. */
  readonly most: number;
  /** Whether another attempt would fail as well. */
  readonly isFinal?: boolean;
  readonly pauseMs: (failures: number) => number;
}

/** @param failures how often it has failed, this one included. @returns after how many ms it is tried again; undefined when it is given up */
export function retryAfter(
  failures: number,
  { most, isFinal = false, pauseMs }: RetryPlan,
): number | undefined {
  return isFinal || failures >= most ? undefined : pauseMs(failures);
}

/** Each pause is twice as long as the one before. */
export function doubling(firstMs: number, longestMs: number): (failures: number) => number {
  return (failures) => Math.min(firstMs * 2 ** Math.min(failures - 1, 32), longestMs);
}
