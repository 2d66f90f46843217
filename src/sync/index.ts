/**
 * Synchronisation: what is inside reaches what is mapped to it.
 *
 * Words: a *mapping* leads from a *source* set to a *target* set; a *link* is a pair of objects that belong together; a *situation*
 * is what was found out about a pair, an *action* what is done about it, a *policy* says which; *correlation* finds a target that is
 * not linked yet; a *delivery* brings one target to what the mapping makes of its source. Invariants: a delivery is all of it or
 * nothing, in the unit of work of the change; what failed is written down, and keeps no other from its target; the target follows from
 * the source as it is now, and not from what was told of it; no values of objects stand in the state, the log or the audit.
 */
export { causeOf, contextOf } from './cause.ts';
export { checkMappings } from './check-mappings.ts';
export {
  type DeadLetterRow,
  deleteDeadLetter,
  findDeadLetter,
  insertDeadLetter,
  pruneDeadLetters,
  queryDeadLetters,
} from './dead-letter-repository.ts';
export { deliverChange } from './deliver-change.ts';
export { namesRead, qualifiersOf } from './deliver-source.ts';
export { foreseeCorrelations, type KnownSource, readSources } from './foresee-correlation.ts';
export type { Foreseen } from './foreseen.ts';
export { giveUpChange } from './give-up.ts';
export { linkedIds } from './link-repository.ts';
export type { Mapping } from './mapping.ts';
export { questionOf } from './question.ts';
export { type PairPlan, type PairResult, reconcilePair } from './reconcile-pair.ts';
export { runOnRecon, runResult } from './run-recon-hook.ts';
export type { StoringPlatform } from './stage.ts';
export { syncFeature } from './sync-feature.ts';
export { keptError } from './sync-record.ts';
export { mappingNamed } from './sync-resource.ts';
export { isOver, overThreshold, type Thresholds, thresholdsOf } from './thresholds.ts';
export { seesWords, withoutWords } from './words.ts';
