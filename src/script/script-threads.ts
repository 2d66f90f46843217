import { Worker } from 'node:worker_threads';
import { fromErrorBody, ResourceError, ServiceUnavailableError } from '#errors/index.ts';
import type { Service } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import {
  DEADLINE_WORD,
  type FromThread,
  SHARED_WORDS,
  type ThreadWork,
  type ToThread,
  WORK_WORD,
} from './thread-protocol.ts';

const WATCH_INTERVAL_MS = 50;
/** A script may miss its deadline by this much before its thread is ended. */
const GRACE_MS = 250;
const START_TIMEOUT_MS = 30_000;

export interface ScriptThreadsOptions {
  readonly count: number;
  /** The module that a thread runs. */
  readonly entry: URL;
  /** Given to each thread; must survive structured cloning. */
  readonly data: Record<string, unknown>;
  readonly observe: Observe;
}

interface Job {
  readonly id: number;
  readonly work: ThreadWork;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly number: number;
  readonly worker: Worker;
  readonly shared: BigInt64Array;
  readonly jobs: Map<number, Job>;
  readonly ready: Promise<void>;
  alive: boolean;
}

/**
 * The threads in which everything runs that may run a script. Work goes to the thread with the least of it. A
 * watchdog ends a thread whose script ignores its deadline: its transactions roll back, the guilty request
 * fails, reads of others run again elsewhere, and a new thread takes its place.
 */
export class ScriptThreads implements Service {
  readonly name = 'script threads';
  readonly #options: ScriptThreadsOptions;
  #threads: Thread[] = [];
  #watch: NodeJS.Timeout | undefined;
  #nextJob = 1;
  #nextThread = 1;
  #stopping = false;

  constructor(options: ScriptThreadsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#threads.length > 0) return;
    this.#stopping = false;
    this.#threads = Array.from({ length: this.#options.count }, () => this.#spawn());
    await Promise.all(this.#threads.map((thread) => thread.ready));
    this.#watch = setInterval(() => this.#endStuckThreads(), WATCH_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#watch);
    await Promise.all(this.#threads.map(endGracefully));
    this.#threads = [];
  }

  /** Runs work in a thread. @throws ResourceError what the work failed with, or 503 when its thread died */
  run(work: ThreadWork): Promise<unknown> {
    const thread = this.#leastBusy();
    if (thread === undefined) {
      return Promise.reject(new ServiceUnavailableError('The server is stopping', { id: 'SERVER_STOPPING' }));
    }
    return new Promise((resolve, reject) => {
      const job = { id: this.#nextJob++, work, resolve, reject };
      this.#assign(thread, job);
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
            send(thread, { type: 'reload', id });
          }),
      ),
    );
  }

  get busy(): number {
    return this.#threads.reduce((sum, thread) => sum + thread.jobs.size, 0);
  }

  #leastBusy(): Thread | undefined {
    let best: Thread | undefined;
    for (const thread of this.#threads) {
      if (thread.alive && (best === undefined || thread.jobs.size < best.jobs.size)) best = thread;
    }
    return best;
  }

  #assign(thread: Thread, job: Job): void {
    thread.jobs.set(job.id, job);
    send(thread, { type: 'work', id: job.id, kind: job.work.kind, payload: job.work.payload });
  }

  #spawn(): Thread {
    const number = this.#nextThread++;
    const shared = new BigInt64Array(new SharedArrayBuffer(SHARED_WORDS * 8));
    const worker = new Worker(this.#options.entry, {
      name: `script-${number}`,
      workerData: { ...this.#options.data, thread: number, shared },
    });
    const thread: Thread = {
      number,
      worker,
      shared,
      jobs: new Map(),
      alive: true,
      ready: new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`Script thread ${number} did not start in ${START_TIMEOUT_MS} ms`)),
          START_TIMEOUT_MS,
        );
        const settle = (outcome: () => void) => {
          clearTimeout(timer);
          outcome();
        };
        worker.on('message', (message: FromThread) => {
          if (message.type === 'ready') settle(resolve);
        });
        worker.on('error', (error) => settle(() => reject(error)));
        worker.on('exit', (code) => settle(() => reject(new Error(`Script thread ended with code ${code}`))));
      }),
    };
    thread.ready.catch(() => undefined);
    worker.on('message', (message: FromThread) => this.#receive(thread, message));
    worker.on('error', (error) => this.#bury(thread, error.message));
    worker.on('exit', (code) => this.#bury(thread, `exit code ${code}`));
    this.#options.observe({ kind: 'script.threadStarted', thread: number });
    return thread;
  }

  #receive(thread: Thread, message: FromThread): void {
    if (message.type === 'observed') {
      this.#options.observe(message.observation);
    } else if (message.type === 'done' || message.type === 'failed') {
      const job = thread.jobs.get(message.id);
      thread.jobs.delete(message.id);
      if (message.type === 'done') job?.resolve(message.value);
      else job?.reject(toError(message.error));
    }
  }

  #endStuckThreads(): void {
    for (const thread of this.#threads) {
      const deadline = Number(Atomics.load(thread.shared, DEADLINE_WORD));
      if (deadline === 0 || Date.now() <= deadline + GRACE_MS || !thread.alive) continue;
      const guilty = Number(Atomics.load(thread.shared, WORK_WORD));
      const job = thread.jobs.get(guilty);
      thread.jobs.delete(guilty);
      job?.reject(
        new ResourceError(500, 'The script ran longer than it may and could not be interrupted', {
          id: 'SCRIPT_TIME_LIMIT',
          hint: 'It was inside one long native operation; work on smaller pieces',
        }),
      );
      this.#bury(thread, 'its script ignored the deadline');
      void thread.worker.terminate();
    }
  }

  /** Takes a dead thread out of service and gives its work away. */
  #bury(thread: Thread, reason: string): void {
    if (!thread.alive) return;
    thread.alive = false;
    if (this.#stopping) return;
    this.#options.observe({ kind: 'script.threadKilled', thread: thread.number, reason });
    const replacement = this.#spawn();
    this.#threads = this.#threads.map((other) => (other === thread ? replacement : other));
    for (const job of thread.jobs.values()) {
      if (job.work.repeatable) {
        this.#assign(replacement, job);
      } else {
        job.reject(
          new ServiceUnavailableError(
            'The script thread of this request died; its changes were rolled back',
            {
              id: 'SCRIPT_THREAD_DIED',
              hint: 'Try again',
            },
          ),
        );
      }
    }
    thread.jobs.clear();
  }
}

function send(thread: Thread, message: ToThread): void {
  thread.worker.postMessage(message);
}

async function endGracefully(thread: Thread): Promise<void> {
  const gone = new Promise<void>((resolve) => thread.worker.once('exit', () => resolve()));
  send(thread, { type: 'stop' });
  const timer = setTimeout(() => void thread.worker.terminate(), 5_000);
  await gone;
  clearTimeout(timer);
}

function toError({ cause, ...body }: { code: number; message: string; detail?: unknown; cause?: string }) {
  const error = fromErrorBody(body);
  if (cause !== undefined) error.cause = new Error(cause);
  return error;
}
