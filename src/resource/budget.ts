import { PayloadTooLargeError, ResourceError } from '#errors/index.ts';
import { type JsonSize, type JsonValue, sizeOf } from '#json/index.ts';

/**
 * What one request may cost, with all that it causes: the requests that its scripts make are paid from the same purse.
 * What runs on a schedule, and each step of a process, has a purse of its own, which is a hundred times as full.
 */
export const REQUEST_ALLOWANCE = {
  /** Operations of patches. */
  operations: 10_000,
  /** JSON values that patches look at, copy and compare, and that are shown of what references lead to. */
  nodes: 10_000_000,
  /** What is read of the objects that somebody asks about what they may do with, in bytes. */
  judgedBytes: 16_777_216,
  /** References that are written, or sent back as they are. */
  references: 10_000,
  /** Calls of scripts to what is outside of their sandbox: requests, encryption, lines of the log. */
  hostCalls: 50_000,
  /** Statements inside its transaction. */
  statements: 100_000,
  /** Milliseconds for which its patches keep a thread from everything else: work, however long a busy machine takes for it. */
  busyMs: 5_000,
} as const;

export type Expense = keyof typeof REQUEST_ALLOWANCE;
export type Allowance = Readonly<Record<Expense, number>>;

const RUN_FACTOR = 100;

/** Everything that is not a request from outside. */
export const RUN_ALLOWANCE = Object.fromEntries(
  Object.entries(REQUEST_ALLOWANCE).map(([expense, amount]) => [expense, amount * RUN_FACTOR]),
) as unknown as Allowance;

/** What an expense is called, and whether it is what was sent that is too much, or what that led to. */
const SAID: Readonly<Record<Expense, { readonly words: string; readonly isSent: boolean }>> = {
  operations: { words: 'patch operations', isSent: true },
  nodes: { words: 'JSON values to look at', isSent: true },
  judgedBytes: { words: 'bytes of the objects that it asks about', isSent: true },
  references: { words: 'references in what is written', isSent: true },
  hostCalls: { words: 'calls of scripts to the server', isSent: false },
  statements: { words: 'database statements', isSent: false },
  busyMs: { words: 'milliseconds of patching', isSent: false },
};

const nothing = (): Record<Expense, number> => ({
  operations: 0,
  nodes: 0,
  judgedBytes: 0,
  references: 0,
  hostCalls: 0,
  statements: 0,
  busyMs: 0,
});

/** A thread has other things to do, too: longer work goes on after them. */
const STRETCH_MS = 15;

/** The purse of one request. Once something has been refused for lack of it, everything of its kind is. */
export class Budget {
  #allowance: Allowance;
  #spent = nothing();

  constructor(allowance: Allowance = REQUEST_ALLOWANCE) {
    this.#allowance = allowance;
  }

  /** @throws ResourceError 413 or 422 `BUDGET_SPENT` with the number when there is not as much left */
  spend(expense: Expense, amount = 1): void {
    this.#spent[expense] += amount;
    if (this.#spent[expense] > this.#allowance[expense]) throw spentError(expense, this.#allowance[expense]);
  }

  /** Pays for a look at all of a value, which costs as much as to copy it. */
  measure(value: JsonValue): JsonSize {
    const size = sizeOf(value, this.#allowance.nodes - this.#spent.nodes + 1);
    this.spend('nodes', size.nodes);
    return size;
  }

  /** What has been spent so far, for `rewind`. */
  get spent(): Readonly<Record<Expense, number>> {
    return { ...this.#spent };
  }

  /** Work that is undone and runs again is paid for once. */
  rewind(spent: Readonly<Record<Expense, number>>): void {
    this.#spent = { ...spent };
  }

  /** For work that is a run's: it may cost what a run may, and takes nothing from the request. */
  async asRun<T>(work: () => Promise<T>): Promise<T> {
    const [allowance, spent] = [this.#allowance, this.#spent];
    this.#allowance = RUN_ALLOWANCE;
    this.#spent = nothing();
    try {
      return await work();
    } finally {
      this.#allowance = allowance;
      this.#spent = spent;
    }
  }

  /** For the loops of patches: as `breathing`, and pays for the work. */
  stretch(): () => Promise<void> | undefined {
    // What the thread has worked is asked when there is a second look: most patches have but one operation, which takes less than to ask.
    let looks = 0;
    let worked = 0;
    const begin = () => {
      worked = threadMs();
    };
    const breathe = breathing(() => this.spend('busyMs', threadMs() - worked), begin);
    return () => {
      looks += 1;
      if (looks < 2) return undefined;
      if (looks === 2) begin();
      return breathe();
    };
  }
}

/**
 * For loops: now and then lets the thread do something else. There is nothing to wait for most of the time.
 *
 * @param onEnd a stretch has been worked
 * @param onBegin the next one begins
 */
export function breathing(onEnd = () => {}, onBegin = () => {}): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < STRETCH_MS) return undefined;
    onEnd();
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now();
        onBegin();
        resolve();
      }),
    );
  };
}

/** The same of each, in turns with all else that the thread has to do. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  of: (item: Item) => Result,
): Promise<readonly Result[]> {
  const breathe = breathing();
  const results: Result[] = [];
  for (const item of items) {
    results.push(of(item));
    const pause = breathe();
    if (pause !== undefined) await pause;
  }
  return results;
}

/** What this thread has worked so far. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function spentError(expense: Expense, allowed: number): ResourceError {
  const { words, isSent } = SAID[expense];
  const message = `The request takes more than ${allowed} ${words}`;
  const facts = {
    id: 'BUDGET_SPENT',
    hint: isSent ? 'Send less at once' : 'Do less in one request, such as by pages, or on a schedule',
    detail: { expense, allowed },
  };
  return isSent ? new PayloadTooLargeError(message, facts) : new ResourceError(422, message, facts);
}
