import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase, runUnitOfWork } from '#database/index.ts';
import type { Observation } from '#observability/index.ts';
import { createObject, objectStore } from '#repo/index.ts';
import { fireTrigger, ScheduledServices } from '#scheduler/index.ts';
import { TriggerPoller } from '#scheduler/run/trigger-poller.ts';
import type { ScheduledService } from '#scheduler/service/scheduled-service.ts';
import { jobStore } from '#scheduler/store/job-store.ts';
import { createSchedule } from '../../src/scheduler/schedule/register-schedule.ts';
import { parseSchedule } from '../../src/scheduler/schedule/schedule.ts';
import { type FaultControl, installFaults } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';
import { some } from '../support/long.ts';
import { createMigratedDatabase } from '../support/migrated-database.ts';
import '../support/takes-long.ts';

const APPLICATION = 'faulty';
const MARKS = objectStore(['managed', 'mark']);

/** Leaves one object per run, in the run's transaction. */
const markingService: ScheduledService = {
  invokeService: 'mark',
  runsScripts: false,
  async execute(context, { jobId, runId }) {
    const db = await context.unitOfWork!.db();
    await sql`insert into managed_object (type, id, data)
              values ('mark', gen_random_uuid()::text,
                      jsonb_build_object('job', ${jobId}::text, 'run', ${runId}::text))`.execute(db);
  },
};

/** The same, as long as possible without a transaction of its own. */
const keepingService: ScheduledService = {
  invokeService: 'keep',
  runsScripts: true,
  async execute({ unitOfWork }, { jobId, runId }) {
    const isNew = await createObject(unitOfWork!, MARKS, randomUUID(), { job: jobId, run: runId });
    expect(isNew).toBe(true);
  },
};

/** Does nothing, so that its completion is left to the batch. */
const idleService: ScheduledService = { invokeService: 'idle', runsScripts: false, execute: async () => {} };

describe('one fire, when each of its statements fails in turn', () => {
  let test: Database & AsyncDisposable;
  let database: Database;
  let faults: FaultControl;
  let job = 0;

  beforeAll(async () => {
    test = await createMigratedDatabase();
    faults = installFaults();
    await sql`insert into cluster_node (name) values ('a')`.execute(test.db);
  });
  beforeEach(() => {
    database = openDatabase({ url: test.url, applicationName: APPLICATION, poolSize: 4 });
  });
  afterAll(() => test[Symbol.asyncDispose]());

  /** Fires one schedule to its end. @returns the statements that a fault could have met */
  async function fireOne(
    invokeService: 'mark' | 'keep' | 'idle',
    fault: Parameters<FaultControl['set']>[0],
    persisted: boolean,
  ) {
    const id = `job-${++job}`;
    const definition = parseSchedule(
      { type: 'simple', invokeService, startTime: new Date().toISOString().slice(0, 19) },
      { persisted },
    );
    await runUnitOfWork(test, {}, (unitOfWork) =>
      createSchedule({ unitOfWork, now: Date.now(), nodeName: 'a' }, { id, definition, source: 'rest' }),
    );
    const services = new ScheduledServices();
    services.register(markingService);
    services.register(keepingService);
    services.register(idleService);
    const observations: Observation[] = [];
    const poller = new TriggerPoller({
      store: jobStore(database.db),
      clock: { now: () => Date.now() },
      nodeName: 'a',
      holder: () => ({ nodeId: 1, epoch: 1 }),
      tuning: () => ({ threadCount: 4, idleWaitMs: 100 }),
      fire: (firing) => fireTrigger({ database, services }, firing),
      observe: (observation) => observations.push(observation),
    });
    faults.set(fault === null ? null : { ...fault, application: APPLICATION });
    await poller.start();
    const rows = await eventually(
      async () =>
        (
          await sql<{ outcome: string; failed: boolean; open: number; marks: number; jobs: number }>`
            select outcome, failed, (select count(*) from scheduler_run) + (select count(*) from scheduler_due) as open,
                   (select count(*) from managed_object where data->>'job' = ${id}) as marks,
                   (select count(*) from scheduler_job where id = ${id}) as jobs
            from svc_firing where schedule = ${id}`.execute(test.db)
        ).rows,
      (found) => found.length > 0 && found.every(({ open }) => open === 0),
    );
    const { seen, happened } = faults;
    faults.set(null);
    await eventually(
      async () => poller.active,
      (active) => active === 0,
    );
    await poller.stop();
    await database.close();
    return { rows, seen, happened, observations };
  }

  /** However many statements a fire has, until one of its runs meets no fault any more. */
  async function failEach(
    invokeService: 'mark' | 'keep' | 'idle',
    when: 'before' | 'after',
    what: 'conflict' | 'unable' | 'disconnect',
    persisted: boolean,
  ): Promise<number> {
    for (let nth = 1; ; nth++) {
      const { rows, happened, observations } = await fireOne(invokeService, { nth, when, what }, persisted);
      const told = `statement ${nth} ${when} ${what}: ${JSON.stringify(observations.map(({ kind }) => kind))}`;
      expect(rows, told).toHaveLength(1);
      expect(rows[0], told).toMatchObject({
        failed: false,
        marks: invokeService === 'idle' ? 0 : 1,
        open: 0,
        jobs: 0,
      });
      expect(['fired', 'late', 'recovered'], told).toContain(rows[0]!.outcome);
      if (!happened) return nth - 1;
      database = openDatabase({ url: test.url, applicationName: APPLICATION, poolSize: 4 });
    }
  }

  type Case = [
    'mark' | 'idle' | 'keep',
    'before' | 'after',
    'conflict' | 'disconnect' | 'unable',
    'persisted' | 'in memory',
  ];

  it.each(
    some<Case>(
      [
        ['mark', 'before', 'conflict', 'persisted'],
        ['mark', 'after', 'disconnect', 'persisted'],
        ['idle', 'before', 'unable', 'persisted'],
        ['keep', 'after', 'disconnect', 'persisted'],
        ['mark', 'after', 'disconnect', 'in memory'],
      ],
      [
        ['mark', 'before', 'disconnect', 'persisted'],
        ['mark', 'before', 'unable', 'persisted'],
        ['mark', 'after', 'conflict', 'persisted'],
        ['idle', 'before', 'conflict', 'persisted'],
        ['idle', 'before', 'disconnect', 'persisted'],
        ['idle', 'after', 'conflict', 'persisted'],
        ['idle', 'after', 'disconnect', 'persisted'],
        ['keep', 'before', 'conflict', 'persisted'],
        ['keep', 'before', 'disconnect', 'persisted'],
        ['idle', 'after', 'disconnect', 'in memory'],
      ],
    ),
  )(
    'has its effects once and one row in the ledger: service %s, fault %s execution, %s %s',
    async (invokeService, when, what, where) => {
      // Sweep, claim, start and completion at least; with effects also begin, the effect and commit.
      expect(await failEach(invokeService, when, what, where === 'persisted')).toBeGreaterThanOrEqual(
        invokeService === 'mark' ? 8 : 5,
      );
    },
  );
});
