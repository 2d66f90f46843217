import type { DatabaseClock } from '#database/index.ts';
import { ClaimLoop, jittered, Quarantine, type Service } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { Alarm } from './alarm.ts';
import type { Claimed, Kind } from './claimed.ts';
import { Desk, LOOK_AHEAD_MS } from './desk.ts';
import { SweepClock } from './sweep-clock.ts';
import type { Ask, WorkStore } from './work-store.ts';

const POLL_INTERVAL_MS = 1_500;
/** What is due only later is claimed so many ms of it at a time. */
const GATHER_MS = 100;
/** Due, but another node holds a lock on it: it will be gone in a moment. */
const CONTENDED_MS = 20;
/** A node that is fully busy asks later than an idle one by this much. */
const BUSY_DELAY_MS = 40;
const SPREAD_MS = 10;

/** Where a unit is executed. */
export interface Seat {
  /** Aborted when another node has the work, or this one stops. */
  readonly signal: AbortSignal;
  /** To be called when all that is left is to commit it: the next one may begin. */
  leave(): void;
}

export interface WorkPollerOptions<Work extends Claimed> {
  readonly name: string;
  readonly kinds: () => readonly Kind[];
  readonly store: WorkStore<Work>;
  readonly clock: Pick<DatabaseClock, 'now'>;
  /** Executes pieces of one kind in one unit of work to their end. Never rejects. @returns whether all were completed */
  readonly execute: (unit: readonly Work[], seat: Seat) => Promise<boolean>;
  /** How much of a unit it takes; from 1 on it goes alone. Default: as many go together as its kind says. */
  readonly weightOf?: (work: Work) => number;
  readonly observe: Observe;
  /** Shared with all else that does work in this process. Default: one of its own. */
  readonly quarantine?: Quarantine;
  /** How long a stop waits for what runs, in ms. Default 30 s. */
  readonly drainMs?: number;
  /** Longest time between two looks at the store, in ms. Default 1.5 s. */
  readonly idleWaitMs?: () => number | undefined;
}

/**
 * Claims work up to half a second ahead, as much of each kind as it has seats, lets each piece wait for its very
 * millisecond and executes it: when it starts depends on a timer of this node, and not on the next look.
 */
export class WorkPoller<Work extends Claimed> implements Service {
  readonly name: string;
  readonly drains = true;
  readonly #options: WorkPollerOptions<Work>;
  readonly #loop: ClaimLoop;
  readonly #alarm = new Alarm(() => this.#loop.wake());
  readonly #quarantine: Quarantine;
  readonly #desks = new Map<string, Desk<Work>>();
  readonly #sweepClock = new SweepClock();
  /** Aborts all that runs. */
  #ending = new AbortController();
  #isDrained = false;

