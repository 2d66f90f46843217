import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStatus } from '#administration/finding-repository.ts';
import type { Database } from '#database/index.ts';
import { NO_PAGING, parsePath, parseQueryFilter, parseSortKeys } from '#resource/index.ts';
import { type AuditScope, findEvent, queryEvents } from '#security/audit/audit-repository.ts';
import { createMigratedDatabase } from '../support/migrated-database.ts';
import { plansOf } from '../support/plans-of.ts';

const MANY = 30_000;

describe('what user interfaces list', () => {
  let database: Database & AsyncDisposable;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    const { db } = database;
    await sql`
      insert into audit_event (id, topic, recorded_at, transaction_id, event)
      select gen_random_uuid(), case when n % 3 = 0 then 'access' else 'activity' end, now() - n * interval '1 ms',
             'transaction', jsonb_build_object('operation', 'UPDATE', 'text', repeat('x', 200))
      from generate_series(1, ${MANY}) n`.execute(db);
    await sql`
      insert into scheduler_job (id, definition, source, content_hash)
      select 'job-' || n, jsonb_build_object('enabled', true, 'text', repeat('x', 200)), 'rest', ''
      from generate_series(1, ${MANY}) n`.execute(db);
    await sql`
      insert into scheduler_due (due_at, fire_at, trigger_id, generation)
      select now() + interval '1 day', now() + interval '1 day', trigger_id, generation from scheduler_job`.execute(
      db,
    );
    await sql`vacuum analyze`.execute(db);
  });
  afterAll(() => database?.[Symbol.asyncDispose]());

  const page = (scope: AuditScope, sortKeys: string, filter = 'true', cookie?: string) =>
    queryEvents(database.db, scope, {
      method: 'query',
      path: parsePath(`audit/${scope}`),
      fields: [],
      parameters: {},
      queryFilter: parseQueryFilter(filter),
      sortKeys: parseSortKeys(sortKeys),
      paging: { ...NO_PAGING, pageSize: 50, ...(cookie === undefined ? {} : { cookie }) },
    } as never);

  /** Tables that were read as a whole, but for those that have few rows. */
  const wholes = (plan: string) =>
    (plan.match(/Seq Scan on (audit_event_\d+_\d+|scheduler_job|scheduler_due)\b.*rows=\d{3,}/g) ?? []).map(
      String,
    );

  it.each<[AuditScope, string]>([
    ['activity', '-timestamp'],
    ['activity', 'timestamp'],
    ['activity', '_id'],
    ['_all', '-timestamp'],
    ['_all', '_id'],
  ])('has a page of the audit (%s by %s) from an index, and the one after it', async (scope, sortKeys) => {
    const first = await page(scope, sortKeys);
    expect(first.rows).toHaveLength(50);
    for (const cookie of [undefined, first.cookie ?? undefined]) {
      const plan = await plansOf(database, () => page(scope, sortKeys, 'true', cookie));
      expect(plan).toMatch(/Index Scan/);
      expect(wholes(plan)).toEqual([]);
    }
  });

  it('finds an entry of the audit by its id, and nothing by what is no id', async () => {
    const { rows } = await page('activity', '_id');
    const id = rows[0]?.id ?? '';
    const plan = await plansOf(database, async () => {
      expect((await findEvent(database.db, '_all', id))?.id).toBe(id);
      expect(
        (await page('activity', '_id', `_id eq "${id}" or _id in ["${id}", "nothing"]`)).rows,
      ).toHaveLength(1);
    });
    expect(wholes(plan)).toEqual([]);
    expect(await findEvent(database.db, '_all', 'nothing')).toBeUndefined();
    expect(await findEvent(database.db, '_all', id.toUpperCase())).toBeUndefined();
  });

  it('looks at the state of the cluster without reading what waits for its time', async () => {
    const plan = await plansOf(database, () => readStatus(database.db));
    expect(plan).toMatch(/Index Cond: \(due_at < \(statement_timestamp\(\)/);
    // What there is of schedules is counted up to a bound.
    expect(wholes(plan).filter((each) => !/rows=10000/.test(each))).toEqual([]);
  });
});
