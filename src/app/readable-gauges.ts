import { oneByOne } from '#lifecycle/index.ts';
import type { AskedGauge, Gauge } from '#observability/index.ts';

/**
 * All figures of a node as they are read. The database is asked for one after the other: every few seconds somebody looks, and each
 * question that is under way at once holds a session of its own for as long as the node lives.
 */
export function readableGauges(gauges: readonly (Gauge | AskedGauge)[]): readonly Gauge[] {
  const inLine = oneByOne();
  return gauges.map((gauge) => {
    if ('read' in gauge) return gauge;
    const { ask, ...named } = gauge;
    return { ...named, read: () => inLine(ask).catch(() => Number.NaN) };
  });
}
