import type { DatabaseClock } from '#database/index.ts';
import { ClaimLoop, jittered, type Service, Solitude } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Holder } from '#work/index.ts';
import { Alarm } from './alarm.ts';
import { type Claim, NOTHING } from './claim-repository.ts';
import type { FiringResult } from './fire-trigger.ts';
import type { Firing } from './firing.ts';
import type { JobStore } from './job-store.ts';
import { type Claiming, Lane, roomFor } from './lane.ts';
import { formatRunKey, type Run, type StartedRun } from './run.ts';
import { RunExecutor } from './run-executor.ts';
import { RunStarter } from './run-starter.ts';
import { Slots } from './slots.ts';
import { SuspectQueue } from './suspect-queue.ts';
import { isSuspect } from './suspicion.ts';
import { SweepClock } from './sweep-clock.ts';
import type { Tuning } from './tuning.ts';
import { WaitingRuns } from './waiting-runs.ts';

const LOOK_AHEAD_MS = 500;
const POLL_INTERVAL_MS = 1_500;
const SHORTEST_SLEEP_MS = 10;
/** A node that is fully busy asks later than an idle one by this much. */
const BUSY_DELAY_MS = 40;
const MAX_BATCH = 500;
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
 * ahead, so that the time of firing depends on a local timer and not on the next poll. What the node has in memory is
 * claimed with what any node may claim, and runs in a lane of its own.
 */
export class TriggerPoller implements Service {
  readonly name = 'trigger poller';
  readonly drains = true;
  readonly #options: TriggerPollerOptions;
  readonly #executor: RunExecutor;
  readonly #loop: ClaimLoop;
  readonly #alarm = new Alarm(() => this.#loop.wake());
  readonly #shared: Lane;
  readonly #own: Lane;
  readonly #solitude: Solitude;
  /** Ready to run, waiting to be alone. */
  readonly #suspects: SuspectQueue;
  /** Those that run, each with what ends it early. */
  readonly #running = new Map<string, AbortController>();
  /** Claimed, waiting for their time. */
  readonly #waiting = new WaitingRuns();
  readonly #sweep = new SweepClock();
  /** A claim was sent and not answered: it may have been made. */
  #claimInDoubt = false;

