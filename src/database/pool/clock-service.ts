import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import type { DatabaseClock } from './database-clock.ts';

const INTERVAL_MS = 10_000;
/** A difference between the node's clock and the database's of so much is worth telling. */
const NOTABLE_SKEW_MS = 250;

/** Measures the database's clock from time to time. */
export function clockService(clock: DatabaseClock, observe: Observe): Service {
  return new Ticker({
    name: 'database clock',
    intervalMs: INTERVAL_MS,
    async runOnce() {
      await clock.measure();
      if (Math.abs(clock.skewMs) > NOTABLE_SKEW_MS) observe({ kind: 'node.clockSkew', ms: clock.skewMs });
    },
    observe,
  });
}
