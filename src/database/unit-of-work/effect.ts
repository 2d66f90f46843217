/** An effect outside the database that waits for the commit; a dry run lists it and does not cause it. */
export interface Effect {
  readonly what: string;
  readonly run: () => void | Promise<void>;
  /** Whoever asked for the work is told of its failure, though what was stored stays. */
  readonly isTold?: boolean;
}

/** A line that a script logged, as a dry run reports it. */
export interface LogEntry {
  readonly script: string;
  readonly level: string;
  readonly message: string;
}
