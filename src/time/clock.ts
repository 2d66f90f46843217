/** The only source of "now", so that tests can set it. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that stands still until it is told otherwise. */
export class TestClock implements Clock {
  #nowMs: number;

  /** @param at milliseconds since the epoch, or an ISO text with its offset such as `2026-03-08T06:59:00Z` */
  constructor(at: number | string) {
    this.#nowMs = toEpochMs(at);
  }

  now(): number {
    return this.#nowMs;
  }

  set(at: number | string): void {
    this.#nowMs = toEpochMs(at);
  }

  advance(byMs: number): void {
    this.#nowMs += byMs;
  }
}

function toEpochMs(at: number | string): number {
  const epochMs = typeof at === 'number' ? at : Date.parse(at);
  if (!Number.isFinite(epochMs)) throw new RangeError(`A clock cannot be set to '${at}'`);
  return epochMs;
}
