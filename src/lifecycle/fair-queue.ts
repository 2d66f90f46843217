import { Lane } from './lane.ts';

export interface FairQueueOptions {
  /** Pieces of work at once. */
  readonly atOnce: number;
  /** How many may wait in each lane, the urgent and the other. */
  readonly mostWaiting: { readonly urgent: number; readonly other: number };
  /** What callers are told for whom there is no room. */
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
  readonly #urgent: Lane<Waiting>;
  readonly #other: Lane<Waiting>;
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

  #wait(caller: string, lane: Lane<Waiting>): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = () => reject(this.#options.refuse());
      lane.add(caller, { begin: resolve, refuse })?.refuse();
    });
  }

  #next(): Waiting | undefined {
    this.#turns += 1;
    const isTurnOfOthers = this.#turns % TURN_OF_OTHERS === 0;
    return isTurnOfOthers
      ? (this.#other.take() ?? this.#urgent.take())
      : (this.#urgent.take() ?? this.#other.take());
  }
}
