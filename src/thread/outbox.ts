import type { Observation, Observe } from '#observability/index.ts';

/** So many observations go in one message: what waits must not grow while a turn of the loop takes long. */
const MOST_TOGETHER = 500;

/**
 * What a thread sends to another. Observations are gathered until the turn of the loop ends, or until something else is sent,
 * which arrives behind them: a message costs more than what it says.
 */
export class Outbox {
  readonly #send: (message: unknown) => void;
  readonly #tell: (observations: readonly Observation[]) => unknown;
  #gathered: Observation[] = [];
  #flushing: NodeJS.Immediate | undefined;

  /** @param tell the message that observations are */
  constructor(
    port: { postMessage(message: unknown): void },
    tell: (observations: readonly Observation[]) => unknown,
  ) {
    this.#send = (message) => port.postMessage(message);
    this.#tell = tell;
  }

  postMessage(message: unknown): void {
    this.flush();
    this.#send(message);
  }

  readonly observe: Observe = (observation) => {
    this.#gathered.push(plain(observation));
    if (this.#gathered.length >= MOST_TOGETHER) this.flush();
    else this.#flushing ??= setImmediate(() => this.flush());
  };

  /** Sends what is gathered. Before anything that may keep this thread from doing so later. */
  flush(): void {
    if (this.#flushing === undefined) return;
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    const told = this.#gathered;
    this.#gathered = [];
    this.#send(this.#tell(told));
  }
}

/** The observation in a form that can be sent. */
function plain(observation: Observation): Observation {
  const copy = { ...observation };
  for (const [key, value] of Object.entries(copy))
    if (value instanceof Error) Object.assign(copy, { [key]: flatten(value) });
  return copy;
}

function flatten(error: Error): Error {
  const copy = new Error(error.message);
  if (error.stack !== undefined) copy.stack = error.stack;
  return copy;
}
