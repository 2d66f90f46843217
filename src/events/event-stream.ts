import type { EventBatch } from './event-repository.ts';
import type { ToldEvent } from './told-event.ts';
import type { Topic } from './topic.ts';

/** Bytes that may wait for one reader; a slower one is dropped. */
export const MOST_UNSENT_BYTES = 262_144;
/** Batches that may wait for the judgement about the ones before. */
const MOST_WAITING = 200;

const GAP = 'event: gap\ndata: {}\n\n';
const BEAT = ': still here\n';

/** What is left of events for a caller, and whether something may be missing. */
export interface Judged {
  readonly shown: readonly ToldEvent[];
  readonly isGap: boolean;
}

/** What a stream is written to, such as an answer over HTTP. */
export interface EventOutlet {
  once(event: 'close', listener: () => void): unknown;
  write(text: string): unknown;
  end(text: string): unknown;
  destroy(): unknown;
  /** What is written and has not been taken. */
  readonly writableLength: number;
}

export interface EventStreamOptions {
  readonly outgoing: EventOutlet;
  readonly topics: readonly Topic[];
  /** What of it the caller may know now. Rejects when the caller may not go on. */
  readonly judge: (events: readonly ToldEvent[], topics: readonly Topic[]) => Promise<Judged>;
  /** Whether the caller may have lost the right to go on by it. */
  readonly touchesCaller: (event: ToldEvent) => boolean;
  readonly onEnd: () => void;
}

/** One client that listens. It is told in order; one that reads too slowly is dropped, for what waits must not grow. */
export class EventStream {
  readonly #options: EventStreamOptions;
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #hasMissed = false;
  /** The last batch that it was handed, or began behind. */
  #at = 0;
  #isOver = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    options.outgoing.once('close', () => this.#end());
    options.outgoing.write('retry: 1000\n\n');
  }

  /** Says from where on it listens. */
  open(at: number, isGap: boolean): void {
    this.#at = at;
    if (isGap) this.#write(GAP);
    this.#write(`id: ${at}\nevent: open\ndata: {}\n\n`);
  }

  take(batch: EventBatch): void {
    if (this.#isOver || batch.id <= this.#at) return;
    this.#at = batch.id;
    const { topics, touchesCaller } = this.#options;
    const events = batch.events.filter((event) => topics.some((topic) => topic.fits(event)));
    if (events.length === 0 && !batch.is_gap && !batch.events.some(touchesCaller)) return;
    if (this.#waiting >= MOST_WAITING) {
      this.#hasMissed = true;
      return;
    }
    this.#waiting += 1;
    this.#turn = this.#turn.then(() => this.#tell(batch, events, ''));
  }

  /** Says that it lives, and where it is; who may not go on is told so. */
  beat(at: number): void {
    if (this.#isOver || this.#waiting > 0) return;
    this.#waiting += 1;
    this.#turn = this.#turn.then(() => this.#tell({ id: at, is_gap: false, events: [] }, [], BEAT));
  }

  /** The server stops, or the caller may not listen any more. */
  close(): void {
    if (!this.#isOver) this.#options.outgoing.end('event: end\ndata: {}\n\n');
    this.#end();
  }

  async #tell({ id, is_gap }: EventBatch, events: readonly ToldEvent[], beat: string): Promise<void> {
    this.#waiting -= 1;
    if (this.#isOver) return;
    try {
      const judged = await this.#options.judge(events, this.#options.topics);
      const isGap = is_gap || this.#hasMissed || judged.isGap;
      this.#hasMissed = false;
      const texts = judged.shown.map((event) => `event: change\ndata: ${JSON.stringify(nameOf(event))}\n\n`);
      this.#write(`${isGap ? GAP : ''}${texts.join('')}${beat}id: ${id}\n\n`);
    } catch {
      this.close();
    }
  }

  #write(text: string): void {
    const { outgoing } = this.#options;
    if (this.#isOver) return;
    outgoing.write(text);
    if (outgoing.writableLength <= MOST_UNSENT_BYTES) return;
    outgoing.destroy();
    this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onEnd();
  }
}

function nameOf({ topic, ...names }: ToldEvent): object {
  return { topic: topic.replace(/:.*$/, ''), ...names };
}
