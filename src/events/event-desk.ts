import { EventEmitter } from 'node:events';
import type { SecurityContext } from '#resource/index.ts';
import { type Line, news, question } from '#thread/index.ts';
import { type EventOutlet, MOST_UNSENT_BYTES } from './event-stream.ts';
import type { EventCaller } from './event-streams.ts';

/** A caller who wants to listen, to topics as they are written. */
export type Listening = Omit<EventCaller, 'topics'> & { readonly topics: string };

/** Where streams of events are begun. */
export interface EventDesk {
  /** @returns what begins the stream, once its answer has been */
  admit(listening: Listening): Promise<(outgoing: EventOutlet) => void>;
}

const ADMIT = question<{ readonly id: number } & Omit<Listening, 'identify'>, void>('admit a stream');
const IDENTIFY = question<number, SecurityContext>('who listens');
const BEGUN = news<number>('a stream has begun');
const TOLD = news<{ readonly id: number; readonly text: string; readonly isLast: boolean }>(
  'a stream is told',
);
const TAKEN = news<{ readonly id: number; readonly length: number }>('a stream has taken');
const CUT = news<number>('a stream is cut');
const CLOSED = news<number>('a stream is closed');

/** Streams are those of another thread; here their text is passed on. */
export function distantEventDesk(line: Line): EventDesk {
  const listening = new Map<number, Listening>();
  const outlets = new Map<number, EventOutlet>();
  let next = 1;
  line.answer(IDENTIFY, (id) => {
    const caller = listening.get(id);
    if (caller === undefined) throw new Error(`Nobody listens by the number ${id}`);
    return caller.identify();
  });
  line.hear(TOLD, ({ id, text, isLast }) => {
    const outlet = outlets.get(id);
    if (isLast) outlet?.end(text);
    else outlet?.write(text);
    line.tell(TAKEN, { id, length: text.length });
    // The other thread knows of what is on its way to here, and we of what is on its way from here.
    if (outlet !== undefined && outlet.writableLength > MOST_UNSENT_BYTES) outlet.destroy();
  });
  line.hear(CUT, (id) => void outlets.get(id)?.destroy());
  return {
    async admit(caller) {
      const id = next++;
      listening.set(id, caller);
      const { identify: _, ...asked } = caller;
      try {
        await line.ask(ADMIT, { id, ...asked });
      } catch (error) {
        listening.delete(id);
        throw error;
      }
      return (outgoing) => {
        outlets.set(id, outgoing);
        outgoing.once('close', () => {
          outlets.delete(id);
          listening.delete(id);
          line.tell(CLOSED, id);
        });
        line.tell(BEGUN, id);
      };
    },
  };
}

/** Begins streams here for those who listen by another thread. */
export function serveEventDesk(line: Line, desk: EventDesk): void {
  const admitted = new Map<number, (outgoing: EventOutlet) => void>();
  const outlets = new Map<number, DistantOutlet>();
  const close = (id: number) => {
    admitted.delete(id);
    outlets.get(id)?.emit('close');
    outlets.delete(id);
  };
  line.answer(ADMIT, async ({ id, ...caller }) => {
    admitted.set(id, await desk.admit({ ...caller, identify: () => line.ask(IDENTIFY, id) }));
  });
  line.hear(BEGUN, (id) => {
    const begin = admitted.get(id);
    admitted.delete(id);
    const outlet = new DistantOutlet(line, id);
    outlets.set(id, outlet);
    begin?.(outlet);
  });
  line.hear(TAKEN, ({ id, length }) => outlets.get(id)?.take(length));
  line.hear(CLOSED, close);
  line.onClose(() => {
    admitted.clear();
    for (const id of [...outlets.keys()]) close(id);
  });
}

/** An answer that another thread writes. */
class DistantOutlet extends EventEmitter<{ close: [] }> implements EventOutlet {
  readonly #line: Line;
  readonly #id: number;
  #onItsWay = 0;

  constructor(line: Line, id: number) {
    super();
    this.#line = line;
    this.#id = id;
  }

  get writableLength(): number {
    return this.#onItsWay;
  }

  write(text: string): void {
    this.#tell(text, false);
  }

  end(text: string): void {
    this.#tell(text, true);
  }

  destroy(): void {
    this.#line.tell(CUT, this.#id);
  }

  take(length: number): void {
    this.#onItsWay -= length;
  }

  #tell(text: string, isLast: boolean): void {
    this.#onItsWay += text.length;
    this.#line.tell(TOLD, { id: this.#id, text, isLast });
  }
}
