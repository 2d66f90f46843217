import type { DatabaseClock } from '#database/index.ts';
import { firstOf, lastOf } from '#json/index.ts';
import type { Quarantine } from '#lifecycle/index.ts';
import { Alarm } from './alarm.ts';
import { type Claimed, claimKey, type Kind } from './claimed.ts';
import { Seats, type Unit } from './seats.ts';
import { StartRate } from './start-rate.ts';
import { isSuspect } from './suspicion.ts';
import { unitsOf, WORTHWHILE } from './units.ts';
import { Watermark } from './watermark.ts';
import type { Ask } from './work-store.ts';

export const LOOK_AHEAD_MS = 500;
/** What is ready and finds no seat for so long is for other nodes to execute. */
const STUCK_MS = 500;
/** Whoever has not started a claim by then may have hung, and another node may have it: nobody is given up sooner. */
const BELIEVED_MS = 2_000;
/** Statements under way at once that start work; what becomes ready meanwhile goes with the next one. */
const MAX_STARTS = 2;
const RETRY_START_MS = 500;
/** What may be started ahead of its time is so from here on; a while is left for what is due soon after to go with it. */
const START_AHEAD_MS = 8;
const START_LEAD_MS = 4;
/** Whatever was started ahead begins so soon after that, or is started again: so long may whoever stops work have to wait. */
export const START_HOLDS_MS = 25;

interface Held<Work> {
  readonly work: Work;
  readonly claimedAt: number;
  readyAt: number;
}

export interface DeskOptions<Work extends Claimed> {
  readonly kind: Kind;
  readonly clock: Pick<DatabaseClock, 'now'>;
  readonly quarantine: Quarantine;
  readonly weightOf: (work: Work) => number;
  /** @returns those that may begin; undefined when nobody knows. Never rejects */
  readonly start: (works: readonly Work[]) => Promise<readonly Work[] | undefined>;
  /**
   * Executes a unit to its end. Never rejects.
   *
   * @param leaveSeat to be called when all that is left is to commit it
   * @returns whether all of it was completed
   */
  readonly execute: (unit: readonly Work[], leaveSeat: () => void) => Promise<boolean>;
  /** As `execute`, for a suspect, as soon as it is alone. */
  readonly tryAlone: (suspect: Work) => Promise<boolean>;
  /** A seat is free, and there may be more to claim for it. */
  readonly freed: (mayBeMore: boolean) => void;
  /** Claims were too old to be believed. */
  readonly doubted: () => void;
  /** False once this node stops. */
  readonly isWorking: () => boolean;
}

/** One kind of work on one node: what waits for its very millisecond, what is ready, what has a seat. */
export class Desk<Work extends Claimed> {
  readonly #options: DeskOptions<Work>;
  readonly #waiting = new Map<Held<Work>, NodeJS.Timeout>();
  #ready: Held<Work>[] = [];
  readonly #seats = new Seats<Work>();
  readonly #rate = new StartRate();
  /** Seats that are kept for what a claim under way may start. */
  #reserved = 0;
  #startsUnderWay = 0;
  #isScheduled = false;
  readonly #collected = new Alarm(() => this.#startReady());
  #startedAt = 0;
  readonly #watermark = new Watermark();
  /** There was no room to ask for more. */
  #starved = false;
  /** How often all was forgotten that had not started. */
  #clearings = 0;

