import type { Situation, SyncAction, ThresholdsConfig } from '#config/index.ts';
import type { JsonObject } from '#json/index.ts';

/**
 * ACTIVE → SUCCESS
 *        → CANCELED (somebody asked for it)
 *        → FAILED (a side could not be listed, or it would take too much away)
 * What was planned, or held, is ACTIVE again when somebody approves it.
 */
export type ReconState = 'ACTIVE' | 'SUCCESS' | 'CANCELED' | 'FAILED';

/**
 * What is under way: `list` both sides; look at `source`, `link` the targets that were found, then look at `target` without one; `apply` what
 * is approved; `remove`.
 */
export type ReconStep = 'list' | 'source' | 'link' | 'target' | 'apply' | 'remove' | 'end';

/** `plan`: what is found is written down, and nothing else is. */
export type ReconMode = 'apply' | 'plan';

/** What a run was asked for. */
export interface ReconParameters {
  /** Undefined: all there are. */
  readonly sourceQuery?: JsonObject;
  readonly targetQuery?: JsonObject;
  /** The ids of the sources, where only these are looked at. */
  readonly sourceIds?: readonly string[];
  /** Whether targets are looked at that no source has led to. */
  readonly runTargetPhase: boolean;
  readonly allowEmptySourceSet: boolean;
  /** Pairs that are as they should be have rows, too. */
  readonly keepsAll?: boolean;
  /** The mapping that a plan goes by instead of the one that is in force. */
  readonly supposed?: JsonObject;
  /** Thresholds instead of those of the mapping. */
  readonly thresholds?: ThresholdsConfig;
  /** All is planned before anything is done, because it is limited how much of it may be done. */
  readonly plansFirst?: boolean;
  /** The state of the files of the systems at both ends, which the mapping leads from and to. */
  readonly systems?: string;
  /** They were others the last time: nothing is done before somebody has looked at it. */
  readonly systemsChanged?: boolean;
  /** Ends whose query is the caller's own, and is asked as they would ask it. */
  readonly ownQueries?: readonly ('source' | 'target')[];
}

/** A run as it is stored. */
export interface ReconRun {
  readonly id: string;
  readonly mapping: string;
  readonly print: string;
  readonly mode: ReconMode;
  readonly state: ReconState;
  readonly step: ReconStep;
  readonly parameters: ReconParameters;
  readonly security: JsonObject | null;
  readonly transaction_id: string | null;
  readonly sources: number | null;
  readonly targets: number | null;
  readonly links: number | null;
  readonly lanes: number;
  readonly last_lane: number;
  readonly last_entry: number;
  /** What has come of its entries; null while it is under way. */
  readonly outcomes: readonly EntryCount[] | null;
  readonly error: JsonObject | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly listed_at: Date | null;
  readonly targets_at: Date | null;
  readonly ended_at: Date | null;
}

/** `counted`: there was nothing to do, and the entry goes. */
export type EntryState = 'listed' | 'planned' | 'applied' | 'failed' | 'skipped' | 'changed' | 'counted';
export type Phase = 'source' | 'target';

/** What is done about one pair. */
export interface ReconEntry {
  readonly number: number;
  readonly phase: Phase;
  readonly qualifier: string;
  /** Null where there is but a target. */
  readonly source_id: string | null;
  readonly target_id: string | null;
  readonly ambiguous: readonly string[] | null;
  readonly situation: Situation | null;
  readonly action: SyncAction | null;
  readonly state: EntryState;
  readonly takes_away: boolean;
  /** Pointers of what is written of the target. */
  readonly difference: readonly string[] | null;
  readonly source_rev: string | null;
  readonly target_rev: string | null;
  readonly error: JsonObject | null;
  readonly attempt: number;
}

/** How many entries came to the same. */
export interface EntryCount {
  readonly phase: Phase;
  readonly situation: Situation | null;
  readonly action: SyncAction | null;
  readonly state: EntryState;
  readonly takes_away: boolean;
  readonly entries: number;
}
