import { AsyncLocalStorage } from 'node:async_hooks';
import type { MessagePort } from 'node:worker_threads';
import { InternalServerError } from '#errors/index.ts';
import type { Observe } from '#observability/index.ts';
import { Outbox, toError, toMessage } from '#thread/index.ts';
import { monotonicMs } from '#time/index.ts';
import { chooseEngine, type EngineModule, loadEngineModule } from './javascript/index.ts';
import {
  BEAT_WORD,
  DEADLINE_WORD,
  type FromThread,
  roomWord,
  SANDBOX_WORD,
  SCRIPT_WORD,
  type ToThread,
  TURN_WORD,
  takeOffer,
  WORK_WORD,
  type WorkKind,
} from './thread-protocol.ts';
import { crowded } from './waiting-work.ts';

/** What this thread does for work of a kind. */
export interface WorkHandler {
  readonly kind: string;
  handle(payload: unknown, signal?: AbortSignal): Promise<unknown>;
}

export function handling<Payload, Answer>(
  { name }: WorkKind<Payload, Answer>,
  handle: (payload: Payload, signal?: AbortSignal) => Promise<Answer>,
): WorkHandler {
  return { kind: name, handle };
}

export interface ThreadServerOptions {
  readonly handlers: readonly WorkHandler[];
  readonly reload: () => Promise<void>;
  /** Takes over a part of what it stands on. */
  found(part: Record<string, unknown>): void;
  readonly stop: () => Promise<void>;
  readonly countSandboxes: () => number;
}

const BEAT_INTERVAL_MS = 500;

/** Carries what this thread has to say to the main thread, which owns the sinks. */
export const observeFromThread: Observe = (observation) => sending().observe(observation);

/** Where a script thread stands. */
export interface ThreadPlace {
  /** The way to the main thread. */
  readonly port: MessagePort;
  /** The memory that it watches. */
  readonly shared: BigInt64Array;
  /** QuickJS as an earlier thread of this process has compiled it, if there was one. */
  readonly engine?: EngineModule | undefined;
}

/** Where this thread stands, which serves one node at a time. */
let place: ThreadPlace | undefined;
let outbox: Outbox | undefined;

function placeOfThread(): ThreadPlace {
  if (place === undefined) throw new Error('Only a script thread has a main thread to speak to');
  return place;
}

/** To be called before all else here. */
export function takePlace(taken: ThreadPlace): void {
  place = taken;
  outbox = new Outbox(
    taken.port,
    (observations) => ({ type: 'observed', observations }) satisfies FromThread,
  );
  questions.clear();
  scriptNumbers.clear();
}

function sending(): Outbox {
  if (outbox === undefined) throw new Error('Only a script thread has a main thread to speak to');
  return outbox;
}

function sharedWords(): BigInt64Array {
  return placeOfThread().shared;
}

let engine: Promise<EngineModule> | undefined;

/** QuickJS as an earlier thread of this process has compiled it; where there was none, as this one has. */
export function engineOfThread(): Promise<EngineModule> {
  const { engine: given } = placeOfThread();
  engine ??= given?.kind === chooseEngine() ? Promise.resolve(given) : loadEngineModule();
  return engine;
}

/** Takes work from the main thread until it says stop. @returns whether all that it had begun was over then */
export function serveThread(options: ThreadServerOptions): Promise<boolean> {
  const { port, shared } = placeOfThread();
  const abortable = new Map<number, AbortController>();
  let begun = 0;
  const answer = (id: number, work: () => Promise<unknown>) => {
    begun += 1;
    void answerTo(id, work).finally(() => {
      begun -= 1;
    });
  };
  const beat = () => {
    Atomics.store(shared, BEAT_WORD, BigInt(Math.floor(monotonicMs())));
    Atomics.store(shared, SANDBOX_WORD, BigInt(options.countSandboxes()));
  };
  beat();
  const beats = setInterval(beat, BEAT_INTERVAL_MS);
  beats.unref();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  port.on('message', (message: ToThread) => {
    if (message.type === 'stop') {
      const isDone = begun === 0;
      clearInterval(beats);
      void options
        .stop()
        .catch(() => undefined)
        .then(() => {
          sending().flush();
          resolve(isDone);
        });
    } else if (message.type === 'reload') {
      answer(message.id, options.reload);
    } else if (message.type === 'found') {
      answer(message.id, async () => options.found(message.part));
    } else if (message.type === 'abort') {
      abortable.get(message.id)?.abort(new Error(message.reason));
    } else if (message.type === 'told') {
      const question = questions.get(message.id);
      questions.delete(message.id);
      if ('error' in message) question?.reject(toError(message.error));
      else question?.resolve(message.value);
    } else if (takeOffer(shared, message.offer)) {
      const handler = options.handlers.find(({ kind }) => kind === message.kind);
      answer(message.id, async () => {
        if (handler === undefined) throw new Error(`No handler for work of the kind '${message.kind}'`);
        if (!message.abortable) return currentWork.run(message.id, () => handler.handle(message.payload));
        const abort = new AbortController();
        abortable.set(message.id, abort);
        return currentWork
          .run(message.id, () => handler.handle(message.payload, abort.signal))
          .finally(() => abortable.delete(message.id));
      });
    }
  });
  void engineOfThread().then((engine) => post({ type: 'ready', engine }));
  return promise;
}

