/**
 * What the server says, apart from how it is said. Code calls `observe`; sinks turn an observation into a log
 * line or a figure. Nobody else knows the logger.
 */
export type { LogLevel } from './catalogue/row.ts';
export type { AskedGauge, Gauge } from './gauge.ts';
export { LogRing } from './log-ring.ts';
export { createLogSink } from './log-sink.ts';
export { createMetrics, METRICS_TYPE, type Metrics } from './metric-sink.ts';
export { isLogged, type Observation, type Observe, observeAll } from './observation.ts';
export { processGauges } from './process-gauges.ts';
