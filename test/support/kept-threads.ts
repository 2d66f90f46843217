import { EventEmitter } from 'node:events';
import { MessageChannel, SHARE_ENV, Worker, type WorkerOptions } from 'node:worker_threads';
import type { OpenThread } from '#script/index.ts';

/** What its thread says when it is there for the next node. */
export const FREE = 'free';

const ENTRY = new URL('kept-thread.ts', import.meta.url);
/** As many as most files have servers at once: each takes some 60 MB. */
const MOST_KEPT = 2;
const kept: Worker[] = [];

/**
 * A script thread that outlives its node: the next server of this process goes on with it, and need not load and warm up the
 * product for it again. One that was ended by force is not kept, nor one that still had work.
 */
export const openKeptThread: OpenThread = (_entry, options) => new KeptThread(options);

class KeptThread extends EventEmitter {
  readonly #worker: Worker;
  readonly #onError = (error: unknown) => this.emit('error', error);
  readonly #onExit = (code: number) => this.emit('exit', code);
  readonly #port;

  constructor({ workerData, transferList = [], resourceLimits = {} }: WorkerOptions) {
    super();
    // It sees the variables of the environment as they are, and not as they were when it began.
    this.#worker = kept.pop() ?? new Worker(ENTRY, { resourceLimits, env: SHARE_ENV });
    this.#worker.ref();
    this.#worker.on('error', this.#onError);
    this.#worker.on('exit', this.#onExit);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on('message', (message) => {
      if (message === FREE) this.#keep();
      else this.emit('message', message);
    });
    this.#worker.postMessage({ data: workerData, port: port2 }, [port2, ...transferList]);
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message);
  }

  terminate(): Promise<number> {
    return this.#worker.terminate();
  }

  #keep(): void {
    this.#worker.off('error', this.#onError);
    this.#worker.off('exit', this.#onExit);
    this.#port.close();
    this.#worker.unref();
    if (kept.length < MOST_KEPT) kept.push(this.#worker);
    else void this.#worker.terminate();
    this.emit('exit', 0);
  }
}
