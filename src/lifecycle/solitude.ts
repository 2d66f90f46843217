import { backoffMs } from './backoff.ts';

/** What may have been why its process ended so often, the last time alone, is given up. One before, it is tried alone. */
export const MAX_SUSPICIONS = 3;

/** What runs already is waited for so long; then something is done in company after all. */
const PATIENCE_MS = 10_000;
/** Others wait so long for what is done alone; then they begin beside what is not done yet. */
const LIMIT_MS = 5_000;

export interface SolitudeOptions {
  readonly patienceMs?: number;
  readonly limitMs?: number;
  /** Told of what is done alone before it begins, and with null before others begin: who looks for causes reads it. */
  readonly mark?: (subject: string | null) => Promise<void>;
}

export interface Secluded {
  /** What it is called where causes are looked for. */
  readonly subject: string;
  /** Asked when its turn comes. */
  isWanted(): boolean;
  /** @param isAlone nothing else is under way; it may not stay so if it takes long */
  run(isAlone: boolean): Promise<void>;
}

/**
 * How one thing of a process is done alone, so that nothing else can be why the process ended with it. Whoever begins
 * something tells so, and begins nothing while it is closed. What waits is done alone one after the other; then others
 * have as much time as they had to wait.
 */
export class Solitude {
  readonly #patienceMs: number;
  readonly #limitMs: number;
  readonly #mark: (subject: string | null) => Promise<void>;
  readonly #listeners: (() => void)[] = [];
  #underWay = 0;
  #closed = false;
  #subject: string | null = null;
  readonly #waiting: { work: Secluded; run(isAlone: boolean): Promise<void> }[] = [];
  #isAtIt = false;
  #whenQuiet: (() => void) | undefined;

  constructor({ patienceMs = PATIENCE_MS, limitMs = LIMIT_MS, mark }: SolitudeOptions = {}) {
    this.#patienceMs = patienceMs;
    this.#limitMs = limitMs;
    this.#mark = mark ?? (async () => {});
  }

  /** Whether something may begin now. */
  get isOpen(): boolean {
    return !this.#closed;
  }

  /** What is done alone now. */
  get subject(): string | null {
    return this.#subject;
  }

  /** To be told when something may begin again. */
  onOpen(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Something begins now. @returns what is to be called once at its end */
  begin(): () => void {
    this.#underWay += 1;
    return () => {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#whenQuiet?.();
    };
  }

  /** @returns at the end of what was done */
  alone(work: Secluded): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({
      work,
      async run(isAlone) {
        if (work.isWanted()) await work.run(isAlone).then(resolve, reject);
        else resolve();
      },
    });
    if (!this.#isAtIt) void this.#doAll();
    return promise;
  }

  async #doAll(): Promise<void> {
    this.#isAtIt = true;
    while (this.#waiting.length > 0) {
      if (this.#waiting.every(({ work }) => !work.isWanted())) {
        for (const { run } of this.#waiting.splice(0)) void run(false);
        break;
      }
      const closedAt = performance.now();
      this.#closed = true;
      if (await this.#isQuiet()) await this.#doAlone(performance.now() + this.#limitMs);
      else for (const { run } of this.#waiting.splice(0)) void run(false);
      this.#closed = false;
      for (const listener of this.#listeners) listener();
      await new Promise((resolve) => setTimeout(resolve, performance.now() - closedAt).unref());
    }
    this.#isAtIt = false;
  }

  async #doAlone(until: number): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#call(next.work.subject);
      const hasEnded = await within(next.run(true), until - performance.now());
      if (!hasEnded || performance.now() > until) break;
    }
    await this.#call(null);
  }

  /** Nobody may take for alone what is not, so this does not give up. */
  async #call(subject: string | null): Promise<void> {
    this.#subject = subject;
    for (let failures = 1; ; failures++) {
      try {
        return await this.#mark(subject);
      } catch {
        // A node that stops does not wait for a database that is away.
        await new Promise((resolve) => setTimeout(resolve, backoffMs(failures, 50, 2_000)).unref());
      }
    }
  }

  async #isQuiet(): Promise<boolean> {
    if (this.#underWay === 0) return true;
    const quiet = new Promise<void>((resolve) => {
      this.#whenQuiet = resolve;
    });
    return within(quiet, this.#patienceMs);
  }
}

/** @returns whether it ended before */
async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const inTime = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}
