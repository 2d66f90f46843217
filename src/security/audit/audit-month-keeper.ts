import type { AuditConfig } from '#config/index.ts';
import { type Database, type Db, runUnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { asJson } from '#json/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { auditEvent } from './audit-event.ts';
import type { AuditKeys } from './audit-keys.ts';
import { insertEntries } from './audit-repository.ts';
import { pruneHistory } from './history-repository.ts';
import { countPruned } from './pruning.ts';
import { addMonths, type PrunedMonth, pruneMonths } from './pruning-repository.ts';
import type { SignEntry } from './signed-entry.ts';

const INTERVAL_MS = 3_600_000;
const HISTORY_PAGE = 10_000;

export interface AuditMonthsOptions {
  readonly database: Database;
  readonly config: () => AuditConfig;
  readonly keys: AuditKeys;
  readonly sign: SignEntry;
}

/** Makes the trail's months ahead of their time and drops those that are no longer kept, every hour on each node. */
export function auditMonthKeeper(options: AuditMonthsOptions & { readonly observe: Observe }): Service {
  return new Ticker({
    name: 'months of audit_event',
    intervalMs: INTERVAL_MS,
    runOnce: async () => {
      await keepAuditMonths(options);
      await keepHistory(options);
    },
    observe: options.observe,
  });
}

/**
 * What is dropped is recorded in the same transaction, with the heads of its chains: seals that are missing and are in no
 * such record were taken away by somebody else.
 *
 * @returns the months that were dropped
 */
export function keepAuditMonths(options: AuditMonthsOptions): Promise<readonly PrunedMonth[]> {
  const { keepDays } = options.config();
  return runUnitOfWork(options.database, {}, async (unitOfWork) => {
    const db = await unitOfWork.db();
    const before = await countPruned(db, options.keys);
    await addMonths(db);
    const months = await pruneMonths(db, keepDays);
    if (months.length > 0) {
      const sealsPruned = months.reduce((sum, { seals }) => sum + seals, before);
      await record(db, options.sign, { keepDays, sealsPruned, months: asJson(months) });
    }
    return months;
  });
}

/** What has come from other servers ends with the months of the trail, a page after the other. @returns how much has */
export async function keepHistory({
  database,
  config,
}: Pick<AuditMonthsOptions, 'database' | 'config'>): Promise<number> {
  let ended = 0;
  for (;;) {
    const page = await pruneHistory(database.db, config().keepDays, HISTORY_PAGE);
    ended += page;
    if (page < HISTORY_PAGE) return ended;
  }
}

async function record(db: Db, sign: SignEntry, facts: JsonObject): Promise<void> {
  const who = { transactionId: 'system', userId: 'system' };
  const event = auditEvent('config', who, { runAs: 'system', operation: 'PRUNE', ...facts }, 'audit');
  await insertEntries(db, [sign(event)]);
}
