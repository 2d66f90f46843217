import type { DatabaseClock } from '#database/index.ts';
import type { Solitude } from '#lifecycle/index.ts';
import type { Claimed, Kind } from './claimed.ts';
import { isSuspect } from './suspicion.ts';
import { unitsOf, WORTHWHILE } from './units.ts';
import type { Ask } from './work-store.ts';

const LOOK_AHEAD_MS = 500;
/** The longest transaction that may still commit work behind the watermark without a word. */
export const SLACK_MS = 5_000;
/** While something runs, what may go together is collected for so long. */
const COLLECT_MS = 15;
/** What is ready and finds no seat for so long is for other nodes to execute. */
const STUCK_MS = 500;
/** Whoever has not started a claim by then may have hung, and another node may have it: nobody is given up sooner. */
const BELIEVED_MS = 2_000;

interface Held<Work> {
  readonly work: Work;
  readonly claimedAt: number;
  readyAt: number;
}

export interface DeskOptions<Work extends Claimed> {
  readonly kind: Kind;
  readonly clock: Pick<DatabaseClock, 'now'>;
  readonly solitude: Solitude;
  /** Executes a unit to its end. Never rejects. @returns whether all of it was completed */
  readonly execute: (unit: readonly Work[]) => Promise<boolean>;
  /** As `execute`, for a suspect, as soon as it is alone. */
  readonly tryAlone: (suspect: Work) => Promise<boolean>;
  /** A unit has ended, after which there may be more to claim. */
  readonly ended: (mayBeMore: boolean) => void;
  /** Claims were too old to be believed. */
  readonly doubted: () => void;
}

/** One kind of work on one node: what waits for its very millisecond, what is ready, what has a seat. */
export class Desk<Work extends Claimed> {
  readonly #options: DeskOptions<Work>;
  readonly #waiting = new Map<Held<Work>, NodeJS.Timeout>();
  #ready: Held<Work>[] = [];
  readonly #running = new Set<readonly Work[]>();
  #isScheduled = false;
  #startedAt = 0;
  #watermark = 0;
  /** There was no room to ask for more. */
  #starved = false;

  constructor(options: DeskOptions<Work>) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.kind.name;
  }

  get running(): readonly Work[] {
    return [...this.#running].flat();
  }

  /** All that was claimed and has not ended. */
  get held(): readonly Work[] {
    return [...this.running, ...[...this.#waiting.keys(), ...this.#ready].map(({ work }) => work)];
  }

  /** @returns undefined when there is no room */
  ask(): Ask | undefined {
    const { name, seats, together } = this.#options.kind;
    // Half of the room at a time, so that the first of several nodes to look does not take everything.
    const most = Math.ceil((seats - this.#running.size) / 2) * together - this.#ready.length;
    this.#starved = most <= 0;
    if (this.#starved) return undefined;
    const lookAheadMs = this.#waiting.size < seats * together ? LOOK_AHEAD_MS : 0;
    return { kind: name, most, lookAheadMs, since: this.#watermark - SLACK_MS };
  }

  /** The next look is not bounded by what was seen before. */
  lookBehind(): void {
    this.#watermark = 0;
  }

  take(works: readonly Work[]): void {
    const claimedAt = performance.now();
    let earliest = Number.POSITIVE_INFINITY;
    for (const work of works) {
      earliest = Math.min(earliest, work.dueAt);
      this.#wait({ work, claimedAt, readyAt: 0 });
    }
    if (works.length > 0) this.#watermark = Math.max(this.#watermark, earliest);
  }

  /** Starts what is ready, as seats are free. */
  schedule(): void {
    if (this.#isScheduled || this.#ready.length === 0) return;
    this.#isScheduled = true;
    const start = () => {
      this.#isScheduled = false;
      this.#start();
    };
    const collectMs = this.#collectMs();
    if (collectMs > 0) setTimeout(start, collectMs);
    else setImmediate(start);
  }

  /** Forgets what has not started. @returns it */
  clear(): readonly Work[] {
    const forgotten = [...this.#waiting.keys(), ...this.#ready];
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    this.#ready = [];
    return forgotten.map(({ work }) => work);
  }

  /** Forgets what finds no seat. @returns it */
  clearStuck(): readonly Work[] {
    const before = performance.now() - STUCK_MS;
    const stuck = this.#ready.filter(({ readyAt }) => readyAt < before);
    if (stuck.length > 0) this.#ready = this.#ready.filter(({ readyAt }) => readyAt >= before);
    return stuck.map(({ work }) => work);
  }

  #wait(held: Held<Work>): void {
    const { work } = held;
    const early = work.dueAt - this.#options.clock.now();
    if (early > 0) {
      // A timer may be early by a fraction; nothing starts before its time by the database's clock.
      this.#waiting.set(
        held,
        setTimeout(() => this.#wait(held), Math.ceil(early)),
      );
      return;
    }
    this.#waiting.delete(held);
    if (isSuspect(work)) {
      void this.#run([work], () => this.#options.tryAlone(work));
      return;
    }
    held.readyAt = performance.now();
    this.#ready.push(held);
    this.schedule();
  }

  #collectMs(): number {
    const mayGrow = this.#options.kind.together > 1 && this.#ready.length < WORTHWHILE;
    return mayGrow && this.#running.size > 0 ? this.#startedAt + COLLECT_MS - performance.now() : 0;
  }

  #start(): void {
    const { kind, solitude, execute } = this.#options;
    const free = kind.seats - this.#running.size;
    if (free <= 0 || this.#ready.length === 0 || !solitude.isOpen) return;
    this.#forgetDoubtful();
    this.#ready.sort((a, b) => b.work.priority - a.work.priority || a.work.dueAt - b.work.dueAt);
    const units = unitsOf(
      this.#ready.map(({ work }) => work),
      { most: kind.together, free },
    ).slice(0, free);
    const started = new Set(units.flat());
    this.#ready = this.#ready.filter(({ work }) => !started.has(work));
    this.#startedAt = performance.now();
    for (const unit of units) void this.#run(unit, () => execute(unit));
  }

  #forgetDoubtful(): void {
    const before = performance.now() - BELIEVED_MS;
    const count = this.#ready.length;
    this.#ready = this.#ready.filter(({ claimedAt }) => claimedAt >= before);
    if (this.#ready.length < count) this.#options.doubted();
  }

  async #run(unit: readonly Work[], execute: () => Promise<boolean>): Promise<void> {
    this.#running.add(unit);
    const isCompleted = await execute();
    this.#running.delete(unit);
    this.schedule();
    this.#options.ended(this.#starved || !isCompleted);
  }
}
