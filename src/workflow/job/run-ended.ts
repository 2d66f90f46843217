/** So many wait on one node at once; who comes later is not kept waiting. */
const MOST_WAITING = 100;
/** Wake-ups only save time: without them whoever waits looks by itself. */
const LOOK_MS = 1_000;

/** The callers on this node who wait for the end of a job that they have asked for. */
export class RunEnded {
  readonly #waiting = new Set<() => void>();
  /** Tells all nodes that a job has ended for which somebody waits. */
  readonly tell: () => void;

  constructor(tell: () => void) {
    this.tell = tell;
  }

  /** A job has ended somewhere. */
  wake(): void {
    for (const look of this.#waiting) look();
  }

  /** Looks now, and whenever a job has ended, until there is something or the time (ms) is over. */
  async until<Found>(look: () => Promise<Found | undefined>, ms: number): Promise<Found | undefined> {
    const end = performance.now() + ms;
    for (;;) {
      // What ends while we look counts, too.
      const next = this.#next(Math.min(LOOK_MS, end - performance.now()));
      const found = await look();
      if (found !== undefined || next === undefined) {
        next?.cancel();
        return found;
      }
      await next.woken;
    }
  }

  #next(ms: number): { readonly woken: Promise<void>; readonly cancel: () => void } | undefined {
    if (ms <= 0 || this.#waiting.size >= MOST_WAITING) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => {
      clearTimeout(timer);
      this.#waiting.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    this.#waiting.add(wake);
    return { woken: promise, cancel: wake };
  }
}