  constructor(options: WorkPollerOptions<Work>) {
    this.#options = options;
    this.name = options.name;
    this.#loop = new ClaimLoop({
      name: this.name,
      intervalMs: POLL_INTERVAL_MS,
      runOnce: () => this.#runOnce(),
      active: () => this.active,
      handBack: () => this.#handBack(),
      giveUp: () => options.store.giveUp().finally(() => this.#endEarly('The node stops')),
      observe: options.observe,
      drainMs: options.drainMs,
    });
    this.#quarantine = options.quarantine ?? new Quarantine();
    this.#quarantine.onOpen(() => {
      if (!this.claims) return;
      for (const desk of this.#desks.values()) desk.schedule();
      this.wake();
    });
  }

  start(): Promise<void> {
    for (const kind of this.#options.kinds()) this.#desks.set(kind.name, this.#openDesk(kind));
    return this.#loop.start();
  }

  /** Stops claiming, hands back what has not started, waits for what has, and gives up what takes too long. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Looks at once for work that was committed just now. */
  wake(): void {
    for (const desk of this.#desks.values()) desk.lookFar();
    this.#loop.wake();
  }

  /** Looks at once for work that was committed behind what this node has seen already. */
  lookBehind(): void {
    for (const desk of this.#desks.values()) desk.lookBehind();
    this.wake();
  }

  /** Something came to wait after the last look, that is due then; epoch ms. */
  noteDue(dueAt: number): void {
    const at = dueAt - LOOK_AHEAD_MS + this.#courtesyMs();
    const ms = at - this.#options.clock.now();
    if (this.claims && ms <= this.#idleWaitMs) this.#alarm.set(at, ms);
  }

  /** Forgets what was claimed and has not started: it belongs to somebody else now. */
  abandon(): void {
    for (const desk of this.#desks.values()) desk.clear();
  }

  /** Another node has taken over: what runs here commits nothing, so it may as well end. */
  fencedOut(): void {
    this.abandon();
    this.#endEarly('The node was given up');
  }

  /** Claims nothing until it is told otherwise, hands back what has not started, and ends what has. */
  drain(isDrained: boolean): void {
    this.#isDrained = isDrained;
    this.wake();
  }

  get active(): number {
    return [...this.#desks.values()].reduce((sum, desk) => sum + desk.active, 0);
  }

  /** Whether it has started, and neither stops nor is drained. */
  get claims(): boolean {
    return this.#loop.claims && !this.#isDrained;
  }

  get lastBeatAt(): number {
    return this.#loop.lastBeatAt;
  }

  /** All that was claimed and has not ended. */
  get held(): readonly Work[] {
    return [...this.#desks.values()].flatMap((desk) => desk.held);
  }

  get #runningWork(): readonly Work[] {
    return [...this.#desks.values()].flatMap((desk) => desk.running);
  }

  get #idleWaitMs(): number {
    return this.#options.idleWaitMs?.() ?? POLL_INTERVAL_MS;
  }

  #openDesk(kind: Kind): Desk<Work> {
    const { clock, weightOf = () => 0 } = this.#options;
    return new Desk({
      kind,
      clock,
      quarantine: this.#quarantine,
      weightOf,
      start: (works) => this.#begin(works),
      execute: (unit, leave) => this.#execute(unit, leave),
      tryAlone: (suspect) => this.#tryAlone(suspect),
      freed: (mayBeMore) => {
        if (mayBeMore && this.claims) this.#loop.wake();
        this.#loop.noteEnd();
      },
      doubted: () => {
        this.#sweepClock.hurry();
        this.wake();
      },
      isWorking: () => this.claims,
    });
  }

  async #handBack(): Promise<void> {
    this.#alarm.clear();
    this.abandon();
    await this.#options.store.handBackAllBut(this.#runningWork);
  }

  #endEarly(reason: string): void {
    this.#ending.abort(new Error(reason));
    this.#ending = new AbortController();
  }

  async #runOnce(): Promise<number> {
    const { store } = this.#options;
    const stuck = [...this.#desks.values()].flatMap((desk) => desk.clearStuck());
    if (stuck.length > 0) await store.handBack(stuck);
    const isSweep = await this.#sweep();
    if (this.#isDrained) await this.#handBack();
    if (!this.claims || !this.#quarantine.isOpen) return this.#idleWaitMs;
    const claimed = this.#quarantine.begin();
    try {
      return await this.#claim();
    } finally {
      if (isSweep) this.#sweepClock.end();
      claimed();
    }
  }

  /** @returns when to look again, in ms */
  async #claim(): Promise<number> {
    const { store } = this.#options;
    const asks = [...this.#desks.values()].flatMap((desk) => desk.ask() ?? []);
    const idleWaitMs = jittered(this.#idleWaitMs);
    if (asks.length === 0) return idleWaitMs;
    const claims = await store.claim(asks).catch((error) => {
      for (const { kind } of asks) this.#desks.get(kind)!.take([]);
      // Its answer was lost, not necessarily the claim: the next round gives back what we do not know of.
      this.#sweepClock.hurry();
      throw error;
    });
    for (const { kind } of asks) {
      const { works = [], seenFrom } = claims.get(kind) ?? {};
      this.#desks.get(kind)!.take(works, seenFrom);
    }
    if (asks.some(({ kind }) => claims.get(kind)?.isFull === true)) return 0;
    const looks = asks.map((ask) => this.#untilNextLook(ask, claims.get(ask.kind)?.dueInMs));
    return Math.min(idleWaitMs, ...looks);
  }

  #untilNextLook({ lookAheadMs }: Ask, dueInMs: number | undefined): number {
    if (dueInMs === undefined) return this.#idleWaitMs;
    if (dueInMs <= 0) return CONTENDED_MS * (1 + Math.random());
    const courtesyMs = lookAheadMs > 0 ? this.#courtesyMs() : 0;
    return Math.max(dueInMs - lookAheadMs, Math.min(dueInMs, GATHER_MS)) + courtesyMs;
  }

  /** Nodes wake up for the same work: the one with less to do asks first, so that it spreads. */
  #courtesyMs(): number {
    const load = Math.max(0, ...[...this.#desks.values()].map((desk) => desk.load));
    return Math.random() * SPREAD_MS + load * BUSY_DELAY_MS;
  }

  async #begin(works: readonly Work[]): Promise<readonly Work[] | undefined> {
    try {
      return await this.#options.store.start(works);
    } catch (error) {
      this.#options.observe({ kind: 'loop.failed', loop: this.name, error });
      return undefined;
    }
  }

  async #execute(unit: readonly Work[], leave: () => void): Promise<boolean> {
    const ended = this.#quarantine.begin();
    try {
      return await this.#options.execute(unit, { signal: this.#ending.signal, leave });
    } finally {
      ended();
    }
  }

  /** What has been there at the end of two nodes already; if another one ends now, that is why. */
  async #tryAlone(suspect: Work): Promise<boolean> {
    const { store, observe } = this.#options;
    let isTried = false;
    let isCompleted = false;
    await this.#quarantine.alone({
      subject: store.subjectOf(suspect),
      isWanted: () => this.claims,
      run: async () => {
        isTried = true;
        // Without an answer the next sweep gives it back.
        const [begun] = (await this.#begin([suspect])) ?? [];
        if (begun !== undefined) isCompleted = await this.#execute([begun], () => {});
      },
    });
    if (!isTried) {
      await store
        .handBack([suspect])
        .catch((error) => observe({ kind: 'loop.failed', loop: this.name, error }));
    }
    return isCompleted;
  }

  /**
   * From time to time everything is looked through: claims of lives that are over, claims of ours whose answer was lost,
   * and what lies behind the watermarks.
   */
  async #sweep(): Promise<boolean> {
    if (!this.#sweepClock.isTime) return false;
    this.#sweepClock.begin();
    const { store } = this.#options;
    await store.releaseLost();
    await store.handBackAllBut(this.held);
    for (const desk of this.#desks.values()) desk.lookBehind();
    return true;
  }
}
