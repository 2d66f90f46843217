import type { Database } from '#database/index.ts';
import { inTurn } from '#lifecycle/index.ts';
import type { Gauge } from '#observability/index.ts';
import { findLockWaits, type LockWaits } from './lock-wait-repository.ts';

/** One look serves both figures. */
const FRESH_MS = 500;
/** What cannot be asked for. */
const UNKNOWN: LockWaits = { sessions: Number.NaN, oldestSeconds: Number.NaN };

/** Requests and runs of this node that wait for a lock, asked of Postgres when somebody looks. */
export function lockGauges(database: Database, applicationName: string): readonly Gauge[] {
  const find = inTurn(() => findLockWaits(database.db, applicationName));
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer = Promise.resolve(UNKNOWN);
  const ask = () => {
    const now = performance.now();
    if (now - askedAt > FRESH_MS) {
      askedAt = now;
      answer = find().catch(() => UNKNOWN);
    }
    return answer;
  };
  return [
    {
      name: 'svc_db_lock_waiting',
      help: 'Sessions of this node that wait for a lock in Postgres; NaN while it does not answer',
      read: async () => (await ask()).sessions,
    },
    {
      name: 'svc_db_lock_wait_seconds',
      help: 'How long the first of them has been waiting',
      read: async () => (await ask()).oldestSeconds,
    },
  ];
}
