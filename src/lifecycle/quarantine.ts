import { backoffMs } from './backoff.ts';

/**
 * Work that was under way at the end of its process this many times, the last time alone, is given up. From one time fewer
 * on it runs in quarantine.
 */
export const MAX_SUSPICIONS = 3;

/** How long the quarantine waits for what runs already; then the work runs beside it after all. */
const PATIENCE_MS = 10_000;
/** How long other work waits for the quarantined; then it begins beside what is not done yet. */
const LIMIT_MS = 5_000;

export interface QuarantineOptions {
  readonly patienceMs?: number;
  readonly limitMs?: number;
  /** Stores what runs alone before it begins, and null before others begin: a take-over reads there what was alone. */
  readonly mark?: (subject: string | null) => Promise<void>;
}

export interface Quarantined {
  /** Its name, as `mark` stores it. */
  readonly subject: string;
  /** Asked when its turn comes: it may have been cancelled meanwhile. */
  isWanted(): boolean;
  /** @param isAlone nothing else is under way; it may not stay so if it takes long */
  run(isAlone: boolean): Promise<void>;
}

/**
 * Runs one piece of suspect work of a process alone, so that nothing else can be the reason if the process ends. All other
 * work reports its beginning and end here, and does not begin while the quarantine is closed. Suspects run one after the
 * other; then the others have as much time as they had to wait.
 */
export class Quarantine {
  readonly #patienceMs: number;
  readonly #limitMs: number;
  readonly #mark: (subject: string | null) => Promise<void>;
  readonly #listeners: (() => void)[] = [];
  #underWay = 0;
  #closed = false;
  #subject: string | null = null;
  readonly #waiting: { work: Quarantined; run(isAlone: boolean): Promise<void> }[] = [];
  #isAtIt = false;
  #whenQuiet: (() => void) | undefined;

  constructor({ patienceMs = PATIENCE_MS, limitMs = LIMIT_MS, mark }: QuarantineOptions = {}) {
    this.#patienceMs = patienceMs;
    this.#limitMs = limitMs;
    this.#mark = mark ?? (async () => {});
  }

  /** Whether something may begin now. */
  get isOpen(): boolean {
    return !this.#closed;
  }

  /** The work that runs alone now. */
  get subject(): string | null {
    return this.#subject;
  }

  /** Calls back whenever work may begin again. */
  onOpen(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Reports that work begins now. @returns to be called once at its end */
  begin(): () => void {
    this.#underWay += 1;
    return () => {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#whenQuiet?.();
    };
  }

  /** Resolves when the work has run, or was not wanted any more. */
  alone(work: Quarantined): Promise<void> {
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

  /** Never gives up: a mark that is out of date would blame the wrong work. */
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

/** @returns whether the work ended in time */
async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const inTime = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}
