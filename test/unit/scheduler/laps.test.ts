import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '#database/index.ts';
import { type JobStoreHarness, openJobStore } from '../../support/job-store-harness.ts';

/** So many schedules fire once a minute, so often: more than the sixteen laps. */
const SCHEDULES = 1_000;
const ROUNDS = 40;

describe('the laps of what waits and runs', () => {
  let h: JobStoreHarness;
  let database: Database;
  beforeAll(async () => {
    h = await openJobStore(true);
    database = h.database;
  });
  beforeEach(() => h.clear());
  afterAll(() => h[Symbol.asyncDispose]());

  const pagesOf = async (statement: ReturnType<typeof sql>) => {
    const { rows } = await sql<{
      'QUERY PLAN': [{ Plan: Record<`Shared ${'Hit' | 'Read' | 'Dirtied'} Blocks`, number> }];
    }>`explain (analyze, buffers, format json) ${statement}`.execute(database.db);
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0];
    return {
      seen: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      dirtied: plan['Shared Dirtied Blocks'],
    };
  };

  const TABLES = {
    scheduler_due: (from: number, to: number) => sql`
      insert into scheduler_due (due_at, fire_at, trigger_id, generation)
      select now(), to_timestamp(60 * round), trigger_id, 1 from ${firings(from, to)}`,
    scheduler_run: (from: number, to: number) => sql`
      insert into scheduler_run (trigger_id, generation, fire_at, attempt, next_planned, node_id, node_epoch, slot)
      select trigger_id, 1, to_timestamp(60 * round), 1, false, 1, 1, round * 60000::bigint * 1024 + 1
      from ${firings(from, to)}`,
  };
  const firings = (from: number, to: number) => sql`
    (select round, trigger_id from generate_series(${from}::int, ${to}::int) round, generate_series(1, ${SCHEDULES}::int) trigger_id
     order by round, md5(round || ' ' || trigger_id)) as firings`;

  for (const [table, insert] of Object.entries(TABLES)) {
    it(`keep firings of one time together in ${table}, away from earlier ones that nothing may clean away`, async () => {
      await insert(1, ROUNDS).execute(database.db);
      // From here on each page that is changed counts once.
      await sql`checkpoint`.execute(database.db);
      const { dirtied } = await pagesOf(insert(ROUNDS + 1, ROUNDS + 1));
      expect(dirtied).toBeGreaterThan(0);
      expect(dirtied).toBeLessThan(100);
    });
  }

  it('are all asked where one schedule is looked for', async () => {
    await h.put('j');
    for (const insert of Object.values(TABLES)) await insert(1, ROUNDS).execute(database.db);
    const left = async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from (
          select trigger_id from scheduler_due union all select trigger_id from scheduler_run) firings
        where trigger_id = 1`.execute(database.db);
      return rows[0]!.n;
    };
    expect(await left()).toBe(2 * ROUNDS + 1);
    await h.remove('j');
    expect(await left()).toBe(0);
  });

  it('are asked once for a list of all schedules, and not for each of them', async () => {
    await sql`
      insert into scheduler_job (id, definition, source, content_hash)
      select 'job ' || n, '{}', 'rest', '' from generate_series(1, ${SCHEDULES}::int) n`.execute(database.db);
    await TABLES.scheduler_due(1, 2).execute(database.db);
    await sql`analyze scheduler_job, scheduler_due`.execute(database.db);
    const { rows } = await sql<{ next: number }>`
      select distinct extract(epoch from next_fire_at)::int as next from scheduler_trigger_view`.execute(
      database.db,
    );
    expect(rows).toEqual([{ next: 60 }]);
    const { seen } = await pagesOf(sql`select count(*) from scheduler_trigger_view where state = 1`);
    expect(seen).toBeLessThan(5 * SCHEDULES);
  });
});
