import type { Database, DatabaseClock } from '#database/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Firing, FiringEnd } from './fire-trigger.ts';
import { decideFiring, type FiringDecision, MISFIRE_THRESHOLD_MS } from './misfire.ts';
import {
  claimDue,
  formatRunKey,
  type Holder,
  handBack,
  listOrphanedLives,
  planNext,
  type Run,
  releaseRuns,
  type StartedRun,
  startRuns,
} from './run-repository.ts';
import { timingOf } from './schedule.ts';

const LOOK_AHEAD_MS = 500;
const POLL_INTERVAL_MS = 1_500;
const SHORTEST_SLEEP_MS = 10;
const MAX_BATCH = 500;
/** The longest transaction that may still commit a row behind the watermark. */
const SLACK_MS = 5_000;
const SWEEP_INTERVAL_MS = 10_000;

export interface TriggerPollerOptions {
  readonly database: Database;
  readonly clock: DatabaseClock;
  readonly nodeName: string;
  /** This life of this node, as the cluster knows it now. */
  readonly holder: () => Holder;
  /** How many firings may run at once on this node. */
  readonly threadCount: number;
  readonly misfireThresholdMs?: number;
  /** Runs a firing to its end, here or in a script thread. Rejects when its thread died. */
  readonly fire: (firing: Firing) => Promise<FiringEnd>;
  readonly observe: Observe;
  /** How long a stop waits for runs, in ms. Default 30 s. */
  readonly drainMs?: number;
}

/**
 * Acquires due triggers, lets each wait for its very millisecond, and fires it. Claims run up to half a second
 * ahead, so that the time of firing depends on a local timer and not on the next poll.
 */
export class TriggerPoller implements Service {
  readonly name = 'trigger poller';
  readonly #options: TriggerPollerOptions;
  readonly #ticker: Ticker;
  /** Claimed, waiting for their time. */
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  #starting: Run[] = [];
  #startScheduled = false;
  /** Ready to run, waiting for a free slot. */
  readonly #queue: Run[] = [];
  #active = 0;
  #accepting = false;
  #watermark = 0;
  #sweptAt = 0;
  #sweepTookMs = 0;
  #idle: (() => void) | undefined;

