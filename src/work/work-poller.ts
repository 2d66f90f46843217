import type { DatabaseClock } from '#database/index.ts';
import { ClaimLoop, jittered, type Service, Solitude } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Claimed, Kind } from './claimed.ts';
import { Desk } from './desk.ts';
import type { Ask, WorkStore } from './work-store.ts';

const POLL_INTERVAL_MS = 1_500;
/** What is due only later is claimed so many ms of it at a time. */
const GATHER_MS = 100;
/** Due, but another node holds a lock on it: it will be gone in a moment. */
const CONTENDED_MS = 20;
const SWEEP_INTERVAL_MS = 10_000;

export interface WorkPollerOptions<Work extends Claimed> {
  readonly name: string;
  readonly kinds: () => readonly Kind[];
  readonly store: WorkStore<Work>;
  readonly clock: Pick<DatabaseClock, 'now'>;
  /** Executes pieces of one kind in one unit of work to their end. Never rejects. @returns whether all were completed */
  readonly execute: (unit: readonly Work[]) => Promise<boolean>;
  readonly observe: Observe;
  /** Shared with all else that does work in this process. Default: one of its own. */
  readonly solitude?: Solitude;
  /** How long a stop waits for what runs, in ms. Default 30 s. */
  readonly drainMs?: number;
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
  readonly #solitude: Solitude;
  readonly #desks = new Map<string, Desk<Work>>();
  #sweptAt = 0;

  constructor(options: WorkPollerOptions<Work>) {
    this.#options = options;
    this.name = options.name;
    this.#loop = new ClaimLoop({
      name: this.name,
      intervalMs: POLL_INTERVAL_MS,
      runOnce: () => this.#runOnce(),
      active: () => this.active,
      handBack: () => this.#handBack(),
      giveUp: () => options.store.handBackAllBut([]),
      observe: options.observe,
      drainMs: options.drainMs,
    });
    this.#solitude = options.solitude ?? new Solitude();
    this.#solitude.onOpen(() => {
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

  wake(): void {
    this.#loop.wake();
  }

  /** Looks at once for work that was committed behind what this node has seen already. */
  lookBehind(): void {
    for (const desk of this.#desks.values()) desk.lookBehind();
    this.wake();
  }

  /** Forgets what was claimed and has not started: it belongs to somebody else now. */
  abandon(): void {
    for (const desk of this.#desks.values()) desk.clear();
  }

  get active(): number {
    return this.#running.length;
  }

  /** Whether it has started and does not stop. */
  get claims(): boolean {
    return this.#loop.claims;
  }

  get lastBeatAt(): number {
    return this.#loop.lastBeatAt;
  }

  get #running(): readonly Work[] {
    return [...this.#desks.values()].flatMap((desk) => desk.running);
  }

  #openDesk(kind: Kind): Desk<Work> {
    return new Desk({
      kind,
      clock: this.#options.clock,
      solitude: this.#solitude,
      execute: (unit) => this.#execute(unit),
      tryAlone: (suspect) => this.#tryAlone(suspect),
      ended: (mayBeMore) => {
        if (mayBeMore) this.wake();
        this.#loop.noteEnd();
      },
      doubted: () => {
        this.#sweptAt = 0;
        this.wake();
      },
    });
  }

  async #handBack(): Promise<void> {
    this.abandon();
    await this.#options.store.handBackAllBut(this.#running);
  }

  async #runOnce(): Promise<number> {
    const { store } = this.#options;
    const stuck = [...this.#desks.values()].flatMap((desk) => desk.clearStuck());
    if (stuck.length > 0) await store.handBack(stuck);
    await this.#sweep();
    if (!this.#loop.claims || !this.#solitude.isOpen) return POLL_INTERVAL_MS;
    const claimed = this.#solitude.begin();
    try {
      return await this.#claim();
    } finally {
      claimed();
    }
  }

  /** @returns when to look again, in ms */
  async #claim(): Promise<number> {
    const { store } = this.#options;
    const asks = [...this.#desks.values()].flatMap((desk) => desk.ask() ?? []);
    if (asks.length === 0) return jittered(POLL_INTERVAL_MS);
    const claimed = await store.claim(asks).catch((error) => {
      // Its answer was lost, not necessarily the claim: the next round gives back what we do not know of.
      this.#sweptAt = 0;
      throw error;
    });
    for (const [kind, works] of claimed) this.#desks.get(kind)!.take(works);
    if (asks.some(({ kind, most }) => (claimed.get(kind)?.length ?? 0) >= most)) return 0;
    const dues = await store.listDues(asks);
    return Math.min(jittered(POLL_INTERVAL_MS), ...asks.map((ask) => untilNextLook(ask, dues.get(ask.kind))));
  }

  async #execute(unit: readonly Work[]): Promise<boolean> {
    const ended = this.#solitude.begin();
    try {
      return await this.#options.execute(unit);
    } finally {
      ended();
    }
  }

  /** What has been there at the end of two nodes already; if another one ends now, that is why. */
  async #tryAlone(suspect: Work): Promise<boolean> {
    const { store, observe } = this.#options;
    const failed = (error: unknown) => observe({ kind: 'loop.failed', loop: this.name, error });
    let isTried = false;
    let isCompleted = false;
    await this.#solitude.alone({
      subject: store.subjectOf(suspect),
      isWanted: () => this.#loop.claims,
      run: async () => {
        isTried = true;
        // Without an answer the next sweep gives it back.
        const isOurs = await store.beginSuspect(suspect).catch(failed);
        if (isOurs === true) isCompleted = await this.#execute([suspect]);
      },
    });
    if (!isTried) await store.handBack([suspect]).catch(failed);
    return isCompleted;
  }

  /**
   * From time to time everything is looked through: claims of lives that are over, claims of ours whose answer was lost,
   * and what lies behind the watermarks.
   */
  async #sweep(): Promise<void> {
    if (this.#sweptAt !== 0 && performance.now() - this.#sweptAt < SWEEP_INTERVAL_MS) return;
    this.#sweptAt = performance.now();
    const { store } = this.#options;
    const desks = [...this.#desks.values()];
    await store.releaseLost();
    await store.handBackAllBut(desks.flatMap((desk) => desk.held));
    for (const desk of desks) desk.lookBehind();
  }
}

function untilNextLook({ lookAheadMs }: Ask, dueInMs: number | undefined): number {
  if (dueInMs === undefined) return POLL_INTERVAL_MS;
  if (dueInMs <= 0) return CONTENDED_MS * (1 + Math.random());
  return Math.max(dueInMs - lookAheadMs, Math.min(dueInMs, GATHER_MS));
}
