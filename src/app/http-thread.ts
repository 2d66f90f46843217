import { Worker, type WorkerOptions } from 'node:worker_threads';
import { ServiceUnavailableError } from '#errors/index.ts';
import { type Line, type LinePort, openLine } from '#thread/index.ts';
import { monotonicMs } from '#time/index.ts';
import { BEATEN, HTTP_THREAD } from './http-line.ts';
import type { HttpFoundation } from './thread-data.ts';

/** A thread whose loop has not turned for so long is not well. */
const BEAT_LIMIT_MS = 5_000;
/** What is under way when the node stops has 30 s there; a thread that is not over behind that is ended. */
const STOP_MS = 40_000;

/** The part of a `Worker` that is used. */
interface Thread extends LinePort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
  once(event: 'exit', listener: () => void): unknown;
  terminate(): Promise<number>;
}

export type OpenHttpThread = (entry: URL, options: WorkerOptions) => Thread;

export interface HttpThreadOptions {
  readonly number: number;
  readonly entry: URL;
  readonly data: Record<string, unknown>;
  readonly open?: OpenHttpThread | undefined;
  readonly onDeath: (reason: string) => void;
}

/** One HTTP thread from the outside. */
export class HttpThread {
  readonly number: number;
  readonly line: Line;
  readonly #worker: Thread;
  #beatAt: number | undefined;
  #isAlive = true;
  #isListening = false;

  constructor({ number, entry, data, open = openThread, onDeath }: HttpThreadOptions) {
    this.number = number;
    this.#worker = open(entry, { name: `http-${number}`, workerData: data });
    this.line = openLine(this.#worker);
    this.line.hear(BEATEN, () => {
      this.#beatAt = monotonicMs();
    });
    const die = (reason: string) => {
      if (!this.#isAlive) return;
      this.#isAlive = false;
      this.line.close(
        () => new ServiceUnavailableError('The HTTP thread has gone', { id: 'HTTP_THREAD_GONE' }),
      );
      onDeath(reason);
    };
    this.#worker.on('error', (error) => die(error.message));
    this.#worker.on('exit', (code) => die(`exit code ${code}`));
  }

  get isListening(): boolean {
    return this.#isListening && this.#isAlive;
  }

  /** Ms since its loop was seen to turn; null before that. */
  get beatAgeMs(): number | null {
    return this.#beatAt === undefined ? null : Math.round(monotonicMs() - this.#beatAt);
  }

  get isWell(): boolean {
    return this.isListening && (this.beatAgeMs ?? 0) < BEAT_LIMIT_MS;
  }

  build(foundation: HttpFoundation): Promise<void> {
    return this.line.ask(HTTP_THREAD.build, foundation);
  }

  /** @returns the port that it has */
  async listen(port: number): Promise<number> {
    const taken = await this.line.ask(HTTP_THREAD.listen, port);
    this.#isListening = true;
    return taken;
  }

  /** Resolves when it has gone. One that has not begun has nothing to finish. */
  async end(): Promise<void> {
    if (!this.#isAlive) return;
    const gone = new Promise<void>((resolve) => this.#worker.once('exit', () => resolve()));
    const timer = setTimeout(() => void this.#worker.terminate(), STOP_MS);
    if (this.#isListening) {
      // It fails where the thread dies meanwhile.
      await this.line.ask(HTTP_THREAD.drain, null).catch(() => undefined);
      void this.line.ask(HTTP_THREAD.stop, null).catch(() => undefined);
    } else void this.#worker.terminate();
    await gone;
    clearTimeout(timer);
  }
}

function openThread(entry: URL, options: WorkerOptions): Thread {
  return new Worker(entry, options);
}