  constructor(options: TriggerPollerOptions) {
    this.#options = options;
    this.#ticker = new Ticker({
      name: this.name,
      intervalMs: POLL_INTERVAL_MS,
      runOnce: () => this.#runOnce(),
      onError: (error) => options.observe({ kind: 'loop.failed', loop: this.name, error }),
    });
  }

  async start(): Promise<void> {
    this.#accepting = true;
    await this.#ticker.start();
  }

  /** Stops claiming, hands back what has not started, and waits for what has. */
  async stop(): Promise<void> {
    if (!this.#accepting) return;
    this.#accepting = false;
    await this.#ticker.stop();
    this.abandon();
    await handBack(this.#options.database.db, this.#options.holder()).catch((error: unknown) =>
      this.#options.observe({ kind: 'loop.failed', loop: this.name, error }),
    );
    await this.#drain();
  }

  wake(): void {
    this.#ticker.wake();
  }

  get active(): number {
    return this.#active;
  }

  get lastBeatAt(): number {
    return this.#ticker.lastBeatAt;
  }

  /** Forgets what was claimed and has not started: it belongs to somebody else now. */
  abandon(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    this.#queue.length = 0;
    this.#starting = [];
  }

  async #runOnce(): Promise<number> {
    const { database, clock, holder, threadCount } = this.#options;
    const free =
      threadCount * 2 - this.#active - this.#waiting.size - this.#queue.length - this.#starting.length;
    if (free <= 0 || !this.#accepting) return POLL_INTERVAL_MS;
    const limit = Math.min(free, MAX_BATCH);
    const sweeping = await this.#beginSweep();
    const startedAt = performance.now();
    const { runs, nextDueAt } = await claimDue(database.db, {
      holder: holder(),
      limit,
      lookAheadMs: LOOK_AHEAD_MS,
      watermark: sweeping ? 0 : this.#watermark - SLACK_MS,
    });
    if (sweeping) this.#sweepTookMs = performance.now() - startedAt;
    for (const run of runs) this.#wait(run);
    const earliest = runs[0]?.dueAt;
    if (earliest !== undefined) this.#watermark = Math.max(this.#watermark, earliest);
    if (runs.length === limit) return 0;
    if (nextDueAt === null) return jittered(POLL_INTERVAL_MS);
    const sleep = nextDueAt - LOOK_AHEAD_MS - clock.now();
    return Math.min(Math.max(sleep, SHORTEST_SLEEP_MS) + Math.random() * SHORTEST_SLEEP_MS, POLL_INTERVAL_MS);
  }

  /** From time to time everything is looked through: rows behind the watermark, claims of lives that are over. */
  async #beginSweep(): Promise<boolean> {
    const interval = Math.max(SWEEP_INTERVAL_MS, this.#sweepTookMs * 50);
    if (performance.now() - this.#sweptAt < interval && this.#sweptAt !== 0) return false;
    this.#sweptAt = performance.now();
    const { database, nodeName } = this.#options;
    for (const life of await listOrphanedLives(database.db)) {
      await releaseRuns(database.db, life.nodeId, life.epoch, nodeName);
    }
    return true;
  }

  #wait(run: Run): void {
    const key = formatRunKey(run);
    const ms = run.fireAt - this.#options.clock.now();
    const start = () => {
      // A timer may be early by a fraction; nothing fires before its time by the database's clock.
      const early = run.fireAt - this.#options.clock.now();
      if (early > 0) {
        this.#waiting.set(key, setTimeout(start, Math.ceil(early)));
        return;
      }
      this.#waiting.delete(key);
      this.#enqueue(run);
    };
    this.#waiting.set(key, setTimeout(start, Math.max(0, Math.ceil(ms))));
  }

  #enqueue(run: Run): void {
    this.#queue.push(run);
    this.#fillSlots();
  }

  /** Starts what has a free slot; all that becomes ready in one turn of the loop starts with one statement. */
  #fillSlots(): void {
    while (this.#queue.length > 0 && this.#active + this.#starting.length < this.#options.threadCount) {
      this.#starting.push(this.#queue.shift()!);
    }
    if (this.#starting.length === 0 || this.#startScheduled) return;
    this.#startScheduled = true;
    setImmediate(() => void this.#startBatch());
  }

  async #startBatch(): Promise<void> {
    const { database, holder, observe } = this.#options;
    const batch = this.#starting;
    this.#starting = [];
    this.#startScheduled = false;
    if (batch.length === 0) return;
    const life = holder();
    this.#active += batch.length;
    let started: readonly StartedRun[] = [];
    try {
      started = await startRuns(database.db, life, batch);
    } catch (error) {
      // Their rows stay claimed by us and unstarted; after a while they are offered again.
      observe({ kind: 'loop.failed', loop: 'start of runs', error });
      this.#retryLater(batch);
    }
    this.#active -= batch.length - started.length;
    for (const run of started) void this.#fire(run, life);
    this.#fillSlots();
    this.#settle();
  }

  #retryLater(batch: readonly Run[]): void {
    for (const run of batch) {
      const key = formatRunKey(run);
      this.#waiting.set(
        key,
        setTimeout(() => {
          this.#waiting.delete(key);
          if (this.#accepting) this.#enqueue(run);
        }, 500),
      );
    }
  }

  /** Runs one firing to its end; its slot is free again when it resolves. */
  async #fire(run: StartedRun, holder: Holder): Promise<void> {
    const { clock, observe, nodeName } = this.#options;
    const startedAt = clock.now();
    try {
      const decision = this.#decide(run, startedAt);
      await this.#planConcurrent(run, holder, decision);
      await this.#fireUntilKnown({ run, holder, nodeName, decision, startedAt });
      if (decision.next !== null && decision.next - LOOK_AHEAD_MS < clock.now() + POLL_INTERVAL_MS)
        this.wake();
    } catch (error) {
      observe({ kind: 'server.failed', part: `firing of ${run.jobId}`, error });
    } finally {
      this.#active -= 1;
      this.#fillSlots();
      this.#settle();
      this.wake();
    }
  }

  #decide(run: StartedRun, now: number): FiringDecision {
    const { observe, misfireThresholdMs } = this.#options;
    const decision = decideFiring({
      fireAt: run.fireAt,
      lateFrom: run.lateFrom ?? run.fireAt,
      now,
      policy: run.definition.misfirePolicy,
      timing: timingOf(run.definition),
      thresholdMs: misfireThresholdMs ?? MISFIRE_THRESHOLD_MS,
    });
    const lateMs = now - run.fireAt;
    if (decision.kind === 'onTime') {
      observe({
        kind: 'trigger.fired',
        schedule: run.jobId,
        plannedAt: run.fireAt,
        lateMs,
        run: formatRunKey(run),
      });
    } else {
      observe({
        kind: 'trigger.misfired',
        schedule: run.jobId,
        plannedAt: run.fireAt,
        lateMs,
        policy: run.definition.misfirePolicy,
      });
    }
    return decision;
  }

  /** A concurrent schedule goes on while this run does; any other waits for its completion. */
  async #planConcurrent(run: StartedRun, holder: Holder, decision: FiringDecision): Promise<void> {
    if (!run.definition.concurrentExecution || run.nextPlanned || decision.next === null) return;
    await planNext(this.#options.database.db, holder, run, decision.next);
    this.wake();
  }

  /** A script thread that dies leaves the end of its firings open: they run again here, as after a lost node. */
  async #fireUntilKnown(firing: Firing): Promise<void> {
    const { database, nodeName, fire, observe } = this.#options;
    try {
      await fire(firing);
    } catch (error) {
      observe({ kind: 'server.failed', part: `firing of ${firing.run.jobId}`, error });
      const { nodeId, epoch } = firing.holder;
      await releaseRuns(database.db, nodeId, epoch, nodeName, firing.run);
    }
  }

  #settle(): void {
    if (this.#active === 0) this.#idle?.();
  }

  async #drain(): Promise<void> {
    if (this.#active === 0) return;
    await Promise.race([
      new Promise<void>((resolve) => {
        this.#idle = resolve;
      }),
      new Promise((resolve) => setTimeout(resolve, this.#options.drainMs ?? 30_000).unref()),
    ]);
  }
}

function jittered(ms: number): number {
  return ms * (0.8 + Math.random() * 0.4);
}
