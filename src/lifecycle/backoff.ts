/** How long to wait before the next try, in ms: it doubles with each failure, and its upper half is random. */
export function backoffMs(failures: number, firstMs: number, longestMs: number): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** (failures - 1));
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}

/** Waits that long before something that has failed is tried again. */
export function backOff(failures: number, firstMs: number, longestMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, backoffMs(failures, firstMs, longestMs)));
}
