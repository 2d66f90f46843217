import type { Claimed } from './claimed.ts';

/** For how much of a kind there is room, and where it is looked for. */
export interface Ask {
  readonly kind: string;
  readonly most: number;
  /** How many of those that are due already may be started with the claim. */
  readonly startMost: number;
  /** How far ahead of its time it is claimed, in ms. */
  readonly lookAheadMs: number;
  /** Epoch ms: what was due before was claimed already, apart from what a sweep finds. */
  readonly since: number;
}

export interface Claim<Work extends Claimed> {
  /** The more important and the earlier first. */
  readonly works: readonly Work[];
  /** Epoch ms: from where on claims may look from now on, where that is not when the earliest of these is due. */
  readonly seenFrom?: number | undefined;
  /** Whether there was as much as was asked for: there may be more. */
  readonly isFull: boolean;
  /** In how many ms by the database's clock the next is due; not known when nothing waits, nor after a full claim. */
  readonly dueInMs?: number | undefined;
}

/** Where work waits: the table of one or several kinds. All of it for the life of this node, as it is now. */
export interface WorkStore<Work extends Claimed> {
  /** Claims what is due, with one statement for all kinds. */
  claim(asks: readonly Ask[]): Promise<ReadonlyMap<string, Claim<Work>>>;
  /**
   * Marks that these begin, as far as somebody must know of it: from now on the end of this node says something about
   * them. To start again what was started changes nothing.
   *
   * @returns those that may; the others are another's now, or wait again
   */
  start(works: readonly Work[]): Promise<readonly Work[]>;
  /** Gives back what this node holds, but for these, which says nothing against it: none of it has been executed. */
  handBackAllBut(kept: readonly Work[]): Promise<void>;
  /** Gives these back, which have not been executed. */
  handBack(works: readonly Work[]): Promise<void>;
  /** Gives back what this node holds, whether it is being executed or not: this node stops. */
  giveUp(): Promise<void>;
  /** Gives back what lives of nodes hold that are over. */
  releaseLost(): Promise<void>;
  /** What a suspect is called while it is alone on its node. */
  subjectOf(work: Work): string;
}
