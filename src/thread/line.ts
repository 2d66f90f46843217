import { InternalServerError } from '#errors/index.ts';
import { type ErrorMessage, toError, toMessage } from './thread-error.ts';

/** A kind of question: what is asked and what is answered, both copied by structured cloning. */
export interface Question<Asked, Answer> {
  readonly name: string;
  /** For the compiler alone: there is no such member. */
  does?(asked: Asked): Answer;
}

/** A kind of news, to which there is no answer. */
export interface News<Told> {
  readonly name: string;
  does?(told: Told): void;
}

export function question<Asked, Answer>(name: string): Question<Asked, Answer> {
  return { name };
}

export function news<Told>(name: string): News<Told> {
  return { name };
}

type Message =
  | { readonly type: 'asked'; readonly id: number; readonly name: string; readonly asked: unknown }
  | { readonly type: 'answered'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly error: ErrorMessage }
  /** Nobody wants the answer any more. */
  | { readonly type: 'abort'; readonly id: number; readonly reason: string }
  | { readonly type: 'told'; readonly name: string; readonly told: unknown };

/** One end of what two threads send messages by. */
export interface LinePort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** One end of a line. */
export interface Line {
  /**
   * @param signal aborted: nobody wants the answer any more. The other end decides whether there is one all the same
   * @throws ResourceError what the answer has failed with
   */
  ask<Asked, Answer>(question: Question<Asked, Answer>, asked: Asked, signal?: AbortSignal): Promise<Answer>;
  /** Answers questions of that kind from now on, by this end. */
  answer<Asked, Answer>(
    question: Question<Asked, Answer>,
    by: (asked: Asked, signal: AbortSignal) => Answer | Promise<Answer>,
  ): void;
  tell<Told>(news: News<Told>, told: Told): void;
  hear<Told>(news: News<Told>, by: (told: Told) => void): void;
  /** The other end has gone: what was asked of it fails, and what it has asked for is wanted by nobody. */
  close(why: () => Error): void;
  onClose(listener: () => void): void;
}

interface Asked {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  readonly unlisten: () => void;
}

interface Answerer {
  by(asked: unknown, signal: AbortSignal): unknown;
}

interface Hearer {
  by(told: unknown): void;
}

/** Two threads that ask each other; the other end is opened there, and knows the same questions and news. */
export function openLine(port: LinePort): Line {
  const asked = new Map<number, Asked>();
  const underWay = new Map<number, AbortController>();
  const answerers = new Map<string, Answerer>();
  const hearers = new Map<string, Hearer>();
  let next = 1;
  let closed: (() => Error) | undefined;
  const closing = new Set<() => void>();
  const send = (message: Message) => port.postMessage(message);
  const settle = (id: number): Asked | undefined => {
    const question = asked.get(id);
    asked.delete(id);
    question?.unlisten();
    return question;
  };

  async function answer(id: number, name: string, given: unknown): Promise<void> {
    const abort = new AbortController();
    underWay.set(id, abort);
    try {
      const answerer = answerers.get(name);
      if (answerer === undefined) throw new Error(`Nobody here answers '${name}'`);
      const value = await answerer.by(given, abort.signal);
      if (closed === undefined) send({ type: 'answered', id, value });
    } catch (error) {
      if (closed === undefined) send({ type: 'failed', id, error: sendable(error) });
    } finally {
      underWay.delete(id);
    }
  }

  port.on('message', (message) => {
    if (closed !== undefined || !isMessage(message)) return;
    if (message.type === 'asked') void answer(message.id, message.name, message.asked);
    else if (message.type === 'answered') settle(message.id)?.resolve(message.value);
    else if (message.type === 'failed') settle(message.id)?.reject(toError(message.error));
    else if (message.type === 'abort') underWay.get(message.id)?.abort(new Error(message.reason));
    else hearers.get(message.name)?.by(message.told);
  });

  return {
    ask<Answer>({ name }: { readonly name: string }, given: unknown, signal?: AbortSignal): Promise<Answer> {
      if (closed !== undefined) return Promise.reject(closed());
      const id = next++;
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const abort = () => send({ type: 'abort', id, reason: String(signal?.reason) });
      asked.set(id, { resolve, reject, unlisten: () => signal?.removeEventListener('abort', abort) });
      try {
        send({ type: 'asked', id, name, asked: given });
      } catch (error) {
        settle(id);
        reject(error);
        return promise;
      }
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
      return promise;
    },
    answer: ({ name }, by) => void answerers.set(name, { by }),
    tell: ({ name }, told) => {
      if (closed === undefined) send({ type: 'told', name, told });
    },
    hear: ({ name }, by) => void hearers.set(name, { by }),
    onClose: (listener) => void closing.add(listener),
    close(why) {
      if (closed !== undefined) return;
      closed = why;
      for (const id of [...asked.keys()]) settle(id)?.reject(why());
      for (const abort of underWay.values()) abort.abort(why());
      for (const listener of closing) listener();
    },
  };
}

const TYPES = new Set(['asked', 'answered', 'failed', 'abort', 'told']);

function isMessage(message: unknown): message is Message {
  return (
    typeof message === 'object' && message !== null && 'type' in message && TYPES.has(String(message.type))
  );
}

/** An answer that is nested so deeply that it cannot be sent: whoever waits must hear of it all the same. */
function sendable(error: unknown): ErrorMessage {
  if (!(error instanceof DOMException) && !(error instanceof RangeError)) return toMessage(error);
  return toMessage(new InternalServerError('The answer cannot be sent to another thread', { cause: error }));
}
