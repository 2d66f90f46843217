import { sql } from 'kysely';
import { type Database, runUnitOfWork, type UnitOfWork } from '#database/index.ts';
import { type Job, runJob } from '#queue/index.ts';
import { createObject, objectStore } from '#repo/index.ts';
import { fireTrigger } from '#scheduler/index.ts';
import type { Firing } from '../../src/scheduler/fire/firing.ts';
import { createSchedule } from '../../src/scheduler/schedule/register-schedule.ts';
import { parseSchedule } from '../../src/scheduler/schedule/schedule.ts';
import { jobStore } from '../../src/scheduler/store/job-store.ts';
import type { openWorkflowCore } from './workflow-core.ts';

const MARKS = objectStore(['managed', 'mark']);

/** A piece of work that may be done again and again. */
export interface CommonWork {
  /** What it needs to be due. */
  prepare(): Promise<unknown>;
  /** All of its life, as its node takes it through that. */
  act(): Promise<unknown>;
}

/** One piece of each kind of work, alone. */
export async function commonWork(
  database: Database,
  { core, holder }: Awaited<ReturnType<typeof openWorkflowCore>>,
): Promise<Readonly<Record<string, CommonWork>>> {
  let made = 0;
  const mark = async (unitOfWork: UnitOfWork) =>
    void (await createObject(unitOfWork, MARKS, `mark-${++made}`, { n: made }));
  core.services.register({
    invokeService: 'mark',
    runsScripts: true,
    execute: ({ unitOfWork }, { invokeContext }) =>
      invokeContext === null ? Promise.resolve() : mark(unitOfWork!),
  });
  core.queue.work(
    'mark',
    { run: (unitOfWork: UnitOfWork, _job: Job) => mark(unitOfWork) },
    {
      concurrency: 1,
      runsScripts: false,
    },
  );
  await core.queue.prepare();
  for (const [id, invokeContext] of [
    ['nothing', null],
    ['mark', {}],
  ] as const) {
    const definition = parseSchedule(
      { schedule: '0 0 0 1 1 ?', timeZone: 'UTC', invokeService: 'mark', invokeContext },
      { persisted: true },
    );
    await runUnitOfWork(database, {}, (unitOfWork) =>
      createSchedule({ unitOfWork, now: Date.now(), nodeName: 'a' }, { id, source: 'rest', definition }),
    );
  }
  const store = jobStore(database.db);
  const due = (id: string) =>
    sql`
    update scheduler_due set due_at = clock_timestamp(), fire_at = date_trunc('milliseconds', clock_timestamp())
    where trigger_id = (select trigger_id from scheduler_job where id = ${id})`.execute(database.db);
  const fire = async (startLimit: number) => {
    const { runs } = await store.claim({ holder, limit: 1, startLimit, lookAheadMs: 0, watermark: 0 });
    const run = runs[0]!.started ?? (await store.start(holder, runs))[0]!;
    const next = run.fireAt + 366 * 86_400_000;
    const firing: Firing = {
      run,
      holder,
      nodeName: 'a',
      decision: { kind: 'onTime', scheduledAt: run.fireAt, next },
      dst: 'quartz',
      invoker: 'somebody',
      startedAt: Date.now(),
    };
    const { entries } = await fireTrigger(core, firing);
    if (entries !== null) await store.complete(holder, [{ run, next, entries }]);
  };
  return {
    'a firing that does nothing': { prepare: () => due('nothing'), act: () => fire(1) },
    'a firing that stores an object': { prepare: () => due('mark'), act: () => fire(1) },
    'a firing that was claimed ahead of its time': { prepare: () => due('mark'), act: () => fire(0) },
    'a job that stores an object': {
      prepare: () =>
        runUnitOfWork(database, {}, (unitOfWork) =>
          core.queue.enqueue(unitOfWork, { queue: 'mark', data: {} }),
        ),
      async act() {
        const [job] = await core.queue.claim(database.db, 'mark', 1, holder);
        await runJob(core.queue, job!);
      },
    },
  };
}
