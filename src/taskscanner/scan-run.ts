import type { JsonObject } from '#json/index.ts';
import type { SecurityContext } from '#resource/index.ts';
import type { FoundObject } from './claimable.ts';
import type { Operation, StoredOperation } from './operation/operation.ts';
import type { RunDefinition, ScanDefinition, StoredDefinition } from './scan-definition.ts';

/**
 * INITIALIZED (made) → ACTIVE → COMPLETED
 *                            → CANCELLED (somebody asked for it)
 *                            → ERROR (the query failed, or a slice did so again and again)
 */
export type ScanState = 'INITIALIZED' | 'ACTIVE' | 'COMPLETED' | 'CANCELLED' | 'ERROR';

export const STATES_UNDER_WAY: readonly ScanState[] = ['INITIALIZED', 'ACTIVE'];

interface AnyRun {
  readonly id: string;
  /** The configuration path of its schedule; null when it was started with a definition of its own. */
  readonly name: string | null;
  readonly state: ScanState;
  /** Whoever started it, in whose name it acts. */
  readonly security: SecurityContext;
  /** The transaction of what started it; all that it does is audited under this. */
  readonly transaction: string;
  readonly cookie: string | null;
  readonly paged: boolean;
  readonly total: number;
  readonly lanes: number;
  readonly lastLane: number;
  readonly lastSlice: number;
  /** How many bytes those slices of an export have written that are done. */
  readonly bytes: number;
}

/** A run as it is stored: of a scan, or of an operation, whose task is built in. The macros of its query are expanded. */
export type ScanRun = AnyRun &
  (
    | { readonly operation: null; readonly stored: StoredDefinition }
    | { readonly operation: StoredOperation; readonly stored: RunDefinition }
  );

/** One whose script and query have their secrets. */
export interface OpenScan extends AnyRun {
  readonly operation: null;
  readonly definition: ScanDefinition;
}

/** One whose content is decrypted. */
export interface OpenOperation extends AnyRun {
  readonly operation: Operation;
  readonly definition: RunDefinition;
}

export type OpenRun = OpenScan | OpenOperation;

/** A slice in the hands of a lane. `taken` and `position` are the fence: who holds old ones moves it no further. */
export interface TakenSlice {
  readonly number: number;
  readonly objects: readonly FoundObject[];
  readonly taken: number;
  readonly position: number;
  /** How often processing the object at the position has ended whoever did it. */
  readonly stuck: number;
}

/** How an object ended. */
export type Verdict = 'successes' | 'failures' | 'skipped';

/** A run as it is shown; times are ISO, null when not yet. */
export interface ScanView {
  readonly run_id: string;
  readonly schedule: string | null;
  readonly object: string;
  readonly state: ScanState;
  readonly total: number;
  readonly processed: number;
  readonly successes: number;
  readonly failures: number;
  readonly skipped: number;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly estimate: Date | null;
  readonly nodes: readonly string[] | null;
  readonly error: JsonObject | null;
  /** The first hundred. */
  readonly errors: readonly JsonObject[] | null;
  readonly retry_of: string | null;
  readonly retried_by: string | null;
}
