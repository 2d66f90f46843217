import { createLogSink } from './log-sink.ts';
import type { Observe } from './observation.ts';

const MOST_LINES = 10_000;
const MOST_CHARACTERS = 8_388_608;

/** The last lines of the log from `info` on, as they are written there: with what is hidden, and without what repeats. */
export class LogRing {
  readonly observe: Observe;
  readonly #lines: { readonly number: number; readonly text: string }[] = [];
  #characters = 0;
  #count = 0;

  constructor(nodeId: string) {
    const sink = createLogSink({
      level: 'info',
      nodeId,
      pretty: false,
      destination: { write: (line) => this.#add(line) },
    });
    this.observe = (said) => {
      // Its line has a password, which is shown once.
      if (said.kind !== 'admin.created') sink.observe(said);
    };
  }

  /** JSON, the oldest first; numbers go on from the start of the node. */
  get lines(): readonly { readonly number: number; readonly text: string }[] {
    return this.#lines;
  }

  #add(text: string): void {
    this.#lines.push({ number: ++this.#count, text });
    this.#characters += text.length;
    while (this.#lines.length > MOST_LINES || this.#characters > MOST_CHARACTERS) {
      this.#characters -= this.#lines.shift()?.text.length ?? 0;
    }
  }
}
