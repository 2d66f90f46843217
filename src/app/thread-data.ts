import type { Environment, Settings } from '#config/index.ts';
import type { KeyRingText } from '#crypto/index.ts';
import type { DatabaseOptions } from '#database/index.ts';
import type { AccessFile, ComingRates, RateWords } from '#security/index.ts';

/** What a script thread is started with; see `workers/script-application.ts`. */
export interface ThreadData {
  readonly settings: Omit<Settings, 'adminPassword'>;
  /** The environment without secrets. */
  readonly environment: Environment;
  /** Shared by all threads: whether anybody in the cluster listens to events. */
  readonly listening: SharedArrayBuffer;
}

/** What an HTTP thread is started with; see `workers/http-application.ts`. */
export interface HttpThreadData extends ThreadData {
  readonly rates: HttpRates;
  /** Statements of reads that standbys have answered, and those that were left to the primary: of all threads together. */
  readonly reads: BigInt64Array;
}

/** Where all HTTP threads count what is bounded for the node. */
export interface HttpRates extends ComingRates {
  /** Requests of a client. */
  readonly requests: RateWords;
}

/** What a thread is given as soon as that is there. */
export interface ThreadFoundation {
  readonly access: DatabaseOptions;
  readonly keyRing: KeyRingText;
  /** Absent until they are known: then only administrators have any rights. */
  readonly rules?: AccessFile | undefined;
}

export interface HttpFoundation extends ThreadFoundation {
  readonly nodeId: number;
}
