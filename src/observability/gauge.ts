/** A figure that is read when somebody looks at the metrics. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly read: () => number | Promise<number>;
}
