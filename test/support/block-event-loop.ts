import { isMainThread } from 'node:worker_threads';

/** Keeps the event loop of a node that preloads this file busy for a while. */
export const BLOCK_SIGNAL = 'SIGUSR2';
export const BLOCK_MS = 5_000;

if (isMainThread && process.env['SVC_TEST_BLOCKABLE'] !== undefined) {
  process.on(BLOCK_SIGNAL, () => {
    const until = performance.now() + BLOCK_MS;
    while (performance.now() < until) {
      // As some native call that takes too long.
    }
  });
}

/** What `NODE_OPTIONS` of such a node has to hold. */
export const PRELOAD = `--import=${import.meta.url}`;
