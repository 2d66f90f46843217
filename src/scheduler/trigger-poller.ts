import type { DatabaseClock } from '#database/index.ts';
import { ClaimLoop, jittered, type Service, Solitude } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { Alarm } from './alarm.ts';
import type { FiringResult } from './fire-trigger.ts';
import type { Firing } from './firing.ts';
import type { JobStore } from './job-store.ts';
import { formatRunKey, type Holder, type Run, type StartedRun } from './run.ts';
import { RunExecutor } from './run-executor.ts';
import { RunStarter } from './run-starter.ts';
import { Slots } from './slots.ts';
import { StartRate } from './start-rate.ts';
import { SuspectQueue } from './suspect-queue.ts';
import { isSuspect } from './suspicion.ts';
import type { Tuning } from './tuning.ts';

const LOOK_AHEAD_MS = 500;
const POLL_INTERVAL_MS = 1_500;
const SHORTEST_SLEEP_MS = 10;
/** A node that is fully busy asks later than an idle one by this much. */
const BUSY_DELAY_MS = 40;
/** When no run could be started for so long, those that are ready are for other nodes to run. */
const STUCK_MS = 500;
const MAX_BATCH = 500;
/** The longest transaction that may still commit a row behind the watermark. */
const SLACK_MS = 5_000;
const SWEEP_INTERVAL_MS = 10_000;
const RETRY_START_MS = 500;
/** After a look that left what is due to wait for its service, unless one of its runs ends before. */
const SERVICE_RETRY_MS = 250;

export interface TriggerPollerOptions {
  readonly store: JobStore;
  readonly clock: Pick<DatabaseClock, 'now'>;
  readonly nodeName: string;
  /** This life of this node, as the cluster knows it now. */
  readonly holder: () => Holder;
  /** As it is now: it may change while the poller runs. */
  readonly tuning: () => Tuning;
  /** Runs a firing to its end, here or in a script thread. Rejects when its thread died. */
  readonly fire: (firing: Firing, signal: AbortSignal) => Promise<FiringResult>;
  readonly observe: Observe;
  /** Shared with all else that does work in this process. Default: one of its own. */
  readonly solitude?: Solitude;
  /** How long a stop waits for runs, in ms. Default 30 s. */
  readonly drainMs?: number;
}

/**
 * Acquires due triggers, lets each wait for its very millisecond, and fires it. Claims run up to half a second
 * ahead, so that the time of firing depends on a local timer and not on the next poll.
 */
export class TriggerPoller implements Service {
  readonly name: string;
  readonly drains = true;
  readonly #options: TriggerPollerOptions;
  readonly #executor: RunExecutor;
  readonly #loop: ClaimLoop;
  readonly #rate = new StartRate();
  readonly #alarm = new Alarm(() => this.wake());
  readonly #slots: Slots;
  /** Ready to run, waiting for a free slot. */
  readonly #starter: RunStarter;
  readonly #solitude: Solitude;
  /** Ready to run, waiting to be alone. */
  readonly #suspects: SuspectQueue;
  /** All that was claimed and has not ended, each with its service as soon as that is known. */
  readonly #known = new Map<string, string | undefined>();
  /** Those that run, each with what ends it early. */
  readonly #running = new Map<string, AbortController>();
  /** Claimed, waiting for their time. */
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  /** More was due than there was room for. */
  #starved = false;
  /** The last claim found as much as it asked for: there may be more that is due already. */
  #backlog = false;
  /** A claim was sent and not answered: it may have been made. */
  #claimInDoubt = false;
  #watermark = 0;
  #sweptAt = 0;
  #sweepTookMs = 0;

