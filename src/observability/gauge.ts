/** A figure that is read when somebody looks at the metrics. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly read: () => number | Promise<number>;
}

/** One that the database is asked for; NaN where it does not answer. */
export interface AskedGauge {
  readonly name: string;
  readonly help: string;
  readonly ask: () => Promise<number>;
}
