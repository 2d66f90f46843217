import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Db, runUnitOfWork } from '#database/index.ts';
import { removeSchedule, updateSchedule } from '../../../src/scheduler/schedule/register-schedule.ts';
import { claimDue } from '../../../src/scheduler/store/claim-repository.ts';
import { completeRun } from '../../../src/scheduler/store/completion-repository.ts';
import { findJob, setJobPaused } from '../../../src/scheduler/store/job-repository.ts';
import { jobStore } from '../../../src/scheduler/store/job-store.ts';
import { type Released, releaseRuns } from '../../../src/scheduler/store/release-repository.ts';
import { startRuns } from '../../../src/scheduler/store/start-repository.ts';
import { eventually } from '../../support/eventually.ts';
import { A, runSite, T0 } from '../../support/run-site.ts';

describe('an edit of a schedule while its run is under way', () => {
  const site = runSite();
  const { add, claim, entry, complete } = site;

  it('lets a run that ends during an edit wait for it, so that nothing fires that the edit has recorded as not fired', async () => {
    await add('j');
    const { runs } = await claim();
    const [run] = await startRuns(site.db, A, runs);
    const [edited, committed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const edit = runUnitOfWork(site.database, {}, async (unitOfWork) => {
      const old = await findJob(await unitOfWork.db(), 'j', { lock: true });
      const definition = { ...old!.definition, schedule: '0 * * * * ?' };
      await updateSchedule({ unitOfWork, now: T0 + 3_500, nodeName: 'a' }, old!, {
        id: 'j',
        source: 'rest',
        definition,
      });
      edited.resolve();
      await committed.promise;
    });
    await edited.promise;
    const completed = complete(run!, T0);
    const waiters = sql<{ n: number }>`
      select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await eventually(
      async () => (await waiters.execute(site.db)).rows[0]!.n,
      (n) => n === 1,
    );
    committed.resolve();
    await edit;
    expect(await completed).toBe(true);
    const later = await claim();
    expect((await startRuns(site.db, A, later.runs)).map(({ generation }) => generation)).toEqual([2]);
    const { rows } = await sql<{ entry: string }>`
      select concat_ws(' ', extract(second from planned_at)::int, outcome) as entry
      from scheduler_firing order by planned_at`.execute(site.db);
    expect(rows.map(({ entry }) => entry)).toEqual([
      '59 fired',
      '0 skipped',
      '1 skipped',
      '2 skipped',
      '3 skipped',
    ]);
  });

  const waiters = async () =>
    (
      await sql<{ n: number }>`
        select count(*) as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(site.db)
    ).rows[0]!.n;
  const blocked = () => eventually(waiters, (n) => Number(n) === 1);
  const ledger = async () =>
    (
      await sql<{ entry: string }>`
        select concat_ws(' ', (extract(epoch from planned_at) - ${T0 / 1000})::int, outcome, why) as entry
        from scheduler_firing order by planned_at`.execute(site.db)
    ).rows.map(({ entry }) => entry);
  /** What a statement does that is sent and not yet committed while another one is sent. */
  const whileUnderWay = async <T>(
    first: (db: Db) => Promise<T>,
    second: () => Promise<unknown>,
  ): Promise<T> => {
    const { promise: done, resolve } = Promise.withResolvers<T>();
    const { promise: allowed, resolve: commit } = Promise.withResolvers<void>();
    const transaction = site.db.transaction().execute(async (db) => {
      resolve(await first(db as unknown as Db));
      await allowed;
    });
    const result = await done;
    const other = second();
    await blocked();
    commit();
    await Promise.all([transaction, other]);
    return result;
  };
  const edit = (now: number, change: Record<string, string> = { schedule: '0 0 0 1 1 ?' }) =>
    runUnitOfWork(site.database, {}, async (unitOfWork) => {
      const old = (await findJob(await unitOfWork.db(), 'j', { lock: true }))!;
      const definition = { ...old.definition, ...change };
      await updateSchedule({ unitOfWork, now, nodeName: 'a' }, old, { id: 'j', source: 'rest', definition });
    });
  const remove = (now: number) =>
    runUnitOfWork(site.database, {}, async (unitOfWork) => {
      const job = (await findJob(await unitOfWork.db(), 'j', { lock: true }))!;
      await removeSchedule({ unitOfWork, now, nodeName: 'a' }, job);
    });

  it.each([
    ['edited', edit],
    ['deleted', remove],
  ] as const)(
    'records all that had come of a schedule that is %s while it is claimed, or ends',
    async (was, change) => {
      const skipped = (n: number) => `${n} skipped the schedule was ${was} before it could fire`;
      await add('j', {}, T0);
      const { runs } = await whileUnderWay(
        (db) => claimDue(db, { holder: A, limit: 10, lookAheadMs: 0, watermark: 0 }),
        () => change(T0 + 2_500),
      );
      expect(runs).toHaveLength(1);
      expect(await ledger()).toEqual([0, 1, 2].map(skipped));
      expect(await startRuns(site.db, A, runs)).toEqual([]);

      await sql`truncate scheduler_job, scheduler_due, scheduler_firing`.execute(site.db);
      await add('j', {}, T0);
      const [run] = await startRuns(site.db, A, (await claim()).runs);
      await whileUnderWay(
        (db) => completeRun(db, A, run!, T0 + 1_000, [entry('j', T0)]),
        () => change(T0 + 2_500),
      );
      expect(await ledger()).toEqual(['0 fired', skipped(1), skipped(2)]);
      expect(await startRuns(site.db, A, (await claim()).runs)).toEqual([]);
      expect(await ledger()).toHaveLength(3);
    },
  );

  it('goes on with a schedule that is resumed, or edited, while its run ends', async () => {
    await add('j');
    const { triggerId } = (await findJob(site.db, 'j'))!;
    const [run] = await startRuns(site.db, A, (await claim()).runs);
    await setJobPaused(site.db, triggerId, true);
    const held = Promise.withResolvers<void>();
    const resumed = Promise.withResolvers<void>();
    const holding = site.db.transaction().execute(async (db) => {
      await sql`select from scheduler_run for update`.execute(db);
      held.resolve();
      await resumed.promise;
    });
    await held.promise;
    const completed = complete(run!, T0);
    await blocked();
    await setJobPaused(site.db, triggerId, false);
    resumed.resolve();
    await Promise.all([holding, completed]);
    await jobStore(site.db).sweep(A, 'a');
    const { runs } = await claim();
    expect(runs).toMatchObject([{ fireAt: T0 }]);

    const [last] = await startRuns(site.db, A, runs);
    await whileUnderWay(
      async (db) => {
        const old = (await findJob(db, 'j', { lock: true }))!;
        await sql`select from scheduler_run for update`.execute(db);
        await sql`update scheduler_job set generation = generation + 1`.execute(db);
        await sql`insert into scheduler_due (due_at, fire_at, trigger_id, generation)
                  values (now(), ${new Date(T0 + 60_000)}, ${triggerId}, ${old.generation + 1})`.execute(db);
      },
      () => complete(last!, null),
    );
    expect((await claim()).runs).toMatchObject([{ fireAt: T0 + 60_000 }]);
    expect(await findJob(site.db, 'j')).toMatchObject({ generation: 2 });
  });

  it('goes on beside whoever gives back the run, whose schedule that asks for first', async () => {
    await add('j');
    await startRuns(site.db, A, (await claim()).runs);
    let released: Promise<Released> | undefined;
    await runUnitOfWork(site.database, {}, async (unitOfWork) => {
      const old = (await findJob(await unitOfWork.db(), 'j', { lock: true }))!;
      released = releaseRuns(site.db, A, 'b');
      released.catch(() => undefined);
      await blocked();
      await removeSchedule({ unitOfWork, now: T0 + 500, nodeName: 'a' }, old);
    });
    expect(await released).toEqual({ released: 1, parked: [] });
    expect(await ledger()).toEqual([
      '-1 lost node a was lost while it ran, and the schedule had been deleted meanwhile',
      '0 skipped the schedule was deleted before it could fire',
    ]);
  });

  it('goes on beside the last run of the schedule, which does not wait to take that with it', async () => {
    await add('j', { type: 'simple' });
    await sql`update scheduler_due set due_at = now()`.execute(site.db);
    const [run] = await startRuns(site.db, A, (await claim()).runs);
    await runUnitOfWork(site.database, {}, async (unitOfWork) => {
      const old = (await findJob(await unitOfWork.db(), 'j', { lock: true }))!;
      expect(await complete(run!, null)).toBe(true);
      const definition = { ...old.definition, type: 'cron' as const, schedule: '0 0 0 1 1 ?' };
      await updateSchedule({ unitOfWork, now: T0 + 500, nodeName: 'a' }, old, {
        id: 'j',
        source: 'rest',
        definition,
      });
    });
    expect(await findJob(site.db, 'j')).toMatchObject({ generation: 2 });
  });
});
