import type { Database } from '#database/index.ts';
import { type HealthPart, type Service, Ticker } from '#lifecycle/index.ts';
import type { Gauge, Observe } from '#observability/index.ts';
import type { Membership } from './membership.ts';
import { type NodeReport, writeReport } from './node-report-repository.ts';

const INTERVAL_MS = 2_000;
/** Of what is wrong with one file. */
const MOST_FINDINGS = 5;
const MOST_FINDING_CHARACTERS = 300;
const MOST_REFUSED = 100;

export interface NodeReporterOptions {
  readonly database: Database;
  readonly membership: Membership;
  readonly version: string;
  readonly gauges: () => readonly Gauge[];
  readonly parts: () => Promise<readonly HealthPart[]>;
  readonly clockSkewMs: () => number;
  readonly config: {
    readonly fingerprint: string;
    readonly refused: readonly {
      readonly id: string;
      readonly since: Date;
      readonly findings: readonly string[];
    }[];
  };
  readonly observe: Observe;
}

/** Writes down every few seconds how the node is, so that any node can answer for all. */
export function nodeReporter(options: NodeReporterOptions): Service {
  const { database, membership, observe } = options;
  const ticker = new Ticker({
    name: 'node report',
    intervalMs: INTERVAL_MS,
    runOnce: async () => writeReport(database.db, membership.nodeId, await reportOf(options)),
    observe,
  });
  membership.onDrain(() => ticker.wake());
  return ticker;
}

async function reportOf(options: NodeReporterOptions): Promise<NodeReport> {
  const { membership, version, gauges, parts, clockSkewMs, config } = options;
  const figures = await Promise.all(
    gauges().map(async ({ name, read }) => {
      const value = await read();
      return [name, Number.isFinite(value) ? value : null] as const;
    }),
  );
  return {
    version,
    parts: await parts(),
    figures: Object.fromEntries(figures),
    clockSkewMs: Math.round(clockSkewMs()),
    configuration: config.fingerprint,
    refused: config.refused.slice(0, MOST_REFUSED).map(({ id, since, findings }) => ({
      id,
      since: since.toISOString(),
      findings: findings.slice(0, MOST_FINDINGS).map((finding) => finding.slice(0, MOST_FINDING_CHARACTERS)),
    })),
    drained: membership.drainedAt !== null,
  };
}
