import type { Situation, SyncAction } from '#config/index.ts';

/** What is found out about a source object, of one link qualifier. */
export interface Facts {
  readonly hasSource: boolean;
  /** Whether the source is valid, or was where it is gone. */
  readonly isValid: boolean;
  /** Whether it is linked to a target. */
  readonly isLinked: boolean;
  /** Whether the target is there that it is linked to. */
  readonly hasTarget: boolean;
  /** Whether that is one which the mapping may touch. */
  readonly isTargetValid: boolean;
  /** How many targets correlate, where there is no link. */
  readonly correlated: number;
  /** Whether the only one that correlates is linked to another source. */
  readonly isTaken: boolean;
}

/** What is done where no policy says something else. */
export const DEFAULT_ACTION: Readonly<Record<Situation, SyncAction>> = {
  SOURCE_MISSING: 'EXCEPTION',
  TARGET_IGNORED: 'REPORT',
  LINK_ONLY: 'EXCEPTION',
  ALL_GONE: 'NOREPORT',
  UNASSIGNED: 'EXCEPTION',
  AMBIGUOUS: 'EXCEPTION',
  UNQUALIFIED: 'DELETE',
  CONFIRMED: 'UPDATE',
  MISSING: 'EXCEPTION',
  ABSENT: 'CREATE',
  FOUND: 'UPDATE',
  FOUND_ALREADY_LINKED: 'EXCEPTION',
  SOURCE_IGNORED: 'REPORT',
};

/** The situation of a source object, as servers of the field decide it. */
export function assess(facts: Facts): Situation {
  return facts.hasSource ? assessThere(facts) : assessGone(facts);
}

function assessThere(facts: Facts): Situation {
  const { isValid, isLinked, hasTarget, correlated, isTaken } = facts;
  if (!isValid) return isLinked || correlated > 0 ? 'UNQUALIFIED' : 'SOURCE_IGNORED';
  if (isLinked) return hasTarget ? 'CONFIRMED' : 'MISSING';
  if (correlated === 0) return 'ABSENT';
  if (correlated > 1) return 'AMBIGUOUS';
  return isTaken ? 'FOUND_ALREADY_LINKED' : 'FOUND';
}

function assessGone(facts: Facts): Situation {
  const { isValid, isLinked, hasTarget, isTargetValid, correlated } = facts;
  if (isLinked) {
    if (!hasTarget) return 'LINK_ONLY';
    return isTargetValid ? 'SOURCE_MISSING' : 'TARGET_IGNORED';
  }
  if (correlated === 0) return 'ALL_GONE';
  if (correlated > 1) return isValid ? 'AMBIGUOUS' : 'UNQUALIFIED';
  return isValid ? 'UNASSIGNED' : 'TARGET_IGNORED';
}