  constructor(options: DeskOptions<Work>) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.kind.name;
  }

  /** How much of it runs. */
  get active(): number {
    return this.#seats.active;
  }

  get running(): readonly Work[] {
    return this.#seats.works;
  }

  /** All that was claimed and has not ended. */
  get held(): readonly Work[] {
    return [...this.running, ...[...this.#waiting.keys(), ...this.#ready].map(({ work }) => work)];
  }

  /** How much of its room is taken, from 0 to 1. */
  get load(): number {
    const { seats } = this.#options.kind;
    return Math.min(1, (this.#seats.taken + this.#ready.length + this.#waiting.size) / Math.max(1, seats));
  }

  get #free(): number {
    return this.#options.kind.seats - this.#seats.taken - this.#reserved;
  }

  /** How much a seat is good for, as far as is known. */
  get #perSeat(): number {
    const { seats, together, mayBeLong = false } = this.#options.kind;
    const ahead = (this.#rate.perSecond * LOOK_AHEAD_MS) / 1000;
    return mayBeLong ? Math.max(1, Math.min(together, Math.ceil(ahead / seats))) : together;
  }

  /** @returns undefined when there is no room */
  ask(): Ask | undefined {
    const { name, seats, startsClaimed = false } = this.#options.kind;
    const perSeat = this.#perSeat;
    // Half of the room at a time, so that the first of several nodes to look does not take everything.
    const most = Math.ceil(this.#free / 2) * perSeat - this.#ready.length;
    this.#starved = most <= 0;
    if (this.#starved) return undefined;
    const startMost = startsClaimed ? Math.max(0, Math.min(most, this.#free - this.#ready.length)) : 0;
    this.#reserved = startMost;
    const lookAheadMs = this.#waiting.size < seats * perSeat ? LOOK_AHEAD_MS : 0;
    return { kind: name, most, startMost, lookAheadMs, since: this.#watermark.since() };
  }

  /** The next look is not bounded by what was seen before. */
  lookBehind(): void {
    this.#watermark.lookBehind();
  }

  /** Something has been committed: the next look goes as far back as a transaction may have taken. */
  lookFar(): void {
    this.#watermark.lookFar();
  }

  /** What was asked for; nothing when the claim failed. */
  take(works: readonly Work[], seenFrom = Math.min(...works.map(({ dueAt }) => dueAt))): void {
    this.#reserved = 0;
    const claimedAt = performance.now();
    for (const work of works) if (work.isStarted !== true) this.#wait({ work, claimedAt, readyAt: 0 });
    if (works.length > 0) this.#watermark.raise(seenFrom);
    const started = works.filter(({ isStarted }) => isStarted === true);
    for (const unit of this.#unitsOf(started)) void this.#execute(this.#seats.take(unit), unit);
    this.schedule();
  }

  /** Starts what is ready, as seats are free. */
  schedule(): void {
    if (this.#isScheduled || this.#ready.length === 0 || this.#startsUnderWay >= MAX_STARTS) return;
    const collectMs = this.#collectMs();
    if (collectMs > 0) {
      this.#collected.set(performance.now() + collectMs, collectMs);
      return;
    }
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#startReady();
    });
  }

  /** Forgets what has not started. */
  clear(): void {
    this.#clearings += 1;
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    this.#collected.clear();
    this.#ready = [];
  }

  /** Forgets what finds no seat. @returns it */
  clearStuck(): readonly Work[] {
    const before = performance.now() - STUCK_MS;
    const stuck = this.#ready.filter(({ readyAt }) => readyAt < before);
    if (stuck.length > 0) this.#ready = this.#ready.filter(({ readyAt }) => readyAt >= before);
    return stuck.map(({ work }) => work);
  }

  // The life of one piece of work, from here to `#leaveSeat`: due → seat → start → execute → complete.

  /** Due: it is at its time, or waits for that. */
  #wait(held: Held<Work>): void {
    const { work } = held;
    const early = this.#earlyMs(work);
    const isAlone = isSuspect(work);
    const aheadMs = this.#options.kind.startsAhead === true && !isAlone ? START_AHEAD_MS : 0;
    // A timer may be early by a fraction; nothing begins before its time by the database's clock.
    if (early > aheadMs) {
      this.#waitFor(held, early - aheadMs);
      return;
    }
    this.#waiting.delete(held);
    if (isAlone) void this.#run(this.#seats.take([work]), () => this.#options.tryAlone(work));
    else this.#makeReady(held);
  }

  #makeReady(held: Held<Work>): void {
    held.readyAt = performance.now();
    this.#ready.push(held);
    this.schedule();
  }

  /** Seat: as much as has one, the more important and the earlier first. */
  #startReady(): void {
    const { quarantine } = this.#options;
    const free = this.#free;
    if (free <= 0 || this.#ready.length === 0 || this.#startsUnderWay >= MAX_STARTS || !quarantine.isOpen)
      return;
    this.#forgetDoubtful();
    this.#ready.sort((a, b) => b.work.priority - a.work.priority || a.work.dueAt - b.work.dueAt);
    const units = this.#unitsOf(this.#ready.map(({ work }) => work)).slice(0, free);
    const works = new Set(units.flat());
    const begun = this.#ready.filter(({ work }) => works.has(work));
    this.#ready = this.#ready.filter(({ work }) => !works.has(work));
    this.#startedAt = performance.now();
    void this.#start(begun, units);
  }

  /** Start: from here on all of it has seats, and others may have to know. */
  async #start(begun: readonly Held<Work>[], units: readonly (readonly Work[])[]): Promise<void> {
    const { start, quarantine, isWorking } = this.#options;
    const answered = quarantine.begin();
    const clearings = this.#clearings;
    const seated = units.map((unit) => this.#seats.take(unit));
    this.#startsUnderWay += 1;
    const started = await start(units.flat());
    this.#startsUnderWay -= 1;
    const byKey = new Map(started?.map((work) => [claimKey(work), work]));
    const begins = seated.map(async (unit) => {
      const works = unit.works.flatMap((work) => byKey.get(claimKey(work)) ?? []);
      if (works.length > 0 && (await this.#begin(unit, works))) return;
      this.#seats.end(unit);
      if (works.length > 0)
        for (const held of begun) if (unit.works.includes(held.work)) this.#makeReady(held);
    });
    void Promise.all(begins).then(answered);
    // Whether it was started in spite of an error does not matter.
    const mayRetry = started === undefined && clearings === this.#clearings && isWorking();
    if (mayRetry) for (const held of begun) this.#waitFor(held, RETRY_START_MS);
    this.schedule();
    if (byKey.size < begun.length) this.#options.freed(this.#starved);
  }

  /**
   * Executes at its time what may have been started ahead of it.
   *
   * @returns false when it has to be started again: an old start says nothing of a pause that came after it
   */
  async #begin(unit: Unit<Work>, works: readonly Work[]): Promise<boolean> {
    const until = performance.now() + START_HOLDS_MS;
    const last = works.toSorted((a, b) => b.dueAt - a.dueAt)[0]!;
    for (let early = this.#earlyMs(last); early > 0; early = this.#earlyMs(last))
      await new Promise((resolve) => setTimeout(resolve, Math.ceil(early)));
    if (performance.now() > until) return false;
    void this.#execute(unit, works);
    return true;
  }

  /** Execute: to its end. */
  #execute(unit: Unit<Work>, works: readonly Work[]): Promise<void> {
    this.#rate.count(works.length);
    return this.#run(unit, () => this.#options.execute(works, () => this.#leaveSeat(unit)));
  }

  async #run(unit: Unit<Work>, execute: () => Promise<boolean>): Promise<void> {
    const isCompleted = await execute();
    this.#seats.end(unit);
    this.schedule();
    this.#options.freed(this.#starved || !isCompleted);
  }

  /** Complete: others may begin meanwhile. */
  #leaveSeat(unit: Unit<Work>): void {
    if (!this.#seats.leave(unit)) return;
    this.schedule();
    if (this.#starved) this.#options.freed(true);
  }

  #waitFor(held: Held<Work>, ms: number): void {
    this.#waiting.set(
      held,
      setTimeout(() => this.#wait(held), Math.ceil(ms)),
    );
  }

  #earlyMs({ dueAt }: Work): number {
    return dueAt - this.#options.clock.now();
  }

  #collectMs(): number {
    const { together, collectMs, startsAhead } = this.#options.kind;
    if (startsAhead === true) {
      // For all other work the alarm is set already.
      const [first, last] = [firstOf(this.#ready), lastOf(this.#ready)];
      return Math.min(this.#earlyMs(first.work), this.#earlyMs(last.work)) - START_LEAD_MS;
    }
    const mayGrow = together > 1 && this.#ready.length < WORTHWHILE;
    return mayGrow && this.#seats.active > 0 ? this.#startedAt + collectMs - performance.now() : 0;
  }

  /** What is started ahead goes together only with what is due in the same millisecond. */
  #unitsOf(works: readonly Work[]): (readonly Work[])[] {
    const { kind, weightOf } = this.#options;
    const division = { most: kind.together, free: Math.max(1, this.#free), weightOf };
    const instants = Map.groupBy(works, (work) => (this.#earlyMs(work) > 0 ? Math.floor(work.dueAt) : 0));
    return [...instants.values()].flatMap((instant) => unitsOf(instant, division));
  }

  #forgetDoubtful(): void {
    const before = performance.now() - BELIEVED_MS;
    const count = this.#ready.length;
    this.#ready = this.#ready.filter(({ claimedAt }) => claimedAt >= before);
    if (this.#ready.length < count) this.#options.doubted();
  }
}
