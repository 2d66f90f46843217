import { BystanderError, ResourceError, ServiceUnavailableError } from '#errors/index.ts';
import { backoffMs, type Service } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { toError } from '#thread/index.ts';
import { monotonicMs } from '#time/index.ts';
import { type Job, type OpenThread, ScriptThread, type ThreadHealth } from './script-thread.ts';
import {
  type FromThread,
  type ScriptWork,
  type ThreadWork,
  type ToThread,
  workKind,
} from './thread-protocol.ts';
import { WaitingWork } from './waiting-work.ts';

const WATCH_INTERVAL_MS = 50;
/** A script may miss its deadline by this much before its thread is ended. */
const GRACE_MS = 250;
/** When no thread has been seen without work for so long, another comes: then it is not one burst. */
const BUSY_MS = 500;
/** A further thread that has had no work for so long goes. */
const IDLE_MS = 600_000;
/** A script that holds its thread for so long keeps others waiting; then no more scripts of its caller begin there. */
const CROWDED_AFTER_MS = 1_000;
/** The pause between attempts to replace threads that die before they are ready, as without a database. */
const RESPAWN_FIRST_MS = 100;
const RESPAWN_LONGEST_MS = 5_000;
/** The kind of work that each thread does: none of them does it for another. */
const TO_ALL = workKind<null, void>('to all');

export interface ScriptThreadsOptions {
  /** The most threads: there is one as long as that can do all the work. */
  readonly count: number;
  /** The module that a thread runs. */
  readonly entry: URL;
  /** Given to each thread; must survive structured cloning. */
  readonly data: Record<string, unknown>;
  readonly observe: Observe;
  /** Default: each thread is one of its own. */
  readonly open?: OpenThread | undefined;
  /** How long work of callers may wait for a thread. */
  readonly longestWaitMs?: number;
  /** How long a further thread stays without work. */
  readonly idleMs?: number;
}

/**
 * The threads in which everything runs that may run a script. Work goes to the thread with the least of it, but not to one
 * that a script holds: what such a thread has not begun is taken back, and what finds no thread waits, callers taking turns.
 * No caller has more than a few requests in a thread. Whose scripts hold threads for long is kept from one of them, so that others do not always wait. A watchdog ends a thread whose script ignores its deadline: its transactions roll back, the guilty request
 * fails, reads of others run again elsewhere, and a new thread takes its place.
 *
 * The first thread lives as long as the node. A further one takes some 50 MB, so it comes when there is more work than those there
 * are can do, and goes when it has long had none.
 */
export class ScriptThreads implements Service, ScriptWork {
  readonly name = 'script threads';
  readonly #options: ScriptThreadsOptions;
  readonly #waiting: WaitingWork;
  #threads: readonly ScriptThread[] = [];
  #first: ScriptThread | undefined;
  #foundation: Record<string, unknown> | undefined;
  /** When a thread without work was seen last. */
  #idleAt = 0;
  readonly #leaving = new Set<Promise<void>>();
  #watch: NodeJS.Timeout | undefined;
  #nextJob = 1;
  #nextThread = 1;
  #stopping = false;
  /** Threads in a row that died before they were ready. */
  #stillborn = 0;
  readonly #respawns = new Set<NodeJS.Timeout>();

  constructor(options: ScriptThreadsOptions) {
    this.#options = options;
    this.#waiting = new WaitingWork(options.longestWaitMs);
  }