  constructor(options: TriggerPollerOptions) {
    this.#options = options;
    this.#loop = new ClaimLoop({
      name: this.name,
      intervalMs: POLL_INTERVAL_MS,
      runOnce: () => this.#runOnce(),
      active: () => this.active,
      handBack: () => this.#handBack(),
      giveUp: () => this.#giveUp(),
      observe: options.observe,
      drainMs: options.drainMs,
    });
    this.#solitude = options.solitude ?? new Solitude();
    this.#executor = new RunExecutor({ ...options, solitude: this.#solitude });
    this.#shared = this.#openLane();
    this.#own = this.#openLane();
    this.#solitude.onOpen(() => {
      if (!this.#loop.claims) return;
      this.#loop.wake();
      for (const lane of this.#lanes) lane.starter.schedule();
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
    this.#own.lookAgain();
    this.#loop.wake();
  }

  get active(): number {
    return this.#shared.slots.taken + this.#own.slots.taken;
  }

  get lastBeatAt(): number {
    return this.#loop.lastBeatAt;
  }

  /** Forgets what was claimed and has not started: it belongs to somebody else now. */
  abandon(): void {
    for (const run of this.#suspects.waiting) this.#forget(run);
    this.#suspects.clear();
    this.#abandonReady();
  }

  /** Suspects wait for the very thing that keeps the others waiting. */
  #abandonReady(): void {
    const ready = this.#lanes.flatMap(({ starter }) => starter.clear());
    for (const run of [...this.#waiting.clear(), ...ready]) this.#forget(run);
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
      .endLife(holder(), nodeName)
      .finally(() => this.#endEarly([...this.#running.keys()], 'The node stops'));
  }

  #endEarly(keys: readonly string[], reason: string): void {
    for (const key of keys) this.#running.get(key)?.abort(new Error(reason));
  }

  get #lanes(): readonly Lane[] {
    return [this.#shared, this.#own];
  }

  #openLane(): Lane {
    const slots = new Slots(() => this.#options.tuning().threadCount);
    const lane: Lane = new Lane(
      slots,
      new RunStarter({
        ...this.#options,
        slots,
        solitude: this.#solitude,
        answered: (batch, started, life) => this.#startedOf(lane, batch, started, life),
      }),
    );
    return lane;
  }

  #laneOf({ own }: Run): Lane {
    return own === true ? this.#own : this.#shared;
  }

  #forget(run: Run): void {
    this.#laneOf(run).known.delete(claimKey(run));
  }

  async #runOnce(): Promise<number> {
    const { claims = true, idleWaitMs = POLL_INTERVAL_MS } = this.#options.tuning();
    await this.#handBackStuck();
    const shared = claims ? this.#claimingFor(this.#shared) : { ...NOTHING, startLimit: 0 };
    const own = this.#claimingFor(this.#own);
    if (shared.limit + own.limit === 0 || !this.#loop.claims || !this.#solitude.isOpen) return idleWaitMs;
    const claimed = this.#solitude.begin();
    try {
      return await this.#claim(shared, own);
    } finally {
      claimed();
    }
  }

  #claimingFor(lane: Lane): Claiming {
    const { threadCount, maxBatch = MAX_BATCH } = this.#options.tuning();
    const ahead = lane.isStuck(this.#solitude.isOpen) ? 0 : (lane.rate.perSecond * LOOK_AHEAD_MS) / 1000;
    const aside = this.#suspects.waiting.filter((run) => this.#laneOf(run) === lane).length;
    return lane.claiming({ threadCount, maxBatch, ahead, aside });
  }

  /** @returns when to look again, in ms */
  async #claim(shared: Claiming, mayOwn: Claiming): Promise<number> {
    const sweeping = await this.#beginSweep();
    const { store, clock, holder, tuning } = this.#options;
    const { serviceThreads, idleWaitMs = POLL_INTERVAL_MS } = tuning();
    // Most nodes have nothing in memory, or what is due seldom: a statement that does not look for it is shorter.
    const looks = sweeping || this.#own.isWorthALook(clock.now() + LOOK_AHEAD_MS, idleWaitMs);
    const own = looks ? mayOwn : { ...NOTHING, startLimit: 0 };
    this.#claimInDoubt = true;
    const life = holder();
    const all = sweeping ? { watermark: 0 } : {};
    const reserved = [this.#shared.slots.reserve(shared.startLimit), this.#own.slots.reserve(own.startLimit)];
    const { runs, nextDueAt, ownNextDueAt } = await store
      .claim({
        ...shared,
        ...all,
        own: { ...own, ...all },
        holder: life,
        lookAheadMs: LOOK_AHEAD_MS,
        ...(serviceThreads === undefined ? {} : { serviceRoom: roomFor(serviceThreads, this.#lanes) }),
      })
      .finally(() => {
        for (const giveBack of reserved) giveBack();
      });
    this.#claimInDoubt = false;
    if (sweeping) this.#sweep.end();
    const parts = [
      [this.#shared, shared, nextDueAt],
      [this.#own, own, ownNextDueAt],
    ] as const;
    const isMore = parts.map(([lane, claiming, next]) => {
      const claimed = runs.filter((run) => this.#laneOf(run) === lane);
      for (const run of claimed) this.#take(run, run.limitedService, life);
      lane.rate.count(claimed.filter(({ started }) => started !== undefined).length);
      lane.starter.schedule();
      return lane.noteClaim(claiming, claimed, next);
    });
    if (isMore.includes(true)) return 0;
    // Without room for it nobody waits for it: the end of a run does.
    const ownDueAt = mayOwn.limit > 0 ? this.#own.nextDueAt : null;
    const dueAt = Math.min(nextDueAt ?? Infinity, ownDueAt ?? Infinity);
    if (dueAt === Infinity) return jittered(idleWaitMs);
    const sleep = dueAt - LOOK_AHEAD_MS - clock.now();
    // What is due already and was not claimed waits for its service.
    if (serviceThreads !== undefined && sleep < 0) return jittered(SERVICE_RETRY_MS);
    return Math.min(Math.max(sleep, SHORTEST_SLEEP_MS) + this.#courtesy(), idleWaitMs);
  }

  /** What has taken all slots, or is alone, takes long, and more had been claimed: another node may have room for it. */
  async #handBackStuck(): Promise<void> {
    const stuck = this.#lanes.filter(
      (lane) => lane.isStuck(this.#solitude.isOpen) && lane.starter.waiting > 0,
    );
    if (stuck.length === 0 || this.#lanes.some(({ starter }) => starter.isStarting)) return;
    this.#abandonReady();
    this.#own.lookAgain();
    await this.#options.store.handBack(this.#options.holder(), this.#suspects.waiting);
  }

  /** Nodes wake up for the same firings: the one with less to do asks first, so that work spreads. */
  #courtesy(): number {
    const load = Math.min(1, this.#shared.known.size / this.#options.tuning().threadCount);
    return Math.random() * SHORTEST_SLEEP_MS + load * BUSY_DELAY_MS;
  }

  /**
   * From time to time everything is looked through: rows behind the watermark, claims of lives that are over, and
   * claims of our own that we do not know of, because their answer was lost: to start them again changes nothing.
   * What runs here and is held no more has been given to others.
   */
  async #beginSweep(): Promise<boolean> {
    const { isTime } = this.#sweep;
    if (!isTime && !this.#claimInDoubt) return false;
    const { store, holder, nodeName } = this.#options;
    if (isTime) {
      this.#sweep.begin();
      await store.sweep(holder(), nodeName);
    }
    const running = [...this.#running.keys()];
    const held = await store.listHeld(holder());
    const isKnown = (key: string) => this.#lanes.some(({ known }) => known.has(key));
    for (const run of held) if (!isKnown(claimKey(run))) this.#take(run);
    const ours = new Set(held.map(claimKey));
    this.#endEarly(
      running.filter((key) => !ours.has(key)),
      'The run belongs to another node now',
    );
    return isTime;
  }

  /** @param life in which it was started with its claim, if it was */
  #take({ started, ...run }: Claimed, limitedService?: string, life?: Holder): void {
    const lane = this.#laneOf(run);
    lane.known.set(claimKey(run), limitedService);
    if (started === undefined || life === undefined) {
      this.#wait(run);
      return;
    }
    lane.slots.take();
    void this.#run({ ...run, ...started }, life);
  }

  #wait(run: Run): void {
    const early = run.fireAt - this.#options.clock.now();
    if (early <= 0) {
      if (isSuspect(run)) this.#suspects.push(run);
      else this.#laneOf(run).starter.push(run);
      return;
    }
    // A timer may be early by a fraction; nothing fires before its time by the database's clock.
    this.#waiting.add(run, early, () => this.#wait(run));
  }

  async #try(run: Run, isAlone: boolean): Promise<void> {
    const { starter } = this.#laneOf(run);
    if (isAlone) await starter.start([run]);
    else starter.push(run);
  }

  /** @returns when those have ended that were started */
  #startedOf(
    lane: Lane,
    batch: readonly Run[],
    started: readonly StartedRun[] | undefined,
    life: Holder,
  ): Promise<unknown> {
    const running = new Set(started?.map(claimKey));
    lane.rate.count(running.size);
    const ends = (started ?? []).map((run) => this.#run({ ...run, own: lane === this.#own }, life));
    for (const run of batch) {
      if (running.has(claimKey(run))) continue;
      // Whether it was started in spite of an error does not matter: to start it again changes nothing.
      if (started === undefined && lane.known.has(claimKey(run)) && this.#loop.claims) {
        this.#waiting.add(run, RETRY_START_MS, () => this.#wait(run));
      } else this.#forget(run);
    }
    this.#loop.noteEnd();
    return Promise.all(ends);
  }

  /** Runs one firing to its end; its slot is free again when it resolves. */
  async #run(run: StartedRun, life: Holder): Promise<void> {
    const key = claimKey(run);
    const lane = this.#laneOf(run);
    const ended = this.#solitude.begin();
    const ending = new AbortController();
    this.#running.set(key, ending);
    lane.known.set(key, run.definition.invokeService);
    const next = await this.#executor.run(run, life, ending.signal);
    ended();
    lane.slots.give();
    const isLimited = this.#options.tuning().serviceThreads?.has(run.definition.invokeService) === true;
    this.#running.delete(key);
    lane.known.delete(key);
    lane.lookAgain();
    if (next !== null) this.#wakeAt(next - LOOK_AHEAD_MS + this.#courtesy());
    if ((lane.starved || isLimited) && this.#loop.claims) this.#loop.wake();
    lane.starter.schedule();
    this.#loop.noteEnd();
  }

  /** The claim sleeps until what it saw waiting; this waits since then. */
  #wakeAt(at: number): void {
    const ms = at - this.#options.clock.now();
    const { idleWaitMs = POLL_INTERVAL_MS } = this.#options.tuning();
    if (this.#loop.claims && ms <= idleWaitMs) this.#alarm.set(at, ms);
  }
}

/** With its job, if it was started with the claim. */
type Claimed = Run & Pick<Claim['runs'][number], 'started'>;

/** A run that was given up by this node and claimed by it again is another claim: its attempt has been counted. */
function claimKey(run: Run): string {
  return `${formatRunKey(run)}.${run.attempt}`;
}
