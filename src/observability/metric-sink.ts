import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { METRICS, type MetricName, type Sample } from './catalogue/metric.ts';
import { type Observation, type Observe, rowOf } from './observation.ts';

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

export interface Metrics {
  readonly observe: Observe;
  /** Reads a figure at scrape time, such as the number of pooled connections. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** The text of `/metrics`, in Prometheus' format. */
  render(): Promise<string>;
  readonly contentType: string;
}

/** Counts observations, as the catalogue says. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const take = new Map(Object.entries(METRICS).map(([metric, it]) => [metric, taker(it, registers)]));

  function observe(said: Observation): void {
    const samples = rowOf(said).counts?.(said) ?? [];
    for (const { metric, labels, value } of [samples].flat()) take.get(metric)?.(labels, value);
  }

  return {
    observe,
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      });
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

type Take = (labels: Sample['labels'], value: number) => void;

function taker({ type, name, help, labels }: (typeof METRICS)[MetricName], registers: Registry[]): Take {
  const options = { name, help, labelNames: [...labels], registers };
  switch (type) {
    case 'counter': {
      const counter = new Counter(options);
      return (of, value) => counter.inc(of, value);
    }
    case 'histogram': {
      const histogram = new Histogram({ ...options, buckets: SECONDS });
      return (of, value) => histogram.observe(of, value);
    }
    case 'gauge': {
      const gauge = new Gauge(options);
      return (of, value) => gauge.set(of, value);
    }
  }
}
