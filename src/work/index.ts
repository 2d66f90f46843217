/**
 * How a node does work that waits in the database: one life for all kinds, due → seat → start → execute → complete.
 *
 * Words: a *kind* of work has a *desk* with *seats* on each node, a *unit* holds what is executed together; a *claim* is named by the
 * life of the node that made it; a *suspect* was there at the end of two nodes and is tried alone; a job that has much to do does it in *pieces*,
 * and those of a run are shared out in *portions* among *lanes*. Invariants: nothing
 * starts before its time by the database's clock; what was claimed and has not started is handed back by whoever cannot
 * start it; a claim that is too old when it is to start is checked again in the database.
 */
export { type Claimed, claimKey, type Fence, type Holder, type Kind } from './claimed.ts';
export { type Completions, completeIn } from './completion.ts';
export { START_HOLDS_MS } from './desk.ts';
export {
  FencedOutError,
  firstLifeOf,
  heldAs,
  heldBy,
  heldByLivesOf,
  isAlive,
  isOver,
  ownedBy,
  ownedByLivesOf,
  suspectedAfter,
} from './fence-repository.ts';
export { insist, untilKnown } from './insist.ts';
export { workLane } from './lane.ts';
export { apart, isOfPiece, LostPieceError, TURN_MS, tellingEffects } from './piece.ts';
export { hasFreePortions, portionFor } from './portion-repository.ts';
export { doubling, retryAfter } from './retry.ts';
export {
  isPoison,
  isSuspect,
  MAX_INTERRUPTIONS,
  MOST_BEGINNINGS,
  mayBeWhy,
  SUSPECT_FROM,
} from './suspicion.ts';
export { type Seat, WorkPoller } from './work-poller.ts';
export type { Ask, Claim, WorkStore } from './work-store.ts';
