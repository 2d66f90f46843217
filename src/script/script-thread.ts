import { MessageChannel, type MessagePort, Worker, type WorkerOptions } from 'node:worker_threads';
import { toMessage } from '#thread/index.ts';
import { monotonicMs } from '#time/index.ts';
import type { EngineModule } from './javascript/index.ts';
import {
  BEAT_WORD,
  DEADLINE_WORD,
  type FromThread,
  makeOffer,
  roomWord,
  SANDBOX_WORD,
  SCRIPT_WORD,
  SHARED_WORDS,
  type ThreadWork,
  type ToThread,
  TURN_WORD,
  takeOffer,
  WORK_WORD,
} from './thread-protocol.ts';

/** On a machine that has far too much to do a start takes long; to give up and begin anew would only add to it. */
const START_TIMEOUT_MS = 120_000;
/** A thread whose loop has not turned for so long is not well. */
const BEAT_LIMIT_MS = 5_000;
/**
 * Requests of one caller in a thread at a time: scripts there take turns at each call of the server, and one with many calls
 * would wait for all of theirs each time. As many keep the thread busy.
 */
const MOST_OF_CALLER = 8;
/** The engine as the first thread of this process has compiled it. */
let engine: EngineModule | undefined;

export interface Job {
  readonly id: number;
  /** When it came, by `monotonicMs`. */
  readonly since: number;
  readonly work: ThreadWork;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface ThreadHealth {
  readonly thread: number;
  readonly ok: boolean;
  /** Requests inside it. */
  readonly busy: number;
  /** Ms since its event loop last turned; null before it is ready. */
  readonly beatAgeMs: number | null;
}

/** The part of a `Worker` that is used. */
interface Thread {
  on(event: 'message', listener: (message: FromThread) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
  once(event: 'exit', listener: () => void): unknown;
  postMessage(message: ToThread): void;
  terminate(): Promise<number>;
}
export type OpenThread = (entry: URL, options: WorkerOptions) => Thread;

export interface ScriptThreadOptions {
  readonly number: number;
  readonly entry: URL;
  readonly data: Record<string, unknown>;
  readonly open?: OpenThread | undefined;
  readonly onMessage: (message: FromThread) => void;
  readonly onDeath: (reason: string) => void;
}

/** One thread from the outside: its work under way, and what the memory that it shares tells of it. */
export class ScriptThread {
  readonly number: number;
  readonly jobs = new Map<number, Job>();
  /** What it was offered last, by job, and how to listen no more to whoever may end that. */
  readonly #offers = new Map<number, { readonly offer: number; readonly unlisten: () => void }>();
  #lastOffer = 0;
  /** The names of its scripts, by the numbers that it gave them. */
  readonly scriptNames = new Map<number, string>();
  /** Rejects when it dies first. */
  readonly ready: Promise<void>;
  alive = true;
  readonly #worker: Thread;
  readonly #foundation: MessagePort;
  readonly #shared = new BigInt64Array(new SharedArrayBuffer(SHARED_WORDS * 8));
  #isReady = false;
  #giveUp: (error: Error) => void = () => {};
  #startTimer: NodeJS.Timeout | undefined;
  /** When it last had work, by `monotonicMs`. */
  #workedAt = 0;
  /** How often scripts had let go at the last look; as often at the next one means that one does not let go. */
  #lastTurn = -1n;
  #isHeld = false;
  #heldSince = 0;

  constructor({ number, entry, data, open = openThread, onMessage, onDeath }: ScriptThreadOptions) {
    this.number = number;
    const { port1, port2 } = new MessageChannel();
    this.#foundation = port1;
    this.#worker = open(entry, {
      name: `script-${number}`,
      // What scripts hand to the host lives in the thread's heap; the node outlives it.
      // A larger young generation costs each thread 40 MB and saves no time.
      resourceLimits: { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 24 },
      workerData: { ...data, engine, thread: number, shared: this.#shared, foundation: port2 },
      transferList: [port2],
    });
    this.ready = this.#becomeReady();
    this.ready.catch(() => undefined);
    this.#worker.on('message', onMessage);
    this.#worker.on('error', (error) => onDeath(error.message));
    this.#worker.on('exit', (code) => onDeath(`exit code ${code}`));
  }

  /** Gives it what it stands on; until then it loads what needs none of that, however long it takes to come. */
  found(foundation: Record<string, unknown>): void {
    this.#foundation.postMessage(foundation);
    this.#foundation.close();
    this.#startTimer = setTimeout(
      () => this.#giveUp(new Error(`Script thread ${this.number} did not start in ${START_TIMEOUT_MS} ms`)),
      START_TIMEOUT_MS,
    );
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Whether work that is given to it would begin at once, or nearly so. */
  get isOpen(): boolean {
    return this.#isReady && this.alive && !this.#isHeld;
  }

  /** Whether one more piece of work of that caller may come in beside what it has here. */
  hasRoom(caller: string | undefined): boolean {
    if (caller === undefined || this.jobs.size < MOST_OF_CALLER) return true;
    let count = 0;
    for (const { work } of this.jobs.values()) if (work.caller === caller) count += 1;
    return count < MOST_OF_CALLER;
  }

