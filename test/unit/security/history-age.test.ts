import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditConfig } from '#config/index.ts';
import type { Database } from '#database/index.ts';
import { keepHistory } from '#security/audit/audit-month-keeper.ts';
import { planAudit } from '#security/audit/plan-audit.ts';
import { countHistory, deleteHistory, insertHistory } from '#security/index.ts';
import { stableTimeOrderedId } from '#time/index.ts';
import { takeHistory } from '../../../src/cli/import/history/take-history.ts';
import { verifyHistory } from '../../../src/cli/import/history/verify-history.ts';
import { openForeignDatabase } from '../../../src/cli/import/repository/foreign-database-repository.ts';
import { Tally } from '../../../src/cli/import/repository/tally.ts';
import { postgresWriter } from '../../support/foreign-repository.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => Date.now() - days * DAY_MS;
const config = (keepDays: number) => ({ keepDays }) as AuditConfig;

describe('what another server has recorded', () => {
  let database: Database & AsyncDisposable;
  beforeAll(async () => {
    database = await createMigratedDatabase();
  });
  afterAll(() => database?.[Symbol.asyncDispose]());

  const put = async (...days: readonly number[]) => {
    const entries = days.map((age) => ({
      id: stableTimeOrderedId(['old', String(age)], daysAgo(age)),
      topic: 'activity' as const,
      at: daysAgo(age),
      transactionId: 't',
      userId: null,
      objectId: null,
      event: { age },
    }));
    await deleteHistory(database.db);
    await insertHistory(database.db, 'old', entries);
  };
  const kept = async () => (await countHistory(database.db)).reduce((sum, { items }) => sum + items, 0);
  const keep = (keepDays: number) => keepHistory({ database, config: () => config(keepDays) });

  it('is kept as long as the audit is, by whole months', async () => {
    await put(10, 300, 400, 4_000);
    expect([await keep(365), await kept()]).toEqual([2, 2]);
    expect(await keep(365)).toBe(0);
  });

  it('is kept for ninety days, whatever is configured', async () => {
    await put(10, 80, 130);
    expect([await keep(1), await kept()]).toEqual([1, 2]);
  });

  it('is counted where a shorter time is planned', async () => {
    await put(10, 200, 300);
    const [effect] = await planAudit(database.db, config(365), config(100));
    expect(effect).toMatchObject({ kind: 'audit.ended', count: 2 });
  });

  it('does not come where it would not be kept, which is told, and not missed', async () => {
    await using old = await createTestDatabase();
    const { write, end } = await postgresWriter(old.url);
    await write('create schema if not exists openidm');
    await write(
      'create table openidm.auditactivity (objectid varchar(56) primary key, activitydate varchar(29), eventname varchar(255))',
    );
    for (const age of [5, 200, 500, 900]) {
      await write("insert into openidm.auditactivity values (?, ?, 'activity')", [
        `a-${age}`,
        new Date(daysAgo(age)).toISOString(),
      ]);
    }
    await end();
    await deleteHistory(database.db);
    await using foreign = await openForeignDatabase(old.url, undefined, undefined);
    const options = { foreign, place: 'old', database, since: '', keepDays: 365, isApplied: true };
    const tally = new Tally();
    await takeHistory({ ...options, tally });
    expect(tally.of('audit/activity')).toMatchObject({ read: 4, created: 2, left: 2 });
    expect(tally.remarks).toEqual([
      expect.objectContaining({ count: 2, reason: expect.stringContaining('"keepDays": 365') }),
    ]);
    const again = new Tally();
    await verifyHistory({ ...options, tally: again });
    expect([again.hasLeft, again.of('audit/activity').unchanged]).toEqual([false, 2]);
  });
});
