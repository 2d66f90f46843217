import { EventEmitter } from 'node:events';
import { type Line, news, question } from '#thread/index.ts';
import { type BodyPlace, type BodyRoom, ReadingTurns } from './body-room.ts';
import type { Leaving, UnsentAnswers } from './unsent-answers.ts';

/** The bounds of what a node holds for its clients: one room for bodies, one account of what is on its way to them. */
export interface Bounds {
  readonly bodies: Pick<BodyRoom, 'enter'>;
  readonly unsent: Pick<UnsentAnswers, 'add'>;
}

const ENTER = question<{ readonly id: number; readonly caller: string; readonly bytes: number }, void>(
  'a body',
);
const ARRIVED = news<{ readonly id: number; readonly bytes: number }>('more of a body');
const WHOLE = news<number>('a whole body');
const NARROW = news<{ readonly id: number; readonly bytes: number }>('how long a body is');
const LEFT = news<number>('a body has gone');
const GIVEN_UP = news<number>('a body is given up');
const LEAVING = news<{ readonly id: number; readonly caller: string; readonly bytes: number }>('an answer');
const TAKEN = news<number>('an answer was taken');
const CUT = news<number>('an answer is cut');

/** The bounds that another thread keeps. */
export function distantBounds(line: Line): Bounds {
  const turns = new ReadingTurns();
  const givingUp = new Map<number, () => void>();
  const leaving = new Map<number, Leaving>();
  let next = 1;
  line.hear(GIVEN_UP, (id) => givingUp.get(id)?.());
  line.hear(CUT, (id) => void leaving.get(id)?.destroy());
  return {
    bodies: {
      async enter(caller, bytes, giveUp): Promise<BodyPlace> {
        const id = next++;
        givingUp.set(id, giveUp);
        try {
          await line.ask(ENTER, { id, caller, bytes });
        } catch (error) {
          givingUp.delete(id);
          throw error;
        }
        return {
          arrived: (more) => line.tell(ARRIVED, { id, bytes: more }),
          whole: () => line.tell(WHOLE, id),
          narrow(now) {
            line.tell(NARROW, { id, bytes: now });
            // What is read here keeps this thread from everything else, and no other.
            return turns.take(now);
          },
          leave() {
            givingUp.delete(id);
            line.tell(LEFT, id);
          },
        };
      },
    },
    unsent: {
      add(caller, bytes, outgoing) {
        const id = next++;
        leaving.set(id, outgoing);
        const forget = () => {
          if (leaving.delete(id)) line.tell(TAKEN, id);
        };
        outgoing.once('finish', forget);
        outgoing.once('close', forget);
        line.tell(LEAVING, { id, caller, bytes });
      },
    },
  };
}

/** Has another thread share the bounds of this one. */
export function serveBounds(line: Line, { bodies, unsent }: Bounds): void {
  const places = new Map<number, BodyPlace>();
  const leaving = new Map<number, EventEmitter<{ close: [] }>>();
  const leave = (id: number) => {
    places.get(id)?.leave();
    places.delete(id);
  };
  const taken = (id: number) => {
    leaving.get(id)?.emit('close');
    leaving.delete(id);
  };
  let isClosed = false;
  line.answer(ENTER, async ({ id, caller, bytes }) => {
    const place = await bodies.enter(caller, bytes, () => line.tell(GIVEN_UP, id));
    if (isClosed) place.leave();
    else places.set(id, place);
  });
  line.hear(ARRIVED, ({ id, bytes }) => places.get(id)?.arrived(bytes));
  line.hear(WHOLE, (id) => places.get(id)?.whole());
  line.hear(NARROW, ({ id, bytes }) => void places.get(id)?.narrow(bytes));
  line.hear(LEFT, leave);
  line.hear(LEAVING, ({ id, caller, bytes }) => {
    const answer = Object.assign(new EventEmitter<{ close: [] }>(), { destroy: () => line.tell(CUT, id) });
    leaving.set(id, answer);
    unsent.add(caller, bytes, {
      once: (event, listener) => (event === 'close' ? answer.once(event, listener) : undefined),
      destroy: answer.destroy,
    });
  });
  line.hear(TAKEN, taken);
  line.onClose(() => {
    isClosed = true;
    for (const id of [...places.keys()]) leave(id);
    for (const id of [...leaving.keys()]) taken(id);
  });
}
