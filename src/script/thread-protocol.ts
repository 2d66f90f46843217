import type { Observation } from '#observability/index.ts';
import type { ErrorMessage } from '#thread/index.ts';
import type { EngineModule } from './javascript/index.ts';

/** A kind of work that script threads do: what they get for it and what they give, both copied by structured cloning. */
export interface WorkKind<Payload, Answer> {
  readonly name: string;
  /** For the compiler alone: there is no such member. */
  does?(payload: Payload): Answer;
}

export function workKind<Payload, Answer>(name: string): WorkKind<Payload, Answer> {
  return { name };
}

/** Where work is handed in that may run a script: the script threads themselves, or what asks them from another thread. */
export interface ScriptWork {
  /** @throws ResourceError what the work failed with, or 503 when its thread died */
  run<Payload, Answer>(work: ThreadWork<Payload, Answer>): Promise<Answer>;
}

export interface ThreadWork<Payload = unknown, Answer = unknown> {
  readonly kind: WorkKind<Payload, Answer>;
  readonly payload: Payload;
  /** It changes nothing, so it may run again when its thread dies. */
  readonly repeatable: boolean;
  /** Aborted: nobody wants its outcome any more. */
  readonly signal?: AbortSignal;
  /** The caller who asked for it. Callers make room for each other; absent where the server itself did. */
  readonly caller?: string;
  /** Asks anew who that is, for a thread that wants to know. */
  readonly renew?: () => Promise<unknown>;
}

export type ToThread =
  | {
      readonly type: 'work';
      readonly id: number;
      /** Counts what this thread has been offered. */
      readonly offer: number;
      readonly kind: string;
      readonly payload: unknown;
      readonly abortable: boolean;
    }
  | { readonly type: 'abort'; readonly id: number; readonly reason: string }
  | { readonly type: 'reload'; readonly id: number }
  /** The answer: whom the work is for now, or why for nobody any more. */
  | { readonly type: 'told'; readonly id: number; readonly value: unknown }
  | { readonly type: 'told'; readonly id: number; readonly error: ErrorMessage }
  /** What it stands on from here on, beside the rest. */
  | { readonly type: 'found'; readonly id: number; readonly part: Record<string, unknown> }
  | { readonly type: 'stop' };

export type FromThread =
  | {
      readonly type: 'ready';
      /** For the threads to come: V8 shares the machine code, and what of it has been optimised. */
      readonly engine?: EngineModule;
    }
  /** The question: whom is this work for now? */
  | { readonly type: 'asked'; readonly id: number }
  | { readonly type: 'done'; readonly id: number; readonly value: unknown }
  /** From now on the thread means this script by the number. */
  | { readonly type: 'named'; readonly script: number; readonly name: string }
  | { readonly type: 'failed'; readonly id: number; readonly error: ErrorMessage }
  /** What was observed in one turn of the thread's event loop. */
  | { readonly type: 'observed'; readonly observations: readonly Observation[] };

/** Words of the memory shared with a thread, for the watchdog. */
export const DEADLINE_WORD = 0;
export const WORK_WORD = 1;
/** When the thread's event loop last turned, by `monotonicMs`. */
export const BEAT_WORD = 2;
/** How many sandboxes of the thread are in use. */
export const SANDBOX_WORD = 3;
/** The number of the script that runs; 0 for one without a name. */
export const SCRIPT_WORD = 4;
/** How often a script has let go of the thread. */
export const TURN_WORD = 5;
/** From this word on stand the ids of work that is to make room for others, each in the place that `roomWord` says. */
const ROOM_WORDS = 6;
const ROOMS = 256;
/** From this word on stands what has been offered and is not begun, each in the place that `offerWord` says. */
const OFFER_WORDS = ROOM_WORDS + ROOMS;
const OFFERS = 256;
export const SHARED_WORDS = OFFER_WORDS + OFFERS;

export function roomWord(work: number): number {
  return ROOM_WORDS + (work % ROOMS);
}

function offerWord(offer: number): number {
  return OFFER_WORDS + (offer % OFFERS);
}

/** @returns false while too much else is offered */
export function makeOffer(shared: BigInt64Array, offer: number): boolean {
  return Atomics.compareExchange(shared, offerWord(offer), 0n, BigInt(offer)) === 0n;
}

/**
 * Takes an offer: the thread to begin with it, or whoever made it to give it to another.
 *
 * @returns whether it was still there
 */
export function takeOffer(shared: BigInt64Array, offer: number): boolean {
  return Atomics.compareExchange(shared, offerWord(offer), BigInt(offer), 0n) === BigInt(offer);
}
