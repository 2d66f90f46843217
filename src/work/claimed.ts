import type { Db } from '#database/index.ts';

/** The fence: which life of which node holds a piece of work. */
export interface Holder {
  readonly nodeId: number;
  readonly epoch: number;
  /**
   * Tells this life of the node from another one with the same epoch, which is there only where a fail-over has lost
   * one of them.
   */
  readonly life?: string;
}

/** Throws when work is another's now, and keeps others from taking it until the given transaction ends. */
export type Fence = (transaction: Db) => Promise<void>;

/** What all pieces of work have in common once a node holds them. */
export interface Claimed {
  readonly id: string;
  /** How often it was claimed: who claimed it before can do nothing with it any more. */
  readonly claim: number;
  /** Epoch ms by the database's clock. */
  readonly dueAt: number;
  readonly priority: number;
  /** Nodes and threads that ended while they ran it. */
  readonly lostWith: readonly string[];
  /** How often it may have been why they ended. */
  readonly suspected: number;
  /** It was started with its claim, because it was due and there was a seat for it. */
  readonly isStarted?: boolean;
}

/** What a node knows of a kind of work, as it is now. */
export interface Kind {
  readonly name: string;
  /** Units of it that one node executes at once. */
  readonly seats: number;
  /** Pieces that one unit may hold, when many are due. */
  readonly together: number;
  /** While something runs, what may go together is collected for so long, in ms. */
  readonly collectMs: number;
  /** It may run for hours: no more is claimed than there are seats for, and as much as was started of late. */
  readonly mayBeLong?: boolean;
  /** It is started a few ms ahead of its time, so that it begins on time; whoever stops it waits for that. */
  readonly startsAhead?: boolean;
  /** Whether the claim starts what is due and has a seat, which spares a statement. */
  readonly startsClaimed?: boolean;
}

/** Work that was given back and claimed again is another claim. */
export function claimKey({ id, claim }: Pick<Claimed, 'id' | 'claim'>): string {
  return `${id}.${claim}`;
}
