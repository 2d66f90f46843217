import type { JsonObject, JsonValue } from '#json/index.ts';
import type { ScheduleDefinition } from '../schedule/schedule.ts';

/** Names a run; unique for all time, because a schedule fires at most once per planned time and generation. */
export interface RunKey {
  readonly triggerId: number;
  readonly generation: number;
  /** Epoch ms. */
  readonly fireAt: number;
}

/**
 * `planned` by the schedule, `manual` when somebody asked for it, `lost` when it was interrupted and must not be
 * done again: then all that is left to do is to record it, and to plan the next one.
 */
export type RunKind = 'planned' | 'manual' | 'lost';

/** Why a firing runs, or why it is late, as far as the job store knows. */
export type Cause = (
  | {
      readonly kind: 'blocked';
      /** ISO time: the planned time of the run that was in the way. */
      readonly by: string;
      readonly node: string;
      /** The other schedule of the same concurrency key that it belongs to; absent when it is its own. */
      readonly schedule?: string;
      /** ISO time; null while the run is still in the way. */
      readonly until: string | null;
    }
  | {
      readonly kind: 'released';
      readonly node: string;
      readonly at: string;
      /** How often the run may have been why its node or thread ended. */
      readonly suspected?: number;
    }
  | { readonly kind: 'requested'; readonly by: string }
) & {
  /** The transaction of the request that asked for the run: what the run does belongs to it. */
  readonly transaction?: string;
};

/** Why a manual run is there. */
export type Asked = Extract<Cause, { kind: 'requested' }>;

/** A claimed firing. */
export interface Run extends RunKey {
  /** As `formatRunKey` has it, where it was formatted already. */
  readonly key?: string;
  readonly attempt: number;
  /** Epoch ms; set when it was released by a dead node. */
  readonly lateFrom: number | null;
  /** The one after it waits already, so its completion must not plan it again. */
  readonly nextPlanned: boolean;
  readonly kind: RunKind;
  readonly cause: Cause | null;
  /** No other run of its schedule has it just now. */
  readonly slot: number;
  /** Its schedule is in the memory of this node. Default: it is persisted. */
  readonly own?: boolean;
}

export interface StartedRun extends Run {
  readonly jobId: string;
  readonly definition: ScheduleDefinition;
}

export type Outcome = 'fired' | 'late' | 'misfired' | 'skipped' | 'recovered' | 'lost' | 'manual';

/** What the ledger keeps of a planned time. */
export interface LedgerEntry {
  readonly jobId: string;
  readonly node: string;
  readonly outcome: Outcome;
  /** Epoch ms. */
  readonly plannedAt: number;
  readonly startedAt: number | null;
  readonly lateMs: number;
  readonly error: JsonObject | null;
  readonly log: JsonValue;
  readonly why: string | null;
}

/** How a run ends, and what comes after it. */
export interface Completion {
  readonly run: Run & Partial<Pick<StartedRun, 'definition'>>;
  /** Epoch ms; null when it was the last. */
  readonly next: number | null;
  readonly entries: readonly LedgerEntry[];
}

export function formatRunKey(key: RunKey & Pick<Run, 'key'>): string {
  return key.key ?? `${key.triggerId}.${key.generation}.${key.fireAt}`;
}

/** What the audit calls all that the run does. */
export function transactionOf(run: RunKey & Pick<Run, 'key' | 'cause'>): string {
  return run.cause?.transaction ?? formatRunKey(run);
}

/** The name in which a schedule runs. @param scheduledAt the time that the job is told, epoch ms */
export function invokerName(jobId: string, scheduledAt: number): string {
  return `Scheduled ${jobId}-${new Date(scheduledAt).toISOString()}`;
}

/** @returns undefined for a text that is no key */
export function parseRunKey(text: string): RunKey | undefined {
  const parts = /^(-?\d{1,16})\.(\d{1,9})\.(-?\d{1,16})$/.exec(text);
  if (parts === null) return undefined;
  return { triggerId: Number(parts[1]), generation: Number(parts[2]), fireAt: Number(parts[3]) };
}