  /** Begins to load the first thread, while what it stands on is still made. */
  prepare(): void {
    if (this.#first !== undefined) return;
    this.#stopping = false;
    this.#first = this.#spawn();
    this.#threads = [this.#first];
  }

  /** Gives every thread what it stands on, such as a database. */
  found(foundation: Record<string, unknown>): void {
    this.#foundation = foundation;
    for (const thread of this.#threads) thread.found(foundation);
  }

  /** Resolves when the first thread takes work. @throws Error when that dies instead */
  async start(): Promise<void> {
    this.prepare();
    try {
      await this.#first?.ready;
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#idleAt = monotonicMs();
    this.#watch ??= setInterval(() => this.#look(), WATCH_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#watch);
    this.#watch = undefined;
    for (const timer of this.#respawns) clearTimeout(timer);
    this.#respawns.clear();
    this.#waiting.refuseAll(() => this.#unavailable());
    const threads = this.#threads.filter(({ alive }) => alive);
    await Promise.all([...threads.map((thread) => thread.end()), ...this.#leaving]);
    this.#threads = [];
    this.#first = undefined;
  }

  run<Payload, Answer>(work: ThreadWork<Payload, Answer>): Promise<Answer> {
    if (this.#stopping || this.#threads.length === 0) return Promise.reject(this.#unavailable());
    return new Promise((resolve, reject) => {
      const job: Job = { id: this.#nextJob++, since: monotonicMs(), work, resolve, reject };
      if (this.#waiting.size === 0 && this.#offer(job)) return;
      this.#waiting.add(job);
      this.#serve();
    });
  }

  /** Makes every thread read its configuration again; resolves when all have. */
  reload(): Promise<void> {
    return this.#sendToAll((id) => ({ type: 'reload', id }));
  }

  /** Replaces a part of what every thread stands on, those to come, too; resolves when all have it. */
  replaceFoundation(part: Record<string, unknown>): Promise<void> {
    this.#foundation = { ...this.#foundation, ...part };
    return this.#sendToAll((id) => ({ type: 'found', id, part }));
  }

  async #sendToAll(message: (id: number) => ToThread): Promise<void> {
    await Promise.all(
      this.#threads.map(
        (thread) =>
          new Promise((resolve, reject) => {
            const id = this.#nextJob++;
            const work = { kind: TO_ALL, payload: null, repeatable: true };
            thread.jobs.set(id, { id, since: monotonicMs(), work, resolve, reject });
            thread.send(message(id));
          }),
      ),
    );
  }

  /** Pieces of work that no thread has yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  get busy(): number {
    return this.#threads.reduce((sum, thread) => sum + thread.jobs.size, 0);
  }

  get sandboxes(): number {
    return this.#threads.reduce((sum, thread) => sum + thread.sandboxes, 0);
  }

  /** Each thread, as `/health` tells of it. A missing one is being replaced. */
  get health(): readonly ThreadHealth[] {
    return this.#threads.map((thread) => thread.health);
  }

  #unavailable(): ServiceUnavailableError {
    return this.#stopping
      ? new ServiceUnavailableError('The server is stopping', { id: 'SERVER_STOPPING' })
      : new ServiceUnavailableError('No script thread is running', { id: 'SCRIPT_NO_THREAD' });
  }

  /** Gives it to the thread with the least work, if any is free for it. */
  #offer(job: Job): boolean {
    const isSlow = this.#waiting.isSlow(job);
    let best: ScriptThread | undefined;
    for (const thread of this.#openThreads(isSlow)) {
      if (!thread.hasRoom(job.work.caller)) continue;
      if (best === undefined || thread.jobs.size < best.jobs.size) best = thread;
    }
    return best?.offer(job) ?? false;
  }

  /** The first of several threads is for those who are not slow, even before there is a second. */
  #openThreads(isSlow: boolean): readonly ScriptThread[] {
    const isFor = (at: number) => !isSlow || at > 0 || this.#options.count === 1;
    return this.#threads.filter((thread, at) => thread.isOpen && isFor(at));
  }

  /** Whoever waits and finds a thread has it. */
  #serve(): void {
    while (this.#waiting.size > 0 && this.#openThreads(false).length > 0) {
      const open = this.#openThreads(false);
      const forSlow = this.#openThreads(true);
      const job = this.#waiting.take(forSlow.length > 0, (caller) =>
        open.some((thread) => thread.hasRoom(caller)),
      );
      if (job === undefined) return;
      if (this.#offer(job)) continue;
      this.#waiting.putBack(job);
      return;
    }
  }

  #spawn(): ScriptThread {
    const { entry, data, observe, open } = this.#options;
    const thread: ScriptThread = new ScriptThread({
      number: this.#nextThread++,
      entry,
      data,
      open,
      onMessage: (message) => this.#receive(thread, message),
      onDeath: (reason) => this.#bury(thread, reason),
    });
    if (this.#foundation !== undefined) thread.found(this.#foundation);
    observe({ kind: 'script.threadStarted', thread: thread.number });
    return thread;
  }

  #receive(thread: ScriptThread, message: FromThread): void {
    if (message.type === 'ready') {
      this.#stillborn = 0;
      // The thread itself hears of it after us.
      setImmediate(() => this.#serve());
    } else if (message.type === 'named') {
      thread.scriptNames.set(message.script, message.name);
    } else if (message.type === 'observed') {
      for (const observation of message.observations) this.#options.observe(observation);
    } else if (message.type === 'asked') {
      void thread.tell(message.id);
    } else {
      const job = thread.forget(message.id);
      if (message.type === 'done') job?.resolve(message.value);
      else job?.reject(toError(message.error));
      this.#serve();
    }
  }

  #look(): void {
    this.#endStuckThreads();
    const now = monotonicMs();
    for (const thread of this.#threads) {
      if (thread.isOpen) continue;
      for (const job of thread.takeBack().toReversed()) this.#waiting.putBack(job);
      this.#makeRoom(thread, now);
    }
    this.#waiting.expire(now);
    this.#serve();
    this.#grow(now);
    this.#shrink(now);
  }

  /** One more where work waits, or where all have had some for a while; one at a time, and none while one is being replaced. */
  #grow(now: number): void {
    if (this.#threads.some(({ jobs }) => jobs.size === 0)) this.#idleAt = now;
    if (this.#waiting.size === 0 && now - this.#idleAt < BUSY_MS) return;
    if (this.#threads.length >= this.#options.count || this.#respawns.size > 0) return;
    if (this.#threads.every(({ isReady }) => isReady)) this.#threads = [...this.#threads, this.#spawn()];
  }

  /** Work goes to the earlier of two threads that have as little, so the last is the one to spare. */
  #shrink(now: number): void {
    const last = this.#threads.at(-1);
    if (last === undefined || this.#threads.length === 1) return;
    if (!last.isReady || last.idleMs(now) < (this.#options.idleMs ?? IDLE_MS)) return;
    this.#threads = this.#threads.slice(0, -1);
    last.alive = false;
    this.#options.observe({ kind: 'script.threadSpared', thread: last.number });
    const ending = last.end().finally(() => this.#leaving.delete(ending));
    this.#leaving.add(ending);
  }

  /** Where somebody waits while a script goes on for long, its caller's further ones do not come first. */
  #makeRoom(thread: ScriptThread, now: number): void {
    const long = thread.heldFor(CROWDED_AFTER_MS);
    const caller = long?.work.caller;
    if (caller === undefined) return;
    this.#waiting.noteSlow(caller, now);
    const jobs = [...thread.jobs.values()];
    if (!this.#waiting.hasOthers(caller) && jobs.every(({ work }) => work.caller === caller)) return;
    for (const job of jobs) if (job !== long && job.work.caller === caller) thread.withdraw(job);
    this.#waiting.refuse(caller);
  }

  #endStuckThreads(): void {
    for (const thread of this.#threads) {
      const guilty = thread.findOverdue(GRACE_MS);
      if (guilty === undefined || !thread.alive) continue;
      const job = thread.forget(guilty.job);
      const script = guilty.script === undefined ? 'script' : `script '${guilty.script}'`;
      // Without detail: this is what /script answers, and there an error has none.
      const message = `The ${script} ran longer than it may, inside one long native operation that cannot be interrupted; its thread was ended`;
      job?.reject(new ResourceError(500, message));
      this.#bury(thread, `its ${script} ignored the deadline`, BystanderError);
      thread.kill();
    }
  }

  /** Takes a dead thread out of service and gives its work away; what cannot run again fails with `Death`. */
  #bury(thread: ScriptThread, reason: string, Death = ServiceUnavailableError): void {
    if (!thread.alive) return;
    thread.alive = false;
    if (this.#stopping) return;
    this.#options.observe({ kind: 'script.threadKilled', thread: thread.number, reason });
    this.#threads = this.#threads.filter((other) => other !== thread);
    this.#replace(thread);
    const notBegun = thread.takeBack();
    for (const job of thread.jobs.values()) {
      // The thread in its place begins with what there is now.
      if (job.work.kind === TO_ALL) job.resolve(undefined);
      else if (job.work.repeatable) this.#waiting.add(job);
      else job.reject(new Death(DIED));
    }
    for (const id of [...thread.jobs.keys()]) thread.forget(id);
    for (const job of notBegun.toReversed()) this.#waiting.putBack(job);
    this.#serve();
  }

  /** At once, unless threads keep dying before they are ready. */
  #replace(thread: ScriptThread): void {
    const spawn = () => {
      this.#threads = [...this.#threads, this.#spawn()];
    };
    if (thread.isReady) {
      spawn();
      return;
    }
    this.#stillborn += 1;
    const pauseMs = backoffMs(this.#stillborn, RESPAWN_FIRST_MS, RESPAWN_LONGEST_MS);
    const timer = setTimeout(() => {
      this.#respawns.delete(timer);
      spawn();
    }, pauseMs);
    this.#respawns.add(timer);
  }
}

const DIED = 'The script thread of this request died and its changes were rolled back; try again';
