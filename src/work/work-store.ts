import type { Claimed } from './claimed.ts';

/** For how much of a kind there is room, and where it is looked for. */
export interface Ask {
  readonly kind: string;
  readonly most: number;
  /** How far ahead of its time it is claimed, in ms. */
  readonly lookAheadMs: number;
  /** Epoch ms: what was due before was claimed already, apart from what a sweep finds. */
  readonly since: number;
}

/** Where work waits: the table of one or several kinds. All of it for the life of this node, as it is now. */
export interface WorkStore<Work extends Claimed> {
  /** Claims what is due, with one statement for all kinds. @returns by kind, the more important and the earlier first */
  claim(asks: readonly Ask[]): Promise<ReadonlyMap<string, readonly Work[]>>;
  /** In how many ms by the database's clock the next of each kind is due; kinds of which nothing waits are missing. */
  listDues(asks: readonly Ask[]): Promise<ReadonlyMap<string, number>>;
  /** Gives back what this node holds, but for these, which says nothing against it. */
  handBackAllBut(kept: readonly Work[]): Promise<void>;
  /** Gives these back, which says nothing against them. */
  handBack(works: readonly Work[]): Promise<void>;
  /** Gives back what lives of nodes hold that are over. */
  releaseLost(): Promise<void>;
  /** From now on the end of this node says something about it. @returns false when it is another's now */
  beginSuspect(work: Work): Promise<boolean>;
  /** What a suspect is called while it is alone on its node. */
  subjectOf(work: Work): string;
}
