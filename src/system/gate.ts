import { ConnectorError } from './contract.ts';

interface Waiting {
  readonly enter: () => void;
}

/** How many may wait: more would be told of it long after they have given up. */
const MOST_WAITING = 1_000;

/** Lets so many in at once; others wait in a row, for a while. */
export class Gate {
  readonly #most: number;
  readonly #longestMs: number;
  #inside = 0;
  readonly #waiting = new Set<Waiting>();

  /** @param longestMs of waiting; -1 for as long as it takes */
  constructor(most: number, longestMs: number) {
    this.#most = Math.max(1, most);
    this.#longestMs = longestMs;
  }

  /** @throws ConnectorError `busy` @returns what lets the next one in, once */
  async enter(signal: AbortSignal): Promise<() => void> {
    if (this.#inside >= this.#most) await this.#wait(signal);
    else this.#inside += 1;
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#leave();
    };
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#inside -= 1;
      return;
    }
    this.#waiting.delete(next);
    next.enter();
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= MOST_WAITING) throw busy(`${MOST_WAITING} others wait for it`);
    return new Promise((resolve, reject) => {
      const end = (why: string) => {
        this.#waiting.delete(waiting);
        settle();
        reject(busy(why));
      };
      const timer =
        this.#longestMs < 0
          ? undefined
          : setTimeout(() => end(`no turn came within ${this.#longestMs} ms`), this.#longestMs);
      const onAbort = () => end('nobody waits for it any more');
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        enter: () => {
          settle();
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiting);
    });
  }
}

function busy(why: string): ConnectorError {
  return new ConnectorError('busy', `All its connections are in use: ${why}`, { wasAsked: false });
}
