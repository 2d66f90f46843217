import type { ReplicaReads } from '#database/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';

/** How often is noted where the primary is; what is read by a standby is older by that at most. */
const INTERVAL_MS = 1_000;

/** Notes how far a standby has come, if one is asked. */
export function replicaServices(replica: ReplicaReads | undefined, observe: Observe): readonly Service[] {
  if (replica === undefined) return [];
  return [new Ticker({ name: 'replica', intervalMs: INTERVAL_MS, runOnce: () => replica.look(), observe })];
}

/** @param further those of other threads */
export function replicaGauges(
  replica: ReplicaReads | undefined,
  further: Readonly<Record<'replica' | 'primary', () => number>>,
) {
  const count = (where: 'replica' | 'primary') => () => (replica?.counts[where] ?? 0) + further[where]();
  return [
    {
      name: 'svc_db_replica_lag_seconds',
      help: 'How far the standby that reads are for is behind; NaN when it cannot be asked',
      read: () => (replica === undefined ? 0 : replica.lagSeconds),
    },
    {
      name: 'svc_db_reads_by_replica',
      help: 'Statements of reads that a standby has answered since the start',
      read: count('replica'),
    },
    {
      name: 'svc_db_reads_left_to_primary',
      help: 'Statements of such reads that it could not answer yet, or not at all, since the start',
      read: count('primary'),
    },
  ];
}
