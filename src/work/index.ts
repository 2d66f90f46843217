/**
 * How a node does work that waits in the database: one life for all kinds, due → seat → start → execute → complete.
 *
 * Words: a *kind* of work has a *desk* with *seats* on each node, a *unit* holds what is executed together; a *claim* is named by the
 * life of the node that made it; a *suspect* was there at the end of two nodes and is tried alone. Invariants: nothing
 * starts before its time by the database's clock; what was claimed and has not started is handed back by whoever cannot
 * start it; a claim that is too old when it is to start is checked again in the database.
 */
export { type Claimed, claimKey, type Holder, type Kind } from './claimed.ts';
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
export { isPoison, isSuspect, MAX_INTERRUPTIONS, mayBeWhy, SUSPECT_FROM } from './suspicion.ts';
export { untilKnown } from './unknown-commit.ts';
export { type Seat, WorkPoller } from './work-poller.ts';
export type { Ask, Claim, WorkStore } from './work-store.ts';
