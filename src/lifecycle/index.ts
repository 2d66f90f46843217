/**
 * How long-lived things start, beat and stop.
 *
 * Words: a *service* starts and stops, a *ticker* is a service that runs rounds, to *wake* it is to start its
 * next round early. Invariants: rounds never overlap, a failing round never ends a loop, stop waits.
 */
export { type Service, startAll, stopAll } from './service.ts';
export { backoffMs, type LoopNews, Ticker, type TickerOptions } from './ticker.ts';
