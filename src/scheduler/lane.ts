import type { Share } from './claim-repository.ts';
import type { Run } from './run.ts';
import type { RunStarter } from './run-starter.ts';
import type { Slots } from './slots.ts';
import { StartRate } from './start-rate.ts';

/** When no run could be started for so long, those that are ready are for other nodes to run. */
const STUCK_MS = 500;
/** The longest transaction that may still commit a row behind the watermark. */
const SLACK_MS = 5_000;

/** What is claimed now: a share, and how many of it may start at once. */
export type Claiming = Share & { readonly startLimit: number };

/**
 * Where runs of one kind are on a node: what any node may claim, or what this one has in memory. Each kind has slots of
 * its own, so that long runs of one keep none of the other waiting.
 */
export class Lane {
  readonly slots: Slots;
  /** Ready to run, waiting for a free slot. */
  readonly starter: RunStarter;
  readonly rate = new StartRate();
  /** All that was claimed and has not ended, each with its service as soon as that is known. */
  readonly known = new Map<string, string | undefined>();
  /** More was due than there was room for. */
  starved = false;
  /** The last claim found as much as it asked for: there may be more that is due already. */
  #backlog = false;
  #watermark = 0;
  #lookedAt = 0;
  /** Epoch ms; null when nothing waits, undefined when that is not known any more. */
  #nextDueAt: number | null | undefined;
  /** Something may have come to wait since a claim began. */
  #isNews = false;

  constructor(slots: Slots, starter: RunStarter) {
    this.slots = slots;
    this.starter = starter;
  }

  /**
   * How much may be claimed now; what is noted with the next claim is as of this moment.
   *
   * @param ahead how many more than there are slots, because so many start until they are due
   * @param aside of those that are known, how many wait elsewhere
   */
  claiming(given: { threadCount: number; maxBatch: number; ahead: number; aside: number }): Claiming {
    this.#isNews = false;
    const slots = Math.max(0, this.slots.free - this.starter.waiting);
    const room = Math.floor(given.threadCount + given.ahead) - (this.known.size - given.aside);
    // What is due already is claimed when it can start, what is not may wait here as well as there.
    const free = this.#backlog ? slots : room;
    this.starved = free <= 0;
    const limit = Math.min(Math.max(0, free), given.maxBatch);
    return { limit, startLimit: Math.min(limit, slots), watermark: this.#watermark - SLACK_MS };
  }

  /** When the earliest may be claimed that was seen to wait; null when none is known. */
  get nextDueAt(): number | null {
    return this.#nextDueAt ?? null;
  }

  /** Whether there is reason to look for what is due before `until`, epoch ms; after so long there always is. */
  isWorthALook(until: number, idleWaitMs: number): boolean {
    if (this.#nextDueAt === undefined || performance.now() - this.#lookedAt >= idleWaitMs) return true;
    return this.#nextDueAt !== null && this.#nextDueAt <= until;
  }

  /** Something may wait that was not seen yet. */
  lookAgain(): void {
    this.#nextDueAt = undefined;
    this.#isNews = true;
  }

  /**
   * @param runs of this lane, by when they are due
   * @param nextDueAt as the claim tells it
   * @returns whether there may be more that is due
   */
  noteClaim(
    { limit }: Share,
    runs: readonly (Run & { readonly dueAt: number })[],
    nextDueAt: number | null,
  ): boolean {
    if (limit === 0) return false;
    this.#lookedAt = performance.now();
    this.#nextDueAt = this.#isNews || runs.length === limit ? undefined : nextDueAt;
    this.#watermark = Math.max(this.#watermark, runs[0]?.dueAt ?? 0);
    this.#backlog = runs.length === limit;
    return this.#backlog;
  }

  /** Nothing could start for a while, because all slots are taken or something is done alone. */
  isStuck(isOpen: boolean): boolean {
    return (this.slots.isFull || !isOpen) && performance.now() - this.rate.lastAt > STUCK_MS;
  }
}

/** How many more of the limited services there is room for. */
export function roomFor(
  threads: ReadonlyMap<string, number>,
  lanes: readonly Lane[],
): ReadonlyMap<string, number> {
  const room = new Map(threads);
  for (const service of lanes.flatMap(({ known }) => [...known.values()])) {
    const free = service === undefined ? undefined : room.get(service);
    if (free !== undefined) room.set(service!, Math.max(0, free - 1));
  }
  return room;
}
