export interface FairQueueOptions {
  /** Pieces of work at once. */
  readonly atOnce: number;
  /** How many may wait in each lane, the urgent and the other. */
  readonly mostWaiting: { readonly urgent: number; readonly other: number };
  /** What those are told for whom there is no room. */
  readonly refuse: () => Error;
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: () => void;
}

/** Even while there is always something urgent, one turn in so many is of the others. */
const TURN_OF_OTHERS = 4;

/**
 * Turns at something scarce. Callers take turns, however many each of them has waiting, and those with something urgent
 * come first. When there is no more room, whoever has most waiting gives way.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #urgent: Lane;
  readonly #other: Lane;
  #busy = 0;
  #turns = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#urgent = new Lane(options.mostWaiting.urgent);
    this.#other = new Lane(options.mostWaiting.other);
  }

  get waiting(): number {
    return this.#urgent.size + this.#other.size;
  }

  /** Whether a caller who comes now would be let in. */
  hasRoom(caller: string, urgent: boolean): boolean {
    return this.#busy < this.#options.atOnce || (urgent ? this.#urgent : this.#other).hasRoom(caller);
  }

  /** @throws what `refuse` says when there is no room, now or before its turn */
  async run<Result>(caller: string, urgent: boolean, work: () => Promise<Result>): Promise<Result> {
    if (this.#busy < this.#options.atOnce) this.#busy += 1;
    else await this.#wait(caller, urgent ? this.#urgent : this.#other);
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next === undefined) this.#busy -= 1;
      else next.begin();
    }
  }

  #wait(caller: string, lane: Lane): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = () => reject(this.#options.refuse());
      if (!lane.hasRoom(caller)) refuse();
      else lane.add(caller, { begin: resolve, refuse });
    });
  }

  #next(): Waiting | undefined {
    this.#turns += 1;
    const lanes = [this.#urgent, this.#other];
    if (this.#turns % TURN_OF_OTHERS === 0) lanes.reverse();
    return lanes[0]!.take() ?? lanes[1]!.take();
  }
}

/** Lines of callers; the map keeps the order in which their turns come. */
class Lane {
  readonly #most: number;
  readonly #lines = new Map<string, Waiting[]>();
  size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  hasRoom(caller: string): boolean {
    return this.size < this.#most || this.#longest().length > (this.#lines.get(caller)?.length ?? 0) + 1;
  }

  add(caller: string, waiting: Waiting): void {
    if (this.size >= this.#most) {
      this.#longest().pop()!.refuse();
      this.size -= 1;
    }
    const line = this.#lines.get(caller);
    if (line === undefined) this.#lines.set(caller, [waiting]);
    else line.push(waiting);
    this.size += 1;
  }

  take(): Waiting | undefined {
    for (const [caller, line] of this.#lines) {
      this.#lines.delete(caller);
      const first = line.shift()!;
      if (line.length > 0) this.#lines.set(caller, line);
      this.size -= 1;
      return first;
    }
    return undefined;
  }

  #longest(): Waiting[] {
    let longest: Waiting[] = [];
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line;
    return longest;
  }
}
