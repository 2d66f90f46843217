import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, runUnitOfWork } from '#database/index.ts';
import { NotFoundError, PreconditionFailedError } from '#errors/index.ts';
import { changeObject, createObject, findObject, findOwn, objectStore } from '#repo/index.ts';
import { deleteObject } from '#repo/object-repository.ts';
import type { FiringResult } from '#scheduler/fire/fire-trigger.ts';
import type { Firing } from '#scheduler/fire/firing.ts';
import { fireTogether, ScheduledServices } from '#scheduler/index.ts';
import type { Scheduled, ScheduledService } from '#scheduler/service/scheduled-service.ts';
import { jobStore } from '#scheduler/store/job-store.ts';
import { createSchedule } from '../../../src/scheduler/schedule/register-schedule.ts';
import { parseSchedule } from '../../../src/scheduler/schedule/schedule.ts';
import { countStatements } from '../../support/count-statements.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';

const A = { nodeId: 1, epoch: 1 };
const T0 = Date.parse('2026-05-04T10:00:00Z');
const MARKS = objectStore(['managed', 'mark']);

/** What a firing does, one after the other. */
type Step = 'create' | 'countOther' | 'delete' | 'log';

/** As long as it need not see what it has written, all that it does waits for the commit. */
const service: ScheduledService = {
  invokeService: 'work',
  runsScripts: true,
  async execute({ unitOfWork }, scheduled) {
    const { steps } = scheduled.invokeContext as unknown as { steps: readonly Step[] };
    for (const [index, step] of steps.entries()) {
      if (step === 'create') await create(unitOfWork!, `${scheduled.jobId}-${index}`);
      else if (step === 'countOther') await countUp(unitOfWork!, 'other');
      else if (step === 'delete') await remove(unitOfWork!, 'other', 1);
      else scheduled.log('info', `step ${index}`);
    }
  },
};

type UnitOfWork = Parameters<typeof createObject>[0];

async function create(unitOfWork: UnitOfWork, id: string): Promise<void> {
  if (!(await createObject(unitOfWork, MARKS, id, { n: 0 })))
    throw new PreconditionFailedError('It is taken');
}

async function remove(unitOfWork: UnitOfWork, id: string, rev: number): Promise<void> {
  if (!(await deleteObject(await unitOfWork.db(), MARKS, id, rev)))
    throw new PreconditionFailedError('It is another revision');
}

async function countUp(unitOfWork: UnitOfWork, id: string): Promise<void> {
  const found = unitOfWork.mayGroup
    ? await findOwn(unitOfWork, MARKS, id)
    : await findObject(await unitOfWork.db(), MARKS, id, { lock: true });
  if (found === undefined) throw new NotFoundError('There is none');
  const n = Number(found.data['n']) + 1;
  if ((await changeObject(unitOfWork, MARKS, id, found.rev, { n })) === undefined) unitOfWork.refuse();
}

describe('firings that go together', () => {
  let database: Database & AsyncDisposable;
  const services = new ScheduledServices();
  services.register(service);
  const platform = () => ({ database, services });

  beforeAll(async () => {
    database = await createMigratedDatabase();
  });
  afterAll(() => database?.[Symbol.asyncDispose]());
  beforeEach(() => clear());

  async function clear(): Promise<void> {
    await sql`truncate scheduler_job, scheduler_removed, scheduler_due, scheduler_run, scheduler_firing, cluster_node,
                       managed_object restart identity cascade`.execute(database.db);
    await sql`insert into cluster_node (name) values ('a'), ('b')`.execute(database.db);
    for (const id of ['one', 'other'])
      await runUnitOfWork(database, {}, async (unitOfWork) => void (await create(unitOfWork, id)));
  }

  /** Registers a schedule for each plan, and starts the first run of each. */
  async function start(plans: readonly (readonly Step[])[]): Promise<Firing[]> {
    for (const [index, steps] of plans.entries()) {
      const definition = parseSchedule(
        {
          schedule: '0 * * * * ?',
          timeZone: 'UTC',
          invokeService: 'work',
          invokeContext: { steps: [...steps] },
        },
        { persisted: true },
      );
      await runUnitOfWork(database, {}, (unitOfWork) =>
        createSchedule(
          { unitOfWork, now: T0 - 1, nodeName: 'a' },
          { id: `job-${String(index).padStart(2, '0')}`, source: 'rest', definition },
        ),
      );
    }
    const store = jobStore(database.db);
    const { runs } = await store.claim({ holder: A, limit: 100, lookAheadMs: 0, watermark: 0 });
    const started = await store.start(A, runs);
    return started
      .toSorted((a, b) => a.jobId.localeCompare(b.jobId))
      .map((run) => ({
        run,
        holder: A,
        nodeName: 'a',
        decision: { kind: 'onTime', scheduledAt: run.fireAt, next: run.fireAt + 60_000 },
        dst: 'quartz',
        invoker: `Scheduled ${run.jobId}`,
        startedAt: T0,
      }));
  }

  async function tables(): Promise<unknown> {
    const { rows } = await sql`
      select (select jsonb_object_agg(id, jsonb_build_array(rev, data)) from managed_object) as objects,
             (select jsonb_agg(jsonb_build_array(job_id, planned_at, outcome, error, log, why) order by job_id)
              from scheduler_firing) as ledger,
             (select jsonb_agg(jsonb_build_array(trigger_id, fire_at) order by trigger_id) from scheduler_due) as due,
             (select count(*) from scheduler_run) as runs`.execute(database.db);
    return rows[0];
  }

  it('do not overtake those before them, even where they need a transaction at once', async () => {
    const firings = await start([['countOther'], [], ['delete'], ['countOther']]);
    const results = await fireTogether(platform(), firings);
    expect(results.map((result) => result?.end)).toEqual(['completed', 'completed', 'completed', 'failed']);
  });

  it('are stored with one statement, completions and ledger entries included', async () => {
    const firings = await start(Array.from({ length: 20 }, () => ['create', 'log'] as const));
    let results: readonly (FiringResult | null)[] = [];
    const statements = await countStatements(async () => {
      results = await fireTogether(platform(), firings);
    });
    expect(statements).toBe(1);
    expect(results.map((result) => [result?.end, result?.entries])).toEqual(
      firings.map(() => ['completed', null]),
    );
    expect(await tables()).toMatchObject({ runs: 0 });
  });

  it('are left out one by one where the run is another’s by now, and the others are stored', async () => {
    const firings = await start(Array.from({ length: 5 }, () => ['create'] as const));
    await sql`update scheduler_run set node_epoch = 2 where trigger_id = ${firings[2]!.run.triggerId}`.execute(
      database.db,
    );
    const results = await fireTogether(platform(), firings);
    expect(results.map((result) => result?.end)).toEqual([
      'completed',
      'completed',
      'fencedOut',
      'completed',
      'completed',
    ]);
    const { rows } = await sql`select 1 from managed_object where id like 'job-02%'`.execute(database.db);
    expect(rows).toEqual([]);
  });

  it('run one after the other, in their order', async () => {
    const seen: string[] = [];
    const slow: ScheduledService = {
      ...service,
      async execute(_context, { jobId }: Scheduled) {
        seen.push(`${jobId} begins`);
        await sql`select pg_sleep(0.01)`.execute(database.db);
        seen.push(`${jobId} ends`);
      },
    };
    const slowly = new ScheduledServices();
    slowly.register(slow);
    const firings = await start([[], [], []]);
    await fireTogether({ database, services: slowly }, firings);
    expect(seen).toEqual(firings.flatMap(({ run: { jobId } }) => [`${jobId} begins`, `${jobId} ends`]));
  });
});
