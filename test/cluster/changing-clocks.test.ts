import { sql } from 'kysely';
import { describe, test } from 'vitest';
import type { DaylightSaving } from '#cron/index.ts';
import { DatabaseClock, openDatabase, runUnitOfWork } from '#database/index.ts';
import { fireTrigger, ScheduledServices } from '#scheduler/index.ts';
import { TriggerPoller } from '#scheduler/run/trigger-poller.ts';
import type { ScheduledService } from '#scheduler/service/scheduled-service.ts';
import { jobStore } from '#scheduler/store/job-store.ts';
import { createSchedule } from '../../src/scheduler/schedule/register-schedule.ts';
import { parseSchedule } from '../../src/scheduler/schedule/schedule.ts';
import { eventually } from '../support/eventually.ts';
import { createMigratedDatabase } from '../support/migrated-database.ts';

const idle: ScheduledService = { invokeService: 'idle', runsScripts: false, execute: async () => {} };

/** Fires each second whatever the clocks of zones do. */
const METRONOME = 'metronome';

/** A database in which it is `time` now. The only clock that counts is its own, so nothing else need be told. */
async function databaseAt(time: string) {
  const migrated = await createMigratedDatabase();
  const by = sql.lit(time);
  const clock = (name: string, volatility: 'volatile' | 'stable') => sql`
    create function simulated.${sql.raw(name)}() returns timestamptz language sql ${sql.raw(volatility)}
      as ${sql.lit(`select pg_catalog.${name}() + by from simulated.shift`)}`;
  await sql`create schema simulated`.execute(migrated.db);
  await sql`create table simulated.shift (by interval not null)`.execute(migrated.db);
  await clock('clock_timestamp', 'volatile').execute(migrated.db);
  await clock('statement_timestamp', 'stable').execute(migrated.db);
  await sql`alter database ${sql.ref(new URL(migrated.url).pathname.slice(1))}
            set search_path = simulated, pg_catalog, public`.execute(migrated.db);
  await sql`insert into cluster_node (name) values ('a')`.execute(migrated.db);
  await sql`insert into simulated.shift select ${by}::timestamptz - pg_catalog.clock_timestamp()`.execute(
    migrated.db,
  );
  return migrated;
}

interface Case {
  readonly what: string;
  readonly dst: DaylightSaving;
  /** When the node begins to work; it goes on for some seconds, past the change of clocks. */
  readonly from: string;
  /** When the schedules were made; default: just then. */
  readonly made?: string;
  /** By the expression, in Europe/Berlin: the times of UTC at which it fires until two seconds after the change. */
  readonly fires: Record<string, readonly string[]>;
}

describe('while clocks change, a node fires', () => {
  test.concurrent.for<Case>([
    {
      what: 'nothing in the hour that is skipped',
      dst: 'quartz',
      from: '2026-03-29T00:59:58.5Z',
      fires: {
        '* * * * * ?': ['00:59:59', '01:00:00', '01:00:01'],
        '0 0 2 * * ?': [],
        '0 0 3 * * ?': ['01:00:00'],
      },
    },
    {
      what: 'what is skipped right after it, where it is to be smooth',
      dst: 'smooth',
      from: '2026-03-29T00:59:58.5Z',
      fires: {
        '* * * * * ?': ['00:59:59', '01:00:00', '01:00:01'],
        '0 0 2 * * ?': ['01:00:00'],
        '0 0 3 * * ?': ['01:00:00'],
      },
    },
    {
      what: 'nothing in the first pass of the hour that comes twice',
      dst: 'quartz',
      from: '2026-10-24T23:59:58.5Z',
      fires: { '* * * * * ?': ['23:59:59'], '0 0 2 * * ?': [], '0 0 3 * * ?': [] },
    },
    {
      what: 'all of that hour in its second pass',
      dst: 'quartz',
      from: '2026-10-25T00:59:58.5Z',
      made: '2026-10-25T00:00:00Z',
      fires: { '* * * * * ?': ['01:00:00', '01:00:01'], '0 0 2 * * ?': ['01:00:00'], '0 0 3 * * ?': [] },
    },
    {
      what: 'fixed times in the first pass, where it is to be smooth',
      dst: 'smooth',
      from: '2026-10-24T23:59:58.5Z',
      fires: {
        '* * * * * ?': ['23:59:59', '00:00:00', '00:00:01'],
        '0 0 2 * * ?': ['00:00:00'],
        '0 0 3 * * ?': [],
      },
    },
    {
      what: 'only intervals in the second pass, where it is to be smooth',
      dst: 'smooth',
      from: '2026-10-25T00:59:58.5Z',
      fires: {
        '* * * * * ?': ['00:59:59', '01:00:00', '01:00:01'],
        '0 0 2 * * ?': [],
        '0 0 3 * * ?': [],
      },
    },
  ])('$what', async ({ dst, from, made = from, fires }, { expect }) => {
    await using migrated = await databaseAt(from);
    const database = openDatabase({ url: migrated.url, poolSize: 4 });
    const clock = new DatabaseClock(database);
    await clock.measure();
    const declare = async (id: string, schedule: string, timeZone: string, now: string) => {
      const text = { type: 'cron', schedule, timeZone, invokeService: 'idle', concurrentExecution: true };
      const definition = parseSchedule(text, { persisted: true });
      await runUnitOfWork(database, {}, (unitOfWork) =>
        createSchedule(
          { unitOfWork, now: Date.parse(now) + 500, dst, nodeName: 'a' },
          { id, definition, source: 'rest' },
        ),
      );
    };
    for (const schedule of Object.keys(fires)) await declare(schedule, schedule, 'Europe/Berlin', made);
    await declare(METRONOME, '* * * * * ?', 'UTC', from);
    const services = new ScheduledServices();
    services.register(idle);
    const poller = new TriggerPoller({
      store: jobStore(database.db),
      clock,
      nodeName: 'a',
      holder: () => ({ nodeId: 1, epoch: 1 }),
      // However slow the machine is, no time is let pass.
      tuning: () => ({ threadCount: 10, idleWaitMs: 100, misfireThresholdMs: 3_600_000, dst }),
      fire: (firing) => fireTrigger({ database, services }, firing),
      observe: () => {},
    });
    await poller.start();
    const end = new Date(Date.parse(from) + 3_500).toISOString().slice(11, 19);
    const ledger = async () =>
      (
        await sql<{ job: string; at: string }>`
          select job_id as job, to_char(planned_at at time zone 'UTC', 'HH24:MI:SS') as at, planned_at
          from scheduler_firing order by planned_at`.execute(database.db)
      ).rows;
    await eventually(ledger, (rows) => rows.some(({ job, at }) => job === METRONOME && at === end));
    // What was due before has begun before it; this waits for its end.
    await poller.stop();
    const rows = await ledger();
    await database.close();
    const until = rows.findIndex(({ at }) => at === end);
    const fired = Object.keys(fires).map((schedule) => [
      schedule,
      rows.slice(0, until).flatMap(({ job, at }) => (job === schedule ? [at] : [])),
    ]);
    expect(Object.fromEntries(fired)).toEqual(fires);
  });
});
