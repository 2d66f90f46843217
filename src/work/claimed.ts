/** The fence: which life of which node holds a piece of work. */
export interface Holder {
  readonly nodeId: number;
  readonly epoch: number;
}

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
}

/** What a node knows of a kind of work. */
export interface Kind {
  readonly name: string;
  /** Units of it that one node executes at once. */
  readonly seats: number;
  /** Pieces that one unit may hold, when many are due. */
  readonly together: number;
}

/** Work that was given back and claimed again is another claim. */
export function claimKey({ id, claim }: Pick<Claimed, 'id' | 'claim'>): string {
  return `${id}.${claim}`;
}