/** The piece of work that the code running now belongs to, through all its awaits. */
const currentWork = new AsyncLocalStorage<number>();

/** What has been asked of the main thread, by the work that it is about. */
const questions = new Map<number, PromiseWithResolvers<unknown>>();

/** Has the main thread say whom the work that calls this is for now. @throws ResourceError when for nobody any more */
export function askWhoseWork(): Promise<unknown> {
  const work = currentWork.getStore();
  if (work === undefined) return Promise.reject(new Error('Only work of somebody can ask whose it is'));
  const known = questions.get(work);
  if (known !== undefined) return known.promise;
  const question = Promise.withResolvers<unknown>();
  questions.set(work, question);
  post({ type: 'asked', id: work });
  return question.promise;
}

/** The main thread cannot ask for a name when it wants one, so it is told each of them once. */
const scriptNumbers = new Map<string, bigint>();
/** Each schedule has a name of its own; beyond so many the numbers begin anew. */
const MOST_NAMES = 10_000;

function scriptNumber(name: string): bigint {
  const known = scriptNumbers.get(name);
  if (known !== undefined) return known;
  if (scriptNumbers.size >= MOST_NAMES) scriptNumbers.clear();
  const script = scriptNumbers.size + 1;
  scriptNumbers.set(name, BigInt(script));
  post({ type: 'named', script, name });
  return BigInt(script);
}

/**
 * Tells the watchdog of each stretch of script code of the work that calls this: whose it is, of which script, and
 * when it must be over (by `monotonicMs`).
 */
export function watchedWork(name?: string): {
  mayBegin: () => void;
  onEnter: (deadline: number) => void;
  onLeave: () => void;
} {
  const work = BigInt(currentWork.getStore() ?? 0);
  const script = name === undefined ? 0n : scriptNumber(name);
  const shared = sharedWords();
  return {
    /** @throws ServiceUnavailableError when others have waited long enough */
    mayBegin() {
      if (work === 0n || Atomics.load(shared, roomWord(Number(work))) !== work) return;
      throw crowded();
    },
    onEnter(deadline) {
      // A thread that does not come back from here takes what it has gathered with it.
      sending().flush();
      Atomics.store(shared, WORK_WORD, work);
      Atomics.store(shared, SCRIPT_WORD, script);
      Atomics.store(shared, DEADLINE_WORD, BigInt(Math.ceil(deadline)));
    },
    onLeave: () => {
      Atomics.add(shared, TURN_WORD, 1n);
      Atomics.store(shared, DEADLINE_WORD, 0n);
    },
  };
}

function answerTo(id: number, work: () => Promise<unknown>): Promise<void> {
  return (
    work()
      .then((value) => post({ type: 'done', id, value }))
      .catch((error: unknown) => post({ type: 'failed', id, error: toMessage(error) }))
      // Nested so deeply that it cannot be sent: whoever waits must hear of it all the same.
      .catch((error: unknown) => post({ type: 'failed', id, error: toMessage(unsendable(error)) }))
  );
}

function unsendable(cause: unknown): InternalServerError {
  return new InternalServerError('The answer is nested too deeply to be sent', {
    id: 'SCRIPT_RESULT_TOO_DEEP',
    cause,
  });
}

function post(message: FromThread): void {
  sending().postMessage(message);
}
