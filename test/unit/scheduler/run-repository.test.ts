import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Db, openDatabase, runUnitOfWork } from '#database/index.ts';
import type { Run } from '../../../src/scheduler/run/run.ts';
import { ensureSchedule } from '../../../src/scheduler/schedule/register-schedule.ts';
import { parseSchedule } from '../../../src/scheduler/schedule/schedule.ts';
import { claimDue } from '../../../src/scheduler/store/claim-repository.ts';
import { completeRuns } from '../../../src/scheduler/store/completion-repository.ts';
import {
  handBack,
  listOrphanedLives,
  releaseRuns,
  removeFinished,
  subjectOf,
} from '../../../src/scheduler/store/release-repository.ts';
import { planNext, startRuns } from '../../../src/scheduler/store/start-repository.ts';
import { A, B, runSite, T0 } from '../../support/run-site.ts';

const NONE: Run = {
  triggerId: 0,
  generation: 1,
  fireAt: T0,
  attempt: 1,
  lateFrom: null,
  nextPlanned: false,
  kind: 'planned',
  cause: null,
  slot: 0,
};

describe('the job store', () => {
  const site = runSite();
  const { add, claim, entry, complete, rowsRead, count, trigger } = site;

  it('gives each due trigger to exactly one claimer, however many there are', async () => {
    for (let n = 0; n < 60; n++) await add(`j${n}`);
    const claims = await Promise.all(Array.from({ length: 8 }, (_, n) => claim(n % 2 === 0 ? A : B, 20)));
    const claimed = claims.flatMap((each) => each.runs.map((run) => run.triggerId));
    expect(claimed.toSorted((x, y) => x - y)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
  });

  it('claims nothing before its time, and says when to come again', async () => {
    const later = Date.now() + 3_600_000;
    await add('j', {}, later);
    const { runs, nextDueAt } = await claim();
    expect(runs).toEqual([]);
    expect(nextDueAt).toBeGreaterThanOrEqual(later - 1000);
  });

  it('reads only what is due, however much waits, whatever the statistics say', async () => {
    await add('due');
    await sql`insert into scheduler_due (due_at, fire_at, trigger_id, generation)
              select at, at, 1000 + n, 1
              from generate_series(1, 3000) n, lateral (select now() + n * interval '1 hour' as at) t`.execute(
      site.db,
    );
    const read = await site.db.transaction().execute(async (transaction) => {
      await claimDue(transaction, { holder: A, limit: 500, lookAheadMs: 500, watermark: 0 });
      return rowsRead(transaction, 'scheduler_due');
    });
    expect(read).toBeLessThan(300);
  });

  it('looks up by key with plans that were made when there was nothing', async () => {
    await using scope = new AsyncDisposableStack();
    const keeping = openDatabase({ url: site.database.url, poolSize: 2, prepares: true, keepsPlans: true });
    scope.defer(() => keeping.close());
    const round = async (db: Db, isLast: boolean) => {
      const { runs } = await claimDue(db, { holder: A, limit: 100, lookAheadMs: 0, watermark: 0 });
      const started = await startRuns(db, A, runs);
      const first = started[0] ?? NONE;
      await planNext(db, A, first, first.fireAt + 1000, []);
      const completions = started.map((run, n) => ({
        run,
        next: isLast || n === 0 ? null : run.fireAt + 1000,
        entries: [entry('j', run.fireAt)],
      }));
      return (await completeRuns(db, A, completions)).size;
    };
    // The second of its sessions runs all that the first has prepared.
    for (let n = 0; n < 6; n++) {
      await round(keeping.db, false);
      await completeRuns(keeping.db, A, [{ run: NONE, next: null, entries: [] }]);
    }
    await sql`insert into scheduler_job (id, definition, source, content_hash)
              select 'j' || n, '{"type": "simple"}', 'rest', '' from generate_series(1, 3000) n`.execute(
      site.db,
    );
    await sql`insert into scheduler_due (due_at, fire_at, trigger_id, generation)
              select now() + trigger_id * interval '1 us', ${new Date(T0)}, trigger_id, 1
              from scheduler_job`.execute(site.db);
    await sql`vacuum scheduler_due, scheduler_job`.execute(site.db);
    const isLast = [false, true];
    const read = await keeping.db.transaction().execute(async (transaction) => {
      for (const last of isLast) expect(await round(transaction, last)).toBe(100);
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_prepared_statements
                                                where generic_plans > 0`.execute(transaction);
      expect(rows[0]!.n).toBeGreaterThanOrEqual(4);
      return Promise.all(
        ['scheduler_due', 'scheduler_run', 'scheduler_job'].map((table) => rowsRead(transaction, table)),
      );
    });
    for (const rows of read) expect(rows).toBeLessThan(2_000);
  });

  it('completes with as few look-ups while a held snapshot keeps all that was deleted', async () => {
    const [schedules, rounds] = [200, 5];
    await sql`insert into scheduler_job (id, definition, source, content_hash)
              select 'j' || n, '{"type": "simple"}', 'rest', '' from generate_series(1, ${schedules}::int) n`.execute(
      site.db,
    );
    await sql`insert into scheduler_due (due_at, fire_at, trigger_id, generation)
              select now(), ${new Date(T0)}, trigger_id, 1 from scheduler_job`.execute(site.db);
    const holder = await site.db.startTransaction().setIsolationLevel('repeatable read').execute();
    await sql`select count(*) from scheduler_run`.execute(holder);
    const round = async (db: Db) => {
      const { runs } = await claimDue(db, { holder: A, limit: schedules, lookAheadMs: 0, watermark: 0 });
      const entries = (run: Run) => [entry('j', run.fireAt)];
      const completions = runs.map((run) => ({ run, next: run.fireAt + 1000, entries: entries(run) }));
      return (await completeRuns(db, A, completions)).size;
    };
    for (let n = 0; n < rounds; n++) expect(await round(site.db)).toBe(schedules);
    // What it counts is that nothing lives there: a planner that believes it compares each with each.
    await sql`vacuum scheduler_run`.execute(site.db);
    const read = await site.db.transaction().execute(async (transaction) => {
      expect(await round(transaction)).toBe(schedules);
      return rowsRead(transaction, 'scheduler_run');
    });
    await holder.rollback().execute();
    expect(read).toBeLessThan(schedules * rounds * 10);
  });
  it('starts with the claim what is due and finds a slot, unless its schedule must not run now', async () => {
    for (const id of ['a', 'b', 'c', 'paused']) await add(id);
    await sql`update scheduler_job set paused = true where id = 'paused'`.execute(site.db);
    const options = { holder: A, limit: 10, lookAheadMs: 0, watermark: 0, startLimit: 2 };
    const { runs } = await claimDue(site.db, options);
    const started = runs.filter((run) => run.started !== undefined);
    expect(runs).toHaveLength(4);
    expect(started.map((run) => run.started!.jobId)).toEqual(
      runs.slice(0, 2).flatMap((run) => run.started?.jobId ?? []),
    );
    const marked = await sql<{ n: number }>`
      select count(*) as n from scheduler_run where started_at is not null`.execute(site.db);
    expect(marked.rows[0]!.n).toBe(started.length);
    for (const run of started) expect(await complete(run, null, A, run.started!.jobId)).toBe(true);
    expect((await startRuns(site.db, A, runs)).map(({ jobId }) => jobId)).not.toContain('paused');
  });

  it('claims nothing while the cluster is paused', async () => {
    await add('j');
    await sql`update scheduler_setting set paused = true`.execute(site.db);
    expect((await claim()).runs).toEqual([]);
    expect(await trigger()).toMatchObject({ state: 1, state_name: 'PAUSED' });
  });

  it('claims nothing for a node that was fenced out', async () => {
    await add('j');
    await sql`update cluster_node set epoch = 2 where id = 1`.execute(site.db);
    expect((await claim()).runs).toEqual([]);
    expect(await count('scheduler_due')).toBe(1);
  });

  it('never writes a claim time into the past, so that a lower bound loses nothing', async () => {
    const before = Date.now();
    await add('j');
    const { runs } = await claimDue(site.db, {
      holder: A,
      limit: 1,
      lookAheadMs: 0,
      watermark: before - 1000,
    });
    expect(runs).toMatchObject([{ fireAt: T0 - 1000 }]);
  });

  it('shows a claimed trigger as acquired by its node, and as blocked once its run has started', async () => {
    await add('j');
    expect(await trigger()).toMatchObject({ state: 0, previous_state: -1, acquired: false, nodeId: null });
    const { runs } = await claim();
    expect(await trigger()).toMatchObject({ state: 0, previous_state: -1, acquired: true, nodeId: 'a' });
    await startRuns(site.db, A, runs);
    expect(await trigger()).toMatchObject({ state: 4, previous_state: 0, acquired: true, nodeId: 'a' });
  });

  it('lets the next firing of a non-concurrent schedule wait only at completion', async () => {
    await add('j');
    const { runs } = await claim();
    expect(await count('scheduler_due')).toBe(0);
    expect(await complete(runs[0]!, T0)).toBe(true);
    expect((await claim()).runs).toMatchObject([{ fireAt: T0 }]);
  });

  it('lets the next firing of a concurrent schedule wait while it runs, once', async () => {
    await add('j', { concurrentExecution: true });
    const [run] = (await claim()).runs;
    await planNext(site.db, A, run!, T0, []);
    await planNext(site.db, A, run!, T0 + 1000, []);
    expect(await trigger()).toMatchObject({ state: 0, acquired: true });
    expect(await complete(run!, T0 + 2000)).toBe(true);
    expect((await claim()).runs).toMatchObject([{ fireAt: T0 }]);
    expect(await count('scheduler_due')).toBe(0);
  });

  it('completes a run once, and refuses whoever no longer holds it', async () => {
    await add('j');
    const [run] = (await claim()).runs;
    expect(await complete(run!, T0, { nodeId: 1, epoch: 0 })).toBe(false);
    expect(await complete(run!, T0, B)).toBe(false);
    expect(await complete(run!, T0)).toBe(true);
    expect(await complete(run!, T0)).toBe(false);
    expect(await count('scheduler_firing')).toBe(1);
  });

  it('gives the claims of a dead node to others, as late from their release', async () => {
    await add('j');
    const [run] = (await claim()).runs;
    await startRuns(site.db, A, [run!]);
    expect(await releaseRuns(site.db, A, 'b')).toEqual({ released: 1, parked: [] });
    const [again] = (await claim(B)).runs;
    expect(again).toMatchObject({ fireAt: run!.fireAt, attempt: 2 });
    expect(again!.lateFrom).toBeGreaterThan(run!.fireAt);
    expect(await complete(run!, T0)).toBe(false);
    expect(await complete(again!, T0, B)).toBe(true);
  });

  it('does not count a claim that never started as an attempt', async () => {
    await add('j');
    await claim();
    await releaseRuns(site.db, A, 'b');
    expect((await claim(B)).runs).toMatchObject([{ attempt: 1 }]);
  });

  it('does not start a suspect with the claim, because it is to be alone', async () => {
    for (const id of ['j', 'k']) await add(id);
    const claimAll = () =>
      claimDue(site.db, { holder: A, limit: 10, lookAheadMs: 0, watermark: 0, startLimit: 10 });
    for (let attempt = 1; attempt <= 3; attempt++) {
      const { runs } = await claimAll();
      expect(runs.map(({ started }) => started !== undefined)).toEqual([attempt < 3, attempt < 3]);
      // Who dies before a suspect has begun has nothing against it.
      for (let n = 0; n < 2; n++) await releaseRuns(site.db, A, 'b');
    }
    const { runs } = await claimAll();
    expect(runs).toMatchObject([
      { attempt: 3, cause: { suspected: 2 } },
      { attempt: 3, cause: { suspected: 2 } },
    ]);
  });

  it('parks a firing whose run took down three nodes, the last one while it was alone there', async () => {
    await add('j');
    for (let attempt = 1; attempt <= 3; attempt++) {
      const [run] = (await claim()).runs;
      await startRuns(site.db, A, [run!]);
      const alone = attempt === 3 ? subjectOf(run!) : null;
      const { parked } = await releaseRuns(site.db, A, 'b', { alone });
      expect(parked).toEqual(attempt < 3 ? [] : [{ jobId: 'j', attempts: 3 }]);
    }
    expect((await claim()).runs).toEqual([]);
    expect(await trigger()).toMatchObject({ state: 3, state_name: 'ERROR' });
    const { rows } = await sql`select outcome, why from svc_firing`.execute(site.db);
    expect(rows).toEqual([
      { outcome: 'lost', why: expect.stringMatching(/brought down a node or a script thread 3 times/) },
    ]);
  });

  it('finds claims that a fenced node made after its take-over', async () => {
    await add('j');
    await claim();
    await sql`update cluster_node set epoch = 5 where id = 1`.execute(site.db);
    expect(await listOrphanedLives(site.db)).toEqual([{ nodeId: 1, epoch: 1 }]);
  });

  it('hands back what has not been executed, and leaves what is', async () => {
    await add('started');
    await add('waiting');
    const { runs } = await claim();
    await startRuns(site.db, A, [runs[0]!]);
    expect(await handBack(site.db, A, { except: [runs[0]!] })).toBe(1);
    expect(await count('scheduler_run')).toBe(1);
    expect((await claim(B)).runs).toMatchObject([{ triggerId: runs[1]!.triggerId, attempt: 1 }]);
  });

  it('starts only runs of the schedule as it is now', async () => {
    await add('j');
    const { runs } = await claim();
    await sql`update scheduler_job set generation = 2`.execute(site.db);
    expect(await startRuns(site.db, A, runs)).toEqual([]);
    expect(await count('scheduler_run')).toBe(0);
  });

  it('forgets a schedule whose last two runs ended at once, without a look at all that waits for each', async () => {
    await add('twice', { type: 'simple', concurrentExecution: true });
    await sql`delete from scheduler_due`.execute(site.db);
    for (let n = 0; n < 100; n++) await add(`other-${n}`);
    const read = await site.db.transaction().execute(async (transaction) => {
      expect(await removeFinished(transaction)).toBe(1);
      return rowsRead(transaction, 'scheduler_due');
    });
    expect(await count('scheduler_job')).toBe(100);
    // A look at all that waits for each schedule would be ten thousand.
    expect(read).toBeLessThan(1000);
  });

  it('forgets a schedule of the REST interface after its last firing, and keeps one of a file', async () => {
    for (const id of ['j', 'file']) await add(id, { type: 'simple' });
    await sql`update scheduler_job set source = 'file' where id = 'file'`.execute(site.db);
    await sql`update scheduler_due set due_at = now()`.execute(site.db);
    for (const run of (await claim()).runs) await complete(run, null);
    expect(await count('scheduler_job')).toBe(1);
    expect(await count('scheduler_firing')).toBe(2);
    expect(await trigger('file')).toMatchObject({ state: 2, state_name: 'COMPLETE', acquired: false });
  });

  it('keeps what a schedule of a file has waiting, and its pause, unless the file has changed', async () => {
    const ensure = (fields: Record<string, string>, now: number) =>
      runUnitOfWork(site.database, {}, (unitOfWork) =>
        ensureSchedule(
          { unitOfWork, now, nodeName: 'a' },
          {
            id: 'f',
            source: 'file',
            definition: parseSchedule(
              { schedule: '0 0 3 * * ?', timeZone: 'UTC', invokeService: 'script', ...fields },
              { persisted: true },
            ),
          },
        ),
      );
    expect(await ensure({}, T0)).toBe('created');
    await sql`update scheduler_job set paused = true`.execute(site.db);
    const before = await trigger('f');
    expect(await ensure({}, T0 + 7 * 86_400_000)).toBe('unchanged');
    expect(await trigger('f')).toEqual(before);
    expect(await ensure({ schedule: '0 0 4 * * ?' }, T0)).toBe('updated');
    expect(await trigger('f')).toMatchObject({
      state: 1,
      next_fire_at: new Date(Date.parse('2026-05-05T04:00:00Z')),
    });
  });
});
