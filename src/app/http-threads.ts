import { urlOf } from '#http/index.ts';
import { backoffMs, type HealthPart, type Service } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Line } from '#thread/index.ts';
import { HTTP_THREAD, IS_UP, RUN_ENDED } from './http-line.ts';
import { HttpThread, type OpenHttpThread } from './http-thread.ts';
import type { HttpFoundation } from './thread-data.ts';

/** The pause between attempts to replace threads that die before they listen. */
const RESPAWN_FIRST_MS = 100;
const RESPAWN_LONGEST_MS = 5_000;

export interface HttpThreadsOptions {
  readonly count: number;
  readonly host: string;
  /** 0 takes any free port, which all of them have then. */
  readonly port: number;
  readonly entry: URL;
  readonly data: Record<string, unknown>;
  readonly observe: Observe;
  /** Answers what a thread asks of the node. */
  readonly serve: (line: Line) => void;
  /** Default: each is one of its own. */
  readonly open?: OpenHttpThread | undefined;
}

/**
 * The threads that listen for HTTP, all on one port: the kernel gives each connection to one of them. As a service they open last and
 * close first, all at once. One that dies takes its connections with it and is replaced.
 */
export class HttpThreads implements Service {
  readonly name = 'http threads';
  readonly drains = true;
  readonly #options: HttpThreadsOptions;
  #threads: readonly HttpThread[] = [];
  #foundation: HttpFoundation | undefined;
  #port: number;
  #nextThread = 1;
  #stillborn = 0;
  #isUp = false;
  #isStopping = false;
  #stopped: Promise<void> | undefined;
  readonly #respawns = new Set<NodeJS.Timeout>();

  constructor(options: HttpThreadsOptions) {
    this.#options = options;
    this.#port = options.port;
  }

  /** Begins to load them, while what they stand on is still made. */
  prepare(): void {
    this.#threads = Array.from({ length: this.#options.count }, () => this.#spawn());
  }

  /** What they stand on. */
  found(foundation: HttpFoundation): void {
    this.#foundation = foundation;
  }

  async start(): Promise<void> {
    const threads = this.#threads;
    await Promise.all(threads.map((thread) => thread.build(this.#known)));
    const [first, ...others] = threads;
    if (first !== undefined) this.#port = await first.listen(this.#port);
    await Promise.all(others.map((thread) => thread.listen(this.#port)));
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  get url(): string {
    return urlOf(this.#options.host, this.#port);
  }

  get size(): number {
    return this.#threads.filter(({ isWell }) => isWell).length;
  }

  get health(): HealthPart {
    const told = this.#threads.map(({ number, isWell, beatAgeMs }) => {
      const state = isWell ? 'up' : beatAgeMs === null ? 'starting' : `silent for ${beatAgeMs} ms`;
      return `thread ${number} ${state}`;
    });
    return {
      name: 'http',
      ok: this.size > 0,
      detail: told.length === 0 ? 'no thread is running' : told.join('; '),
    };
  }

  /** Says in all of them whether the node has started, and is not stopping. */
  note(isUp: boolean): void {
    this.#isUp = isUp;
    for (const { line } of this.#threads) line.tell(IS_UP, isUp);
  }

  /** Tells whoever waits there for a run of a process that one has ended. */
  runEnded(): void {
    for (const { line } of this.#threads) line.tell(RUN_ENDED, null);
  }

  /** Makes each of them read its configuration again; resolves when all have. */
  reload(): Promise<void> {
    return this.#askAll((line) => line.ask(HTTP_THREAD.reload, null));
  }

  /** Replaces a part of what they stand on, those to come, too; resolves when all have it. */
  replaceFoundation(part: Partial<HttpFoundation>): Promise<void> {
    if (this.#foundation !== undefined) this.#foundation = { ...this.#foundation, ...part };
    return this.#askAll((line) => line.ask(HTTP_THREAD.found, part));
  }

  get #known(): HttpFoundation {
    if (this.#foundation === undefined) throw new Error('HTTP threads have nothing to stand on');
    return this.#foundation;
  }

  async #askAll(ask: (line: Line) => Promise<void>): Promise<void> {
    await Promise.all(
      this.#threads.map(async (thread) => {
        try {
          await ask(thread.line);
        } catch (error) {
          // The thread in its place begins with what there is now.
          if (this.#threads.includes(thread)) throw error;
        }
      }),
    );
  }

  #spawn(): HttpThread {
    const { entry, data, open, observe, serve } = this.#options;
    const thread: HttpThread = new HttpThread({
      number: this.#nextThread++,
      entry,
      data,
      open,
      onDeath: (reason) => this.#bury(thread, reason),
    });
    serve(thread.line);
    thread.line.tell(IS_UP, this.#isUp);
    observe({ kind: 'http.threadStarted', thread: thread.number });
    return thread;
  }

  #bury(thread: HttpThread, reason: string): void {
    this.#threads = this.#threads.filter((other) => other !== thread);
    if (this.#isStopping) return;
    this.#options.observe({ kind: 'http.threadDied', thread: thread.number, reason });
    // Before all of them listen their death is that of the start.
    if (this.#isUp) this.#replace();
  }

  /** Replaces a thread at once, unless they keep dying before they listen. */
  #replace(): void {
    const pauseMs =
      this.#stillborn === 0 ? 0 : backoffMs(this.#stillborn, RESPAWN_FIRST_MS, RESPAWN_LONGEST_MS);
    this.#stillborn += 1;
    const timer = setTimeout(() => {
      this.#respawns.delete(timer);
      const thread = this.#spawn();
      this.#threads = [...this.#threads, thread];
      void thread
        .build(this.#known)
        .then(() => thread.listen(this.#port))
        .then(
          () => {
            this.#stillborn = 0;
          },
          // What cannot be built or cannot listen is of no use; its end has it replaced.
          () => thread.end(),
        );
    }, pauseMs);
    this.#respawns.add(timer);
  }

  async #end(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#respawns) clearTimeout(timer);
    await Promise.all(this.#threads.map((thread) => thread.end()));
    this.#threads = [];
  }
}
