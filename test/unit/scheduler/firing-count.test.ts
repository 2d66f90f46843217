import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database, Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { aggregateFirings } from '../../../src/scheduler/count/aggregate-firings.ts';
import { percentiles } from '../../../src/scheduler/count/tally.ts';
import { eventually } from '../../support/eventually.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';

const NOW = Date.parse('2026-05-04T12:00:00Z');
const DAY = '2026-05-04T10:';

interface Fired {
  readonly schedule?: string;
  readonly node?: string;
  readonly outcome?: string;
  readonly lateMs?: number;
  readonly tookMs?: number | null;
  readonly failed?: boolean;
}

describe('the counts of firings', () => {
  let database: Database & AsyncDisposable;
  let entries = 0;
  beforeAll(async () => {
    database = await createMigratedDatabase();
  });
  afterAll(() => database?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await sql`truncate scheduler_firing, scheduler_firing_count`.execute(database.db);
    await sql`update scheduler_firing_counted set counted_until = clock_timestamp(), next_until = null`.execute(
      database.db,
    );
  });

  /** An entry of the ledger, written when it ended. */
  const fire = async (time: string, fired: Fired = {}, db: Db = database.db) => {
    const { schedule = 'nightly', node = 'a', outcome = 'fired', lateMs = 5, tookMs = 20, failed } = fired;
    await sql`
      insert into scheduler_firing (planned_at, trigger_id, generation, job_id, outcome, node, started_at, ended_at, late_ms, error)
      select planned, ${++entries}, 1, ${schedule}, ${outcome}, ${node},
             case when ${tookMs}::float8 is not null then ended - ${tookMs ?? 0} * interval '1 ms' end, ended, ${lateMs},
             case when ${failed === true} then '{"message": "no"}'::jsonb end
      from (select ${new Date(time.includes('T') ? time : DAY + time)}::timestamptz as planned, clock_timestamp() as ended) e`.execute(
      db,
    );
  };
  const roll = () => sql`select scheduler_roll_firings('0 s', '0 s')`.execute(database.db);
  /** Whatever else writes on the server is waited for. */
  const rollAll = async () => {
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(database.db);
    const isCounted = sql`select from scheduler_firing_counted where counted_until >= ${rows[0]?.now}`;
    await eventually(
      async () => {
        await roll();
        return (await isCounted.execute(database.db)).rows;
      },
      ({ length }) => length > 0,
    );
  };
  const ask = async (body: JsonObject = {}) =>
    (await aggregateFirings(database.db, { from: `${DAY}00:00Z`, to: `${DAY}30:00Z`, ...body }, NOW))[
      'result'
    ];

  it('are told apart by time, schedule, outcome and node, with their percentiles', async () => {
    await fire('01:00Z', { lateMs: 2 });
    await fire('02:00Z', { lateMs: 4, node: 'b', failed: true });
    await fire('16:00Z', { lateMs: 900, outcome: 'late', tookMs: 3_000 });
    await fire('16:30Z', { schedule: 'hourly', outcome: 'skipped', tookMs: null, lateMs: 60_000 });
    expect(await ask({ bucket: '15m' })).toEqual([
      {
        at: `${DAY}00:00.000Z`,
        count: 2,
        failed: 1,
        lateMs: { p50: expect.closeTo(2, 0), p95: expect.closeTo(4, 0), max: 4 },
        tookMs: { p50: 20, p95: 20, max: 20 },
      },
      {
        at: `${DAY}15:00.000Z`,
        count: 2,
        failed: 0,
        lateMs: { p50: expect.closeTo(900, -2), p95: 60_000, max: 60_000 },
        tookMs: { p50: 2_782.2, p95: 2_782.2, max: 3_000 },
      },
    ]);
    expect(await ask({ by: ['outcome', 'schedule'] })).toMatchObject([
      { schedule: 'nightly', outcome: 'fired', count: 2 },
      { schedule: 'hourly', outcome: 'skipped', count: 1, tookMs: { p50: null, max: null } },
      { schedule: 'nightly', outcome: 'late', count: 1 },
    ]);
    expect(
      await ask({ by: 'node', queryFilter: 'schedule eq "nightly" and !(outcome eq "late")' }),
    ).toMatchObject([
      { node: 'a', count: 1 },
      { node: 'b', count: 1 },
    ]);
  });

  it('are the same before and after they were rolled, by the minute and by the hour', async () => {
    for (let n = 0; n < 40; n++)
      await fire(`${String(n % 20).padStart(2, '0')}:00Z`, {
        schedule: `s${n % 3}`,
        node: n % 2 === 0 ? 'a' : 'b',
        lateMs: n * n,
        tookMs: n === 7 ? null : n,
      });
    const questions: JsonObject[] = [
      {},
      { bucket: '5m' },
      { bucket: '1m', by: ['schedule', 'node'] },
      { bucket: '1h', by: ['outcome'] },
      { bucket: '1h', queryFilter: 'schedule eq "s1"' },
    ];
    const before = await Promise.all(questions.map(ask));
    await rollAll();
    await sql`truncate scheduler_firing`.execute(database.db);
    expect(await Promise.all(questions.map(ask))).toEqual(before);
  });

  it('are the same by the day, and where a time begins or ends within one', async () => {
    for (let n = 0; n < 60; n++) {
      const at = Date.parse('2026-04-29T00:00:00Z') + n * 7_919_000;
      await fire(new Date(at).toISOString(), { schedule: `s${n % 3}`, lateMs: n * n, tookMs: n });
    }
    const [from, to] = ['2026-04-29T07:30:00Z', '2026-05-04T11:00:00Z'];
    const questions: JsonObject[] = [
      { from, to },
      { from, to, by: ['schedule'] },
      { from: '2026-04-30T00:00:00Z', to: '2026-05-02T00:00:00Z', by: ['outcome'] },
      { from: '2026-04-29T00:00:00Z', to, bucket: '1d' },
      { from: '2026-04-29T00:00:00Z', to, bucket: '2d', queryFilter: 'schedule eq "s1"' },
      { from, to, bucket: '1d', by: ['schedule'] },
    ];
    const before = await Promise.all(questions.map(ask));
    await rollAll();
    await sql`truncate scheduler_firing`.execute(database.db);
    expect(await Promise.all(questions.map(ask))).toEqual(before);
    // Five days and a half of three schedules: full days are read as such.
    await sql`delete from scheduler_firing_count where grain = 3600 and start >= '2026-04-30' and start < '2026-05-04'`.execute(
      database.db,
    );
    expect(await ask(questions[0])).toEqual(before[0]);
  });

  it('count an entry once, however late its transaction is committed, and whoever rolls meanwhile', async () => {
    await fire('01:00Z');
    const written = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const slow = database.db.transaction().execute(async (transaction) => {
      await fire('01:00Z', {}, transaction);
      written.resolve();
      await mayCommit.promise;
    });
    await written.promise;
    await Promise.all([roll(), roll(), roll()]);
    await fire('01:00Z');
    expect(await ask()).toMatchObject([{ count: 2 }]);
    mayCommit.resolve();
    await slow;
    expect(await ask()).toMatchObject([{ count: 3 }]);
    await Promise.all([rollAll(), rollAll(), rollAll()]);
    expect(await ask()).toMatchObject([{ count: 3 }]);
    await sql`truncate scheduler_firing`.execute(database.db);
    expect(await ask()).toMatchObject([{ count: 3 }]);
  });

  it('go on after the database was restored where transactions are counted anew', async () => {
    await rollAll();
    await sql`update scheduler_firing_counted
              set next_until = counted_until + interval '1 hour', awaited = '9000000000000'`.execute(
      database.db,
    );
    await fire('01:00Z');
    await rollAll();
    await sql`truncate scheduler_firing`.execute(database.db);
    expect(await ask()).toMatchObject([{ count: 1 }]);
  });

  it.each([
    [{ from: 'yesterday' }, '/from', 'from is "yesterday"'],
    [{ from: `${DAY}30:00Z` }, '/from', 'is not before'],
    [{ bucket: '90s' }, '/bucket', 'bucket is "90s"'],
    [{ bucket: '1M' }, '/bucket', 'bucket is "1M"'],
    [{ from: '2026-04-01T00:00:00Z', bucket: '5m' }, '/bucket', 'for 7 days only'],
    [{ from: '2020-01-01T00:00:00Z', bucket: '1h' }, '/bucket', 'These are 55571 buckets'],
    [{ by: ['nodes'] }, '/by', 'by has "nodes"'],
    [{ queryFilter: 'lateMs gt 5' }, '/lateMs', "There is no field 'lateMs'"],
    [{ buckets: '1h' }, '/buckets', "There is no 'buckets'"],
  ])('refuse %j', async (body, field, message) => {
    await expect(ask(body as JsonObject)).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining(message),
      detail: { field },
    });
  });

  it('read percentiles off a tally within a tenth', () => {
    const twelve = (count: number) => String(count).padStart(12, '0');
    const tally = `${1}${twelve(0)}${twelve(90)}${twelve(9)}`;
    expect(percentiles(tally, [0.05, 0.5, 1], 2)).toEqual([
      0.5,
      expect.closeTo(1.1, 1),
      expect.closeTo(1.6, 1),
    ]);
    expect(percentiles(tally, [1], 1.5)).toEqual([1.5]);
    expect(percentiles(null, [0.5, 0.95], null)).toEqual([null, null]);
  });
});
