import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, runUnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { fireTrigger, ScheduledServices } from '#scheduler/index.ts';
import { TriggerPoller } from '#scheduler/run/trigger-poller.ts';
import type { ScheduledService } from '#scheduler/service/scheduled-service.ts';
import { jobStore } from '#scheduler/store/job-store.ts';
import { endLife } from '#scheduler/store/release-repository.ts';
import {
  createSchedule,
  removeSchedule,
  updateSchedule,
} from '../../../src/scheduler/schedule/register-schedule.ts';
import { parseSchedule } from '../../../src/scheduler/schedule/schedule.ts';
import type { ClaimOptions } from '../../../src/scheduler/store/claim-repository.ts';
import { findJob, setJobPaused } from '../../../src/scheduler/store/job-repository.ts';
import { eventually } from '../../support/eventually.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';

const LATE_MS = 20_000;
const THRESHOLD_MS = 5_000;

/** Whether all that was planned, and nothing else, ends in the ledger. */
describe('the ledger of a schedule', () => {
  let database: Database & AsyncDisposable;
  beforeAll(async () => {
    database = await createMigratedDatabase();
  });
  beforeEach(async () => {
    await sql`truncate scheduler_job, scheduler_removed, scheduler_due, scheduler_run, scheduler_firing, cluster_node restart identity cascade`.execute(
      database.db,
    );
    await sql`insert into cluster_node (name) values ('a'), ('b')`.execute(database.db);
  });
  afterAll(() => database?.[Symbol.asyncDispose]());

  const definitionOf = (fields: JsonObject) =>
    parseSchedule(
      { schedule: '* * * * * ?', timeZone: 'UTC', invokeService: 'work', ...fields },
      { persisted: true },
    );
  /** A schedule that fires each second, and has not for the last twenty. */
  const addLate = (fields: JsonObject = {}) =>
    runUnitOfWork(database, {}, (unitOfWork) =>
      createSchedule(
        { unitOfWork, now: Date.now() - LATE_MS, nodeName: 'a' },
        { id: 'j', source: 'rest', definition: definitionOf(fields) },
      ),
    );

  /** A node whose runs leave their mark in the database and then work as long as they are told to. */
  function node(
    name: string,
    nodeId: number,
    work: (runId: string, jobId: string) => Promise<void> = async () => {},
    now?: () => number,
  ) {
    const services = new ScheduledServices();
    const service: ScheduledService = {
      invokeService: 'work',
      runsScripts: false,
      async execute({ unitOfWork }, { runId, jobId }) {
        await sql`select 1`.execute(await unitOfWork!.db());
        await work(runId, jobId);
      },
    };
    services.register(service);
    const store = jobStore(database.db);
    // A node with a clock of its own waits for the time of what it has claimed, however late that is.
    const waits = { ...store, claim: (options: ClaimOptions) => store.claim({ ...options, startLimit: 0 }) };
    return new TriggerPoller({
      store: now === undefined ? store : waits,
      clock: { now: now ?? Date.now },
      nodeName: name,
      holder: () => ({ nodeId, epoch: 1 }),
      tuning: () => ({ threadCount: 10, idleWaitMs: 100, misfireThresholdMs: THRESHOLD_MS }),
      fire: (firing, signal) => fireTrigger({ database, services }, firing, { signal }),
      observe: () => {},
    });
  }

  const rows = async () =>
    (
      await sql<{
        plannedAt: Date;
        job: string;
        outcome: string;
        node: string;
        attempt: number;
        why: string | null;
      }>`
        select planned_at as "plannedAt", job_id as job, outcome, node, attempt, why
        from scheduler_firing order by planned_at`.execute(database.db)
    ).rows;

  /** The whole seconds between the first entry and the last that have none. */
  const gaps = async () =>
    (
      await sql<{ at: Date }>`
        select t.at from (select min(planned_at) as low, max(planned_at) as high from scheduler_firing
                          where date_trunc('second', planned_at) = planned_at) span
        cross join lateral generate_series(low, high, interval '1 second') as t(at)
        where not exists (select from scheduler_firing where planned_at = t.at)`.execute(database.db)
    ).rows.map(({ at }) => at.toISOString());

  it('has each time that one with concurrent execution let pass when it came too late, also when its node dies while the one run for them is under way', async () => {
    const began = Promise.withResolvers<string>();
    const end = Promise.withResolvers<void>();
    const a = node('a', 1, (runId) => {
      began.resolve(runId);
      return end.promise;
    });
    const before = Date.now();
    await addLate({ concurrentExecution: true });
    await a.start();
    const run = await began.promise;
    const fireAt = Number(run.split('.')[2]);
    expect(before - fireAt).toBeGreaterThan(THRESHOLD_MS);
    // What a node that dies leaves behind, and what the others do about it.
    a.fencedOut();
    await sql`update cluster_node set epoch = 2, state = 'down' where id = 1`.execute(database.db);
    await endLife(database.db, { nodeId: 1, epoch: 1 }, 'b');
    const b = node('b', 2);
    await b.start();
    const ledger = await eventually(
      rows,
      (found) =>
        found.some(({ plannedAt, attempt }) => plannedAt.getTime() === fireAt && attempt === 2) &&
        found.some(({ plannedAt }) => plannedAt.getTime() > before + 2_000),
    );
    end.resolve();
    await Promise.all([a.stop(), b.stop()]);
    expect(await gaps()).toEqual([]);
    const passed = ledger.filter(({ outcome }) => outcome === 'misfired');
    expect(passed.length).toBeGreaterThanOrEqual(LATE_MS / 1000 - 2);
    expect(ledger.find(({ plannedAt }) => plannedAt.getTime() === fireAt)).toMatchObject({
      outcome: 'recovered',
      node: 'b',
    });
    expect(passed[0]!.why).toContain(new Date(fireAt).toISOString());
  });

  it('says so of what a node had claimed and waited for when it was edited or deleted; what was paused fires later', async () => {
    const fired: string[] = [];
    const planned = Math.floor(Date.now() / 1000) * 1000 - 3_000;
    let clockGoesFrom: number | undefined;
    // It stands still a moment before the time of all of them, for as long as it is told to.
    const clock = () => planned - 100 + (clockGoesFrom === undefined ? 0 : Date.now() - clockGoesFrom);
    const a = node('a', 1, async (_runId, jobId) => void fired.push(jobId), clock);
    const change = <T>(work: Parameters<typeof runUnitOfWork<T>>[2]) => runUnitOfWork(database, {}, work);
    const simple = definitionOf({ type: 'simple' });
    for (const id of ['paused', 'edited', 'deleted', 'left']) {
      await change((unitOfWork) =>
        createSchedule(
          { unitOfWork, now: planned, nodeName: 'a' },
          { id, source: 'rest', definition: simple },
        ),
      );
    }
    await a.start();
    const claimed = async () =>
      (
        await sql<{
          n: number;
        }>`select count(*)::int as n from scheduler_run where started_at is null`.execute(database.db)
      ).rows[0]!.n;
    await eventually(claimed, (n) => n === 4);
    const get = async (id: string) => (await findJob(database.db, id))!;
    const { triggerId } = await get('paused');
    await setJobPaused(database.db, triggerId, true);
    const scope = { now: Date.now(), nodeName: 'b' };
    const later = {
      id: 'edited',
      source: 'rest' as const,
      definition: definitionOf({ schedule: '0 0 0 1 1 ?' }),
    };
    const edited = await get('edited');
    await change((unitOfWork) => updateSchedule({ ...scope, unitOfWork }, edited, later));
    const deleted = await get('deleted');
    await change((unitOfWork) => removeSchedule({ ...scope, unitOfWork }, deleted));
    clockGoesFrom = Date.now();
    await eventually(
      async () => fired,
      (found) => found.length > 0,
    );
    await eventually(claimed, (n) => n === 0);
    expect(fired).toEqual(['left']);
    await setJobPaused(database.db, triggerId, false);
    a.wake();
    await eventually(
      async () => fired,
      (found) => found.length > 1,
    );
    await a.stop();
    expect(fired).toEqual(['left', 'paused']);
    const ledger = (await rows()).map(({ job, outcome }) => `${job} ${outcome}`);
    expect(ledger).toEqual(expect.arrayContaining(['edited skipped', 'deleted skipped']));
    expect(ledger.filter((entry) => /edited|deleted/.test(entry))).toHaveLength(2);
  });
});