  constructor(options: TriggerPollerOptions) {
    this.#options = options;
    this.name = `trigger poller (${options.store.kind})`;
    this.#loop = new ClaimLoop({
      name: this.name,
      intervalMs: POLL_INTERVAL_MS,
      runOnce: () => this.#runOnce(),
      active: () => this.#slots.taken,
      handBack: () => this.#handBack(),
      giveUp: () => this.#giveUp(),
      observe: options.observe,
      drainMs: options.drainMs,
    });
    this.#solitude = options.solitude ?? new Solitude();
    this.#executor = new RunExecutor({ ...options, solitude: this.#solitude });
    this.#slots = new Slots(() => options.tuning().threadCount);
    this.#starter = new RunStarter({
      ...options,
      slots: this.#slots,
      solitude: this.#solitude,
      answered: (batch, started, life) => this.#startedOf(batch, started, life),
    });
    this.#solitude.onOpen(() => {
      if (!this.#loop.claims) return;
      this.wake();
      this.#starter.schedule();
    });
    this.#suspects = new SuspectQueue({
      solitude: this.#solitude,
      run: (run, isAlone) => this.#try(run, isAlone),
    });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  /** Stops claiming, hands back what has not started, waits for what has, and gives up what takes too long. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  wake(): void {
    this.#loop.wake();
  }

  get active(): number {
    return this.#slots.taken;
  }

  get lastBeatAt(): number {
    return this.#loop.lastBeatAt;
  }

  /** Forgets what was claimed and has not started: it belongs to somebody else now. */
  abandon(): void {
    for (const run of this.#suspects.waiting) this.#known.delete(claimKey(run));
    this.#suspects.clear();
    this.#abandonReady();
  }

  /** Suspects wait for the very thing that keeps the others waiting. */
  #abandonReady(): void {
    for (const [key, timer] of this.#waiting) {
      clearTimeout(timer);
      this.#known.delete(key);
    }
    for (const run of this.#starter.clear()) this.#known.delete(claimKey(run));
    this.#waiting.clear();
  }

  /** Another node has taken over: what runs here commits nothing, so it may as well end. */
  fencedOut(): void {
    this.abandon();
    this.#endEarly([...this.#running.keys()], 'The node was given up');
  }

  async #handBack(): Promise<void> {
    this.#alarm.clear();
    this.abandon();
    const { store, holder } = this.#options;
    await store.handBack(holder());
  }

  /** Given to others, which rolls it back here. */
  async #giveUp(): Promise<void> {
    const { store, holder, nodeName } = this.#options;
    await store
      .release(holder(), nodeName, { isSuspect: false })
      .finally(() => this.#endEarly([...this.#running.keys()], 'The node stops'));
  }

  #endEarly(keys: readonly string[], reason: string): void {
    for (const key of keys) this.#running.get(key)?.abort(new Error(reason));
  }

  async #runOnce(): Promise<number> {
    const { claims = true, idleWaitMs = POLL_INTERVAL_MS, maxBatch = MAX_BATCH } = this.#options.tuning();
    await this.#handBackStuck();
    const slots = Math.max(0, this.#slots.free - this.#starter.waiting);
    // What is due already is claimed when it can start, what is not may wait here as well as there.
    const free = this.#backlog ? slots : this.#room();
    this.#starved = free <= 0;
    if (free <= 0 || !this.#loop.claims || !claims || !this.#solitude.isOpen) return idleWaitMs;
    const claimed = this.#solitude.begin();
    try {
      return await this.#claim(Math.min(free, maxBatch), slots);
    } finally {
      claimed();
    }
  }

  /** @returns when to look again, in ms */
  async #claim(limit: number, slots: number): Promise<number> {
    const sweeping = await this.#beginSweep();
    const { store, clock, holder, tuning } = this.#options;
    const { serviceThreads, idleWaitMs = POLL_INTERVAL_MS } = tuning();
    const startedAt = performance.now();
    this.#claimInDoubt = true;
    const life = holder();
    const startLimit = Math.min(limit, slots);
    const claimed = this.#slots.reserve(startLimit);
    const { runs, nextDueAt } = await store
      .claim({
        holder: life,
        limit,
        lookAheadMs: LOOK_AHEAD_MS,
        watermark: sweeping ? 0 : this.#watermark - SLACK_MS,
        startLimit,
        ...(serviceThreads === undefined ? {} : { serviceRoom: this.#serviceRoom(serviceThreads) }),
      })
      .finally(claimed);
    this.#claimInDoubt = false;
    if (sweeping) this.#sweepTookMs += performance.now() - startedAt;
    let started = 0;
    for (const { started: job, limitedService, ...run } of runs) {
      if (job === undefined) {
        this.#take(run, limitedService);
        continue;
      }
      started += 1;
      this.#known.set(claimKey(run), limitedService);
      this.#slots.take();
      void this.#run({ ...run, ...job }, life);
    }
    this.#rate.count(started);
    this.#starter.schedule();
    const earliest = runs[0]?.dueAt;
    if (earliest !== undefined) this.#watermark = Math.max(this.#watermark, earliest);
    this.#backlog = runs.length === limit;
    if (this.#backlog) return 0;
    if (nextDueAt === null) return jittered(idleWaitMs);
    const sleep = nextDueAt - LOOK_AHEAD_MS - clock.now();
    // What is due already and was not claimed waits for its service.
    if (serviceThreads !== undefined && sleep < 0) return jittered(SERVICE_RETRY_MS);
    return Math.min(Math.max(sleep, SHORTEST_SLEEP_MS) + this.#courtesy(), idleWaitMs);
  }

  /** How many more of the limited services there is room for. */
  #serviceRoom(threads: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const room = new Map(threads);
    for (const service of this.#known.values()) {
      const free = service === undefined ? undefined : room.get(service);
      if (free !== undefined) room.set(service!, Math.max(0, free - 1));
    }
    return room;
  }

  /** How many more may be claimed: those that find a slot, and what will have started until they are due. */
  #room(): number {
    const { threadCount } = this.#options.tuning();
    const ahead = this.#isStuck ? 0 : (this.#rate.perSecond * LOOK_AHEAD_MS) / 1000;
    return Math.floor(threadCount + ahead) - (this.#known.size - this.#suspects.waiting.length);
  }

  get #isStuck(): boolean {
    const isFull = this.#slots.isFull || !this.#solitude.isOpen;
    return isFull && performance.now() - this.#rate.lastAt > STUCK_MS;
  }

  /** What has taken all slots, or is alone, takes long, and more had been claimed: another node may have room for it. */
  async #handBackStuck(): Promise<void> {
    if (!this.#isStuck || this.#starter.waiting === 0 || this.#starter.isStarting) return;
    this.#abandonReady();
    await this.#options.store.handBack(this.#options.holder(), this.#suspects.waiting);
  }

  /** Nodes wake up for the same firings: the one with less to do asks first, so that work spreads. */
  #courtesy(): number {
    const load = Math.min(1, this.#known.size / this.#options.tuning().threadCount);
    return Math.random() * SHORTEST_SLEEP_MS + load * BUSY_DELAY_MS;
  }

  /**
   * From time to time everything is looked through: rows behind the watermark, claims of lives that are over, and
   * claims of our own that we do not know of, because their answer was lost: to start them again changes nothing.
   * What runs here and is held no more has been given to others.
   */
  async #beginSweep(): Promise<boolean> {
    // Where there are a million schedules this takes seconds, so it comes seldom enough to cost two in a hundred.
    const interval = Math.max(SWEEP_INTERVAL_MS, this.#sweepTookMs * 50);
    const isTime = this.#sweptAt === 0 || performance.now() - this.#sweptAt > interval;
    if (!isTime && !this.#claimInDoubt) return false;
    const { store, holder, nodeName } = this.#options;
    if (isTime) {
      this.#sweptAt = performance.now();
      await store.sweep(nodeName);
      this.#sweepTookMs = performance.now() - this.#sweptAt;
    }
    const running = [...this.#running.keys()];
    const held = await store.listHeld(holder());
    for (const run of held) if (!this.#known.has(claimKey(run))) this.#take(run);
    const ours = new Set(held.map(claimKey));
    this.#endEarly(
      running.filter((key) => !ours.has(key)),
      'The run belongs to another node now',
    );
    return isTime;
  }

  #take(run: Run, limitedService?: string): void {
    this.#known.set(claimKey(run), limitedService);
    this.#wait(run);
  }

  #wait(run: Run): void {
    const key = claimKey(run);
    const early = run.fireAt - this.#options.clock.now();
    if (early <= 0) {
      this.#waiting.delete(key);
      if (isSuspect(run)) this.#suspects.push(run);
      else this.#starter.push(run);
      return;
    }
    // A timer may be early by a fraction; nothing fires before its time by the database's clock.
    this.#waiting.set(
      key,
      setTimeout(() => this.#wait(run), Math.ceil(early)),
    );
  }

  async #try(run: Run, isAlone: boolean): Promise<void> {
    if (isAlone) await this.#starter.start([run]);
    else this.#starter.push(run);
  }

  /** @returns when those have ended that were started */
  #startedOf(batch: readonly Run[], started: readonly StartedRun[] | undefined, life: Holder) {
    const running = new Set(started?.map(claimKey));
    this.#rate.count(running.size);
    const ends = (started ?? []).map((run) => this.#run(run, life));
    for (const run of batch) {
      if (running.has(claimKey(run))) continue;
      // Whether it was started in spite of an error does not matter: to start it again changes nothing.
      if (started === undefined && this.#known.has(claimKey(run)) && this.#loop.claims) this.#retryLater(run);
      else this.#known.delete(claimKey(run));
    }
    this.#loop.noteEnd();
    return Promise.all(ends);
  }

  #retryLater(run: Run): void {
    this.#waiting.set(
      claimKey(run),
      setTimeout(() => this.#wait(run), RETRY_START_MS),
    );
  }

  /** Runs one firing to its end; its slot is free again when it resolves. */
  async #run(run: StartedRun, life: Holder): Promise<void> {
    const key = claimKey(run);
    const ended = this.#solitude.begin();
    const ending = new AbortController();
    this.#running.set(key, ending);
    this.#known.set(key, run.definition.invokeService);
    const next = await this.#executor.run(run, life, ending.signal);
    ended();
    this.#slots.give();
    const isLimited = this.#options.tuning().serviceThreads?.has(run.definition.invokeService) === true;
    this.#running.delete(key);
    this.#known.delete(key);
    if (next !== null) this.#wakeAt(next - LOOK_AHEAD_MS + this.#courtesy());
    if ((this.#starved || isLimited) && this.#loop.claims) this.wake();
    this.#starter.schedule();
    this.#loop.noteEnd();
  }

  /** The claim sleeps until what it saw waiting; this waits since then. */
  #wakeAt(at: number): void {
    const ms = at - this.#options.clock.now();
    const { idleWaitMs = POLL_INTERVAL_MS } = this.#options.tuning();
    if (this.#loop.claims && ms <= idleWaitMs) this.#alarm.set(at, ms);
  }
}

/** A run that was given up by this node and claimed by it again is another claim: its attempt has been counted. */
function claimKey(run: Run): string {
  return `${formatRunKey(run)}.${run.attempt}`;
}
