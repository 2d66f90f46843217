import type { Database } from '#database/index.ts';
import { kept } from '#lifecycle/index.ts';
import type { AskedGauge } from '#observability/index.ts';
import { findLockWaits } from './lock-wait-repository.ts';

/** Requests and runs of this node that wait for a lock, asked of Postgres when somebody looks. */
export function lockGauges(database: Database, applicationName: string): readonly AskedGauge[] {
  const waits = kept(() => findLockWaits(database.db, applicationName));
  return [
    {
      name: 'svc_db_lock_waiting',
      help: 'Sessions of this node that wait for a lock in Postgres; NaN while it does not answer',
      ask: async () => (await waits()).sessions,
    },
    {
      name: 'svc_db_lock_wait_seconds',
      help: 'How long the first of them has been waiting',
      ask: async () => (await waits()).oldestSeconds,
    },
  ];
}
