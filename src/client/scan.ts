/** A run of the task scanner, as `/taskscanner` answers it. */
export interface Scan {
  readonly _id: string;
  readonly progress: {
    readonly state: 'INITIALIZED' | 'ACTIVE' | 'COMPLETED' | 'CANCELLED' | 'ERROR';
    readonly processed: number;
    /** -1 as long as nobody has counted. */
    readonly total: number;
    readonly successes: number;
    readonly failures: number;
    readonly skipped: number;
  };
  /** Moments are empty as long as they have not come. */
  readonly started: string;
  readonly ended: string;
  readonly estimate: string;
  readonly name: string | null;
  readonly object: string;
  readonly nodes: readonly string[];
  readonly error: { readonly message: string } | null;
  /** The first that failed. */
  readonly errors: readonly { readonly objectID: string; readonly error: { readonly message: string } }[];
  readonly retryOf?: string;
  readonly retriedBy?: string;
}