  get health(): ThreadHealth {
    const beatAt = Number(Atomics.load(this.#shared, BEAT_WORD));
    const beatAgeMs = beatAt === 0 ? null : Math.round(monotonicMs() - beatAt);
    const ok = this.#isReady && this.alive && beatAgeMs !== null && beatAgeMs < BEAT_LIMIT_MS;
    return { thread: this.number, ok, busy: this.jobs.size, beatAgeMs };
  }

  /** For how long it has had no work; 0 while it has some. */
  idleMs(now: number): number {
    return this.jobs.size > 0 ? 0 : now - this.#workedAt;
  }

  /** Sandboxes that are in use, as the thread said at its last beat. */
  get sandboxes(): number {
    return Number(Atomics.load(this.#shared, SANDBOX_WORD));
  }

  send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  /** Tells it whom a piece of its work is for now. */
  async tell(id: number): Promise<void> {
    try {
      const renew = this.jobs.get(id)?.work.renew;
      if (renew === undefined) throw new Error(`Work ${id} is for nobody who could be asked for`);
      this.send({ type: 'told', id, value: await renew() });
    } catch (error) {
      this.send({ type: 'told', id, error: toMessage(error) });
    }
  }

  /** @returns false when so much is offered to it already that it would have to wait */
  offer(job: Job): boolean {
    const { kind, payload, signal } = job.work;
    const { id } = job;
    const offer = this.#lastOffer + 1;
    if (!makeOffer(this.#shared, offer)) return false;
    this.#lastOffer = offer;
    this.jobs.set(id, job);
    this.send({ type: 'work', id, offer, kind: kind.name, payload, abortable: signal !== undefined });
    const abort = () => {
      if (this.jobs.has(id)) this.send({ type: 'abort', id, reason: String(signal?.reason) });
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    this.#offers.set(id, { offer, unlisten: () => signal?.removeEventListener('abort', abort) });
    return true;
  }

  /** Takes back what it has not begun, in the order in which it was offered. */
  takeBack(): readonly Job[] {
    const back = [...this.jobs.values()].filter(({ id }) => {
      const offered = this.#offers.get(id);
      return offered !== undefined && takeOffer(this.#shared, offered.offer);
    });
    for (const { id } of back) this.forget(id);
    return back;
  }

  forget(id: number): Job | undefined {
    const job = this.jobs.get(id);
    this.jobs.delete(id);
    this.#workedAt = monotonicMs();
    this.#offers.get(id)?.unlisten();
    this.#offers.delete(id);
    return job;
  }

  /** The job and the script that is past its deadline by more than `graceMs`; undefined while all is well. */
  findOverdue(graceMs: number): { job: number; script: string | undefined } | undefined {
    const deadline = Atomics.load(this.#shared, DEADLINE_WORD);
    const turn = Atomics.load(this.#shared, TURN_WORD);
    const wasHeld = this.#isHeld;
    this.#isHeld = deadline !== 0n && turn === this.#lastTurn;
    if (this.#isHeld && !wasHeld) this.#heldSince = monotonicMs();
    // While no script runs, the next one has yet to be seen for the first time.
    this.#lastTurn = deadline === 0n ? -1n : turn;
    if (deadline === 0n || monotonicMs() <= Number(deadline) + graceMs) return undefined;
    const script = this.scriptNames.get(Number(Atomics.load(this.#shared, SCRIPT_WORD)));
    return { job: Number(Atomics.load(this.#shared, WORK_WORD)), script };
  }

  /** The job whose script has not let go of the thread for so long. */
  heldFor(ms: number): Job | undefined {
    if (!this.#isHeld || monotonicMs() - this.#heldSince < ms) return undefined;
    return this.jobs.get(Number(Atomics.load(this.#shared, WORK_WORD)));
  }

  /** Work that has begun no script yet begins none, and fails. */
  withdraw({ id }: Job): void {
    Atomics.store(this.#shared, roomWord(id), BigInt(id));
  }

  /** Asks it to stop, and ends it when it does not. One that is not ready has nothing to finish. */
  async end(): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#worker.once('exit', () => resolve()));
    if (this.#isReady) this.send({ type: 'stop' });
    else this.kill();
    const timer = setTimeout(() => this.kill(), 5_000);
    await gone;
    clearTimeout(timer);
  }

  kill(): void {
    void this.#worker.terminate();
  }

  #becomeReady(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#giveUp = reject;
    this.#worker.on('message', (message: FromThread) => {
      if (message.type !== 'ready') return;
      engine ??= message.engine;
      this.#isReady = true;
      this.#workedAt = monotonicMs();
      resolve();
    });
    this.#worker.on('error', reject);
    this.#worker.on('exit', (code) => reject(new Error(`Script thread ended with code ${code}`)));
    return promise.finally(() => clearTimeout(this.#startTimer));
  }
}

function openThread(entry: URL, options: WorkerOptions): Thread {
  return new Worker(entry, options);
}
