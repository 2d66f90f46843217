/** Runs of a schedule: at these times, epoch ms, each so long; or one after the other all the time. */
export interface PlannedRuns {
  readonly times: readonly number[];
  readonly tookMs: number;
  /** Milliseconds between two times of a schedule that fires too often to be listed. */
  readonly everyMs?: number;
}

/**
 * How many slots are needed at once in each bucket: the most runs that are planned to go on at one instant of it, and of what
 * fires too often to be listed, as many as go on on the average.
 */
export function neededSlots(
  runs: readonly PlannedRuns[],
  { from, to, bucketMs }: { readonly from: number; readonly to: number; readonly bucketMs: number },
): number[] {
  const steady = runs.reduce(
    (sum, { everyMs, tookMs }) => sum + (everyMs === undefined ? 0 : tookMs / everyMs),
    0,
  );
  const changes = runs
    .flatMap(({ times, tookMs }) =>
      times.flatMap((at) => [
        { at, by: 1 },
        { at: at + Math.max(tookMs, 1), by: -1 },
      ]),
    )
    // What ends makes room for what begins then.
    .sort((left, right) => left.at - right.at || left.by - right.by);
  const needed = Array.from({ length: Math.ceil((to - from) / bucketMs) }, () => 0);
  let running = 0;
  let next = 0;
  const goOn = (isBefore: (at: number) => boolean, tell: (now: number) => void) => {
    for (let change = changes[next]; change !== undefined && isBefore(change.at); change = changes[next]) {
      running += change.by;
      next += 1;
      tell(running);
    }
  };
  for (const index of needed.keys()) {
    const start = from + index * bucketMs;
    goOn(
      (at) => at <= start,
      () => {},
    );
    let most = running;
    goOn(
      (at) => at < start + bucketMs,
      (now) => {
        most = Math.max(most, now);
      },
    );
    needed[index] = most + Math.ceil(steady);
  }
  return needed;
}
