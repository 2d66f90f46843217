import { TooManyRequestsError } from '#errors/index.ts';
import { Lane } from '#lifecycle/index.ts';

export interface BodyRoomOptions {
  /** What bodies of requests under way may come to, as text; read, some take ten times as much memory. Default 64 MiB. */
  readonly mostBytes?: number;
  /** The part of it that one caller may have; at least one body. Default an eighth. */
  readonly share?: number;
  /** How many requests may wait; of each there are only its headers and what the connection has taken. Default 1,000. */
  readonly mostWaiting?: number;
  /** Bytes a second that a body comes in with where others wait for its place. Default 512 KiB. */
  readonly pace?: number;
  /** How often those that are slower are looked for, and for how long each may be so, in ms. Default 1,000. */
  readonly lookMs?: number;
}

/** Reading a longer one keeps all others from their turn for some time. */
const LONG_BODY = 65_536;

/** A body's place. */
export interface BodyPlace {
  /** So many more bytes of it have come in. */
  arrived(bytes: number): void;
  /** It has come in: whatever is done with it now is not its sender's slowness. */
  whole(): void;
  /** It has turned out to be so long. Resolves when it is its turn to be read. */
  narrow(bytes: number): Promise<void>;
  leave(): void;
}

/** A body that is coming in. */
interface Coming {
  readonly since: number;
  bytes: number;
  readonly giveUp: () => void;
}

/**
 * Room for the bodies of requests under way, until these have been answered: whatever they wait for, they are kept. Whoever
 * finds none waits with the body unread, callers taking turns; none of them can have all of it.
 */
export class BodyRoom {
  readonly #largest: number;
  readonly #most: number;
  readonly #share: number;
  readonly #waiting: Lane<{ readonly begin: () => void; readonly refuse: () => void }>;
  readonly #held = new Map<string, number>();
  readonly #coming = new Set<Coming>();
  readonly #pace: number;
  readonly #lookMs: number;
  #look: NodeJS.Timeout | undefined;
  #total = 0;
  readonly #turns = new ReadingTurns();

  /** @param largest bytes that a body may have */
  constructor(
    largest: number,
    {
      mostBytes = 67_108_864,
      share = 1 / 8,
      mostWaiting = 1_000,
      pace = 524_288,
      lookMs = 1_000,
    }: BodyRoomOptions = {},
  ) {
    this.#largest = largest;
    this.#pace = pace;
    this.#lookMs = lookMs;
    this.#share = Math.max(largest, mostBytes * share);
    this.#most = Math.max(largest, mostBytes);
    this.#waiting = new Lane(mostWaiting);
  }

  /** What is held, in bytes. */
  get total(): number {
    return this.#total;
  }

  /**
   * @param bytes that the body has at most
   * @param giveUp it comes in too slowly, and others wait for its place, which it has no more
   * @throws TooManyRequestsError `HTTP_BODIES_CROWDED` when too many wait already, most of them of this caller
   */
  async enter(caller: string, bytes: number, giveUp: () => void): Promise<BodyPlace> {
    if (this.#hasRoom(caller)) this.#add(caller, bytes);
    else await this.#wait(caller, bytes);
    let held = bytes;
    const hold = (now: number) => {
      this.#add(caller, now - held);
      held = now;
      this.#serve();
    };
    const leave = () => {
      this.#coming.delete(coming);
      hold(0);
    };
    const coming: Coming = {
      since: performance.now(),
      bytes: 0,
      giveUp: () => {
        giveUp();
        leave();
      },
    };
    this.#coming.add(coming);
    return {
      arrived: (more) => {
        coming.bytes += more;
      },
      whole: () => void this.#coming.delete(coming),
      narrow: (now) => {
        this.#coming.delete(coming);
        hold(Math.min(held, now));
        return this.#turns.take(now);
      },
      leave,
    };
  }

  /** The slowest first, and no more of them than others need the room of. */
  #giveUpSlow(): void {
    const now = performance.now();
    const paceOf = ({ since, bytes }: Coming) => (bytes * 1_000) / (now - since);
    const slow = [...this.#coming]
      .filter((coming) => now - coming.since >= this.#lookMs && paceOf(coming) < this.#pace)
      .sort((one, other) => paceOf(one) - paceOf(other));
    for (const coming of slow) {
      // Once there is space, whoever still waits does so because of bodies of their own.
      if (this.#waiting.size === 0 || this.#hasSpace) break;
      coming.giveUp();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#look);
    this.#look = undefined;
  }

  /** For one of the largest, so that nobody waits for ever because there is always a smaller one. */
  #hasRoom(caller: string): boolean {
    const own = this.#held.get(caller) ?? 0;
    return (own === 0 || own + this.#largest <= this.#share) && this.#hasSpace;
  }

  get #hasSpace(): boolean {
    return this.#total + this.#largest <= this.#most;
  }

  #add(caller: string, bytes: number): void {
    const now = (this.#held.get(caller) ?? 0) + bytes;
    if (now > 0) this.#held.set(caller, now);
    else this.#held.delete(caller);
    this.#total += bytes;
  }

  #wait(caller: string, bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        this.#add(caller, bytes);
        resolve();
      };
      const refuse = () => reject(crowded());
      this.#waiting.add(caller, { begin, refuse })?.refuse();
      // Behind what came in while nobody had a turn to read it.
      const look = () => setImmediate(() => this.#giveUpSlow());
      this.#look ??= setInterval(look, this.#lookMs).unref();
    });
  }

  #serve(): void {
    for (;;) {
      const next = this.#waiting.take((caller) => this.#hasRoom(caller));
      if (next === undefined) return;
      next.begin();
    }
  }
}

/** Long bodies are read one after the other, and between two of them is as much time for everything else as the first has taken. */
export class ReadingTurns {
  #lastTurn: Promise<unknown> = Promise.resolve();

  /** Resolves when a body of so many bytes may be read. */
  take(bytes: number): Promise<void> {
    if (bytes <= LONG_BODY) return Promise.resolve();
    const turn = this.#lastTurn.then(() => undefined);
    this.#lastTurn = turn.then(async () => {
      const startedAt = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      const tookMs = performance.now() - startedAt;
      await new Promise((resolve) => setTimeout(resolve, tookMs));
    });
    return turn;
  }
}

function crowded(): TooManyRequestsError {
  return new TooManyRequestsError('Too many requests with large bodies at once', {
    id: 'HTTP_BODIES_CROWDED',
    hint: 'Nothing was done. Send fewer of them at a time',
    detail: { retryAfterSeconds: 1 },
  });
}
