import { TooManyRequestsError } from '#errors/index.ts';

/** More of one caller than anybody who waits for an answer has under way. */
const MOST_WAITING = 100;

interface Line {
  busy: number;
  readonly waiting: (() => void)[];
}

/** What callers have the database do at once: nobody who asks for much in many requests keeps others from its connections. */
export class CallerTurns {
  readonly #mostAtOnce: number;
  readonly #lines = new Map<string, Line>();

  constructor(mostAtOnce: number) {
    this.#mostAtOnce = mostAtOnce;
  }

  /** @throws TooManyRequestsError `QUERY_TOO_MANY` when the caller has a hundred waiting already */
  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(caller) ?? { busy: 0, waiting: [] };
    this.#lines.set(caller, line);
    if (line.busy < this.#mostAtOnce) line.busy += 1;
    else await wait(line);
    try {
      return await work();
    } finally {
      const next = line.waiting.shift();
      if (next !== undefined) next();
      else line.busy -= 1;
      if (line.busy === 0) this.#lines.delete(caller);
    }
  }
}

function wait({ waiting }: Line): Promise<void> {
  if (waiting.length >= MOST_WAITING) {
    throw new TooManyRequestsError(`${MOST_WAITING} queries of yours are waiting already`, {
      id: 'QUERY_TOO_MANY',
      hint: 'Wait for the answers to some of them',
    });
  }
  return new Promise((resolve) => waiting.push(resolve));
}
