/**
 * How long-lived things start, beat and stop.
 *
 * Words: a *service* starts and stops, a *ticker* is a service that runs rounds, to *wake* it is to start its next round
 * early, a *claim loop* claims work in its rounds and *drains* when it stops; in *quarantine* suspect work of a process
 * runs alone, in a *fair queue* callers take turns, each in a line of a *lane*. Invariants: rounds never overlap, a
 * failing round never ends a loop, stop waits.
 */
export { backOff, backoffMs } from './backoff.ts';
export { ClaimLoop } from './claim-loop.ts';
export { FairQueue } from './fair-queue.ts';
export { beatHealth, type HealthPart } from './health.ts';
export { inTurn, kept, oneByOne } from './in-turn.ts';
export { Lane } from './lane.ts';
export { lookUntil, nobodyWaits } from './look-until.ts';
export { MAX_SUSPICIONS, Quarantine } from './quarantine.ts';
export { type Service, startAll, stopAll } from './service.ts';
export { jittered, type LoopNews, Ticker, type TickerOptions } from './ticker.ts';
