import { troubled } from '#database/index.ts';
import { BystanderError, fromErrorBody, ResourceError, ServiceUnavailableError } from '#errors/index.ts';
import { backoffMs, type Service } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { ScriptThread, type ThreadHealth } from './script-thread.ts';
import type { ErrorMessage, FromThread, ThreadWork } from './thread-protocol.ts';

const WATCH_INTERVAL_MS = 50;
/** A script may miss its deadline by this much before its thread is ended. */
const GRACE_MS = 250;
/** A script that holds its thread for so long keeps others waiting; then no more scripts of its caller begin there. */
const CROWDED_AFTER_MS = 1_000;
/** Between attempts to replace threads that die before they are ready, as without a database. */
const RESPAWN_FIRST_MS = 100;
const RESPAWN_LONGEST_MS = 5_000;

export interface ScriptThreadsOptions {
  readonly count: number;
  /** The module that a thread runs. */
  readonly entry: URL;
  /** Given to each thread; must survive structured cloning. */
  readonly data: Record<string, unknown>;
  readonly observe: Observe;
}

/**
 * The threads in which everything runs that may run a script. Work goes to the thread with the least of it. A
 * watchdog ends a thread whose script ignores its deadline: its transactions roll back, the guilty request
 * fails, reads of others run again elsewhere, and a new thread takes its place.
 */
export class ScriptThreads implements Service {
  readonly name = 'script threads';
  readonly #options: ScriptThreadsOptions;
  #threads: readonly ScriptThread[] = [];
  #watch: NodeJS.Timeout | undefined;
  #nextJob = 1;
  #nextThread = 1;
  #stopping = false;
  /** Threads in a row that died before they were ready. */
  #stillborn = 0;
  readonly #respawns = new Set<NodeJS.Timeout>();

  constructor(options: ScriptThreadsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#threads.length > 0) return;
    this.#stopping = false;
    this.#threads = Array.from({ length: this.#options.count }, () => this.#spawn());
    try {
      await Promise.all(this.#threads.map((thread) => thread.ready));
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#watch = setInterval(() => this.#endStuckThreads(), WATCH_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#watch);
    for (const timer of this.#respawns) clearTimeout(timer);
    this.#respawns.clear();
    const threads = this.#threads.filter(({ alive }) => alive);
    await Promise.all(threads.map((thread) => thread.end()));
    this.#threads = [];
  }

  /** Runs work in a thread. @throws ResourceError what the work failed with, or 503 when its thread died */
  run(work: ThreadWork): Promise<unknown> {
    const thread = this.#leastBusy();
    if (thread === undefined) return Promise.reject(this.#unavailable());
    return new Promise((resolve, reject) => {
      thread.assign({ id: this.#nextJob++, work, resolve, reject });
    });
  }

  /** Makes every thread read its configuration again; resolves when all have. */
  async reload(): Promise<void> {
    await Promise.all(
      this.#threads.map(
        (thread) =>
          new Promise((resolve, reject) => {
            const id = this.#nextJob++;
            const work = { kind: 'reload', payload: null, repeatable: true };
            thread.jobs.set(id, { id, work, resolve, reject });
            thread.send({ type: 'reload', id });
          }),
      ),
    );
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

  #leastBusy(): ScriptThread | undefined {
    let best: ScriptThread | undefined;
    for (const thread of this.#threads) {
      if (thread.alive && (best === undefined || thread.load < best.load)) best = thread;
    }
    return best;
  }

  #spawn(): ScriptThread {
    const { entry, data, observe } = this.#options;
    const thread: ScriptThread = new ScriptThread({
      number: this.#nextThread++,
      entry,
      data,
      onMessage: (message) => this.#receive(thread, message),
      onDeath: (reason) => this.#bury(thread, reason),
    });
    observe({ kind: 'script.threadStarted', thread: thread.number });
    return thread;
  }

  #receive(thread: ScriptThread, message: FromThread): void {
    if (message.type === 'ready') {
      this.#stillborn = 0;
    } else if (message.type === 'named') {
      thread.scriptNames.set(message.script, message.name);
    } else if (message.type === 'observed') {
      this.#options.observe(message.observation);
    } else {
      const job = thread.jobs.get(message.id);
      thread.jobs.delete(message.id);
      if (message.type === 'done') job?.resolve(message.value);
      else job?.reject(toError(message.error));
    }
  }

  #endStuckThreads(): void {
    for (const thread of this.#threads) {
      const guilty = thread.findOverdue(GRACE_MS);
      makeRoom(thread);
      if (guilty === undefined || !thread.alive) continue;
      const job = thread.jobs.get(guilty.job);
      thread.jobs.delete(guilty.job);
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
    for (const job of thread.jobs.values()) {
      const other = job.work.repeatable ? this.#leastBusy() : undefined;
      // The thread in its place has read the configuration anew.
      if (job.work.kind === 'reload') job.resolve(undefined);
      else if (other !== undefined) other.assign(job);
      else job.reject(new Death(DIED));
    }
    thread.jobs.clear();
  }

  /** At once, unless threads keep dying before they are ready. */
  #replace(thread: ScriptThread): void {
    if (thread.isReady) {
      this.#threads = [...this.#threads, this.#spawn()];
      return;
    }
    this.#stillborn += 1;
    const pauseMs = backoffMs(this.#stillborn, RESPAWN_FIRST_MS, RESPAWN_LONGEST_MS);
    const timer = setTimeout(() => {
      this.#respawns.delete(timer);
      this.#threads = [...this.#threads, this.#spawn()];
    }, pauseMs);
    this.#respawns.add(timer);
  }
}

/** Where somebody waits behind a long script, its caller's further ones do not come first. */
function makeRoom(thread: ScriptThread): void {
  const long = thread.heldFor(CROWDED_AFTER_MS);
  const caller = long?.work.caller;
  if (caller === undefined) return;
  const jobs = [...thread.jobs.values()];
  if (jobs.every(({ work }) => work.caller === caller)) return;
  for (const job of jobs) if (job !== long && job.work.caller === caller) thread.withdraw(job);
}

const DIED = 'The script thread of this request died and its changes were rolled back; try again';

function toError({ cause, trouble, ...body }: ErrorMessage): ResourceError {
  const error = fromErrorBody(body);
  if (cause !== undefined) error.cause = new Error(cause);
  return troubled(error, trouble);
}
