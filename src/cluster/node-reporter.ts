import type { Database } from '#database/index.ts';
import { type Finding, formatFinding } from '#errors/index.ts';
import { type HealthPart, type Service, Ticker } from '#lifecycle/index.ts';
import type { Gauge, Observe } from '#observability/index.ts';
import type { Membership } from './membership.ts';
import { type NodeReport, writeReport } from './node-report-repository.ts';

const INTERVAL_MS = 2_000;
/** How many findings about one file are reported. */
const MOST_FINDINGS = 5;
const MOST_FINDING_CHARACTERS = 300;
const MOST_REFUSED = 100;

export interface NodeReporterOptions {
  readonly database: Database;
  readonly membership: Membership;
  readonly version: string;
  /** The last migration that this version has. */
  readonly migration: string;
  readonly gauges: () => readonly Gauge[];
  readonly parts: () => Promise<readonly HealthPart[]>;
  readonly clockSkewMs: () => number;
  readonly config: {
    readonly fingerprint: string;
    readonly refused: readonly {
      readonly id: string;
      readonly since: Date;
      readonly findings: readonly Finding[];
    }[];
  };
  readonly observe: Observe;
}

/** Writes down every few seconds how the node is, so that any node can answer for all. */
export function nodeReporter(options: NodeReporterOptions): Service {
  const { database, membership, observe } = options;
  const downSince = new Map<string, string>();
  const ticker = new Ticker({
    name: 'node report',
    intervalMs: INTERVAL_MS,
    runOnce: async () => writeReport(database.db, membership.nodeId, await reportOf(options, downSince)),
    observe,
  });
  membership.onDrain(() => ticker.wake());
  return ticker;
}

async function reportOf(options: NodeReporterOptions, downSince: Map<string, string>): Promise<NodeReport> {
  const { membership, version, migration, gauges, parts, clockSkewMs, config } = options;
  const figures = await Promise.all(
    gauges().map(async ({ name, read }) => {
      const value = await read();
      return [name, Number.isFinite(value) ? value : null] as const;
    }),
  );
  return {
    version,
    migration,
    parts: (await parts()).map((part) => dated(part, downSince)),
    figures: Object.fromEntries(figures),
    clockSkewMs: Math.round(clockSkewMs()),
    configuration: config.fingerprint,
    refused: config.refused.slice(0, MOST_REFUSED).map(({ id, since, findings }) => ({
      id,
      since: since.toISOString(),
      findings: findings
        .slice(0, MOST_FINDINGS)
        .map((finding) => formatFinding(finding).slice(0, MOST_FINDING_CHARACTERS)),
    })),
    drained: membership.drainedAt !== null,
  };
}

function dated(part: HealthPart, downSince: Map<string, string>): NodeReport['parts'][number] {
  if (part.ok) {
    downSince.delete(part.name);
    return part;
  }
  const since = downSince.get(part.name) ?? new Date().toISOString();
  downSince.set(part.name, since);
  return { ...part, since };
}
