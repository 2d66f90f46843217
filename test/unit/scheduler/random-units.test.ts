import { MessageChannel } from 'node:worker_threads';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '#config/index.ts';
import { type Database, runUnitOfWork } from '#database/index.ts';
import { fireTogether, fireTrigger } from '#scheduler/index.ts';
import { ScriptRunner, takePlace } from '#script/index.ts';
import type { FiringResult } from '../../../src/scheduler/fire/fire-trigger.ts';
import type { Firing } from '../../../src/scheduler/fire/firing.ts';
import { createSchedule } from '../../../src/scheduler/schedule/register-schedule.ts';
import { parseSchedule } from '../../../src/scheduler/schedule/schedule.ts';
import type { ScheduledService } from '../../../src/scheduler/service/scheduled-service.ts';
import { jobStore } from '../../../src/scheduler/store/job-store.ts';
import { runs } from '../../support/long.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';
import { createProject, type TestProject } from '../../support/project.ts';
import { openWorkflowCore } from '../../support/workflow-core.ts';

const A = { nodeId: 1, epoch: 1 };
const T0 = Date.parse('2026-05-04T10:00:00Z');

/** What a script does for each of its steps. */
const STEPS = {
  create: `svc.create('managed/mark', name, { n: 0 });`,
  createTaken: `svc.create('managed/mark', 'one', { n: 0 });`,
  surviveTaken: `try { svc.create('managed/mark', 'one', { n: 0 }); } catch (error) {}`,
  unique: `svc.create('managed/mark', name, { n: 0, code: 'the only one' });`,
  takeOver: `svc.patch('managed/mark/other', null, [{ operation: 'replace', field: '/code', value: 'the only one' }]);`,
  countOne: `svc.patch('managed/mark/one', null, [{ operation: 'increment', field: '/n', value: 1 }]);`,
  countOther: `svc.patch('managed/mark/other', null, [{ operation: 'increment', field: '/n', value: 1 }]);`,
  surviveGone: `try { svc.delete('managed/mark/other', null); } catch (error) {}`,
  delete: `svc.delete('managed/mark/other', null);`,
  ask: `svc.query('managed/mark', { _queryFilter: '/n eq 1' });`,
  log: `logger.info('a step');`,
  job: '',
  fail: `throw { code: 412, message: 'It was to fail' };`,
} as const;

type Step = keyof typeof STEPS;
const OFTEN: readonly Step[] = ['create', 'create', 'countOne', 'countOther', 'unique', 'surviveGone'];
const PLANS = fc.array(
  fc.array(fc.constantFrom<Step>(...OFTEN, ...(Object.keys(STEPS) as Step[])), { maxLength: 4 }),
  { minLength: 2, maxLength: 12 },
);

const SOURCE = `
  for (const [index, step] of object.steps.entries()) {
    const name = object.name + '-' + index;
    switch (step) {
      ${Object.entries(STEPS)
        .map(([step, source]) => `case '${step}': ${source} break;`)
        .join('\n      ')}
    }
  }`;

describe('scripts of schedules that share their commits', () => {
  let database: Database & AsyncDisposable;
  let project: TestProject;
  let core: Awaited<ReturnType<typeof openWorkflowCore>>['core'];
  let runner: ScriptRunner;
  const { port1: port, port2 } = new MessageChannel();

  beforeAll(async () => {
    takePlace({ port, shared: new BigInt64Array(new SharedArrayBuffer(8 * 4096)) });
    database = await createMigratedDatabase();
    const code = { type: 'string', policies: [{ policyId: 'unique' }] };
    project = await createProject({
      'conf/managed.json': { objects: [{ name: 'mark', schema: { properties: { code } } }] },
    });
    ({ core } = await openWorkflowCore(database, project.location, {
      scripts(parts) {
        const settings = readSettings({ SVC_PROJECT: project.location });
        runner = new ScriptRunner({ ...parts, settings, observe: () => {} });
        return runner;
      },
    }));
    await runner.start();
    core.queue.work('work', { run: async () => {} }, { concurrency: 1, runsScripts: false });
    const script = await core.services.get('script');
    const working: ScheduledService = {
      invokeService: 'working',
      runsScripts: true,
      async execute(context, scheduled) {
        const { input } = scheduled.invokeContext as unknown as { input: { steps: readonly Step[] } };
        for (const [index] of input.steps.filter((step) => step === 'job').entries())
          await core.queue.enqueue(context.unitOfWork!, {
            queue: 'work',
            data: { by: scheduled.jobId, index },
          });
        await script.execute(context, scheduled);
      },
    };
    core.services.register(working);
  });
  afterAll(async () => {
    await runner.stop();
    port2.close();
    await project[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  async function clear(): Promise<void> {
    await sql`truncate scheduler_job, scheduler_removed, scheduler_due, scheduler_run, scheduler_firing, cluster_node,
                       managed_object, audit_event, work_job restart identity cascade`.execute(database.db);
    await sql`insert into cluster_node (name) values ('a')`.execute(database.db);
    await core.queue.prepare();
    await sql`insert into managed_object (type, id, rev, data)
              values ('mark', 'one', 0, '{"n": 0}'), ('mark', 'other', 0, '{"n": 0}')`.execute(database.db);
  }

  /** Registers a schedule for each plan, and starts the first run of each. */
  async function start(plans: readonly (readonly Step[])[]): Promise<Firing[]> {
    for (const [index, steps] of plans.entries()) {
      const id = `job-${String(index).padStart(2, '0')}`;
      const invokeContext = {
        script: { type: 'text/javascript', source: SOURCE },
        input: { name: id, steps: [...steps] },
      };
      const definition = parseSchedule(
        { schedule: '0 * * * * ?', timeZone: 'UTC', invokeService: 'working', invokeContext },
        { persisted: true },
      );
      await runUnitOfWork(database, {}, (unitOfWork) =>
        createSchedule({ unitOfWork, now: T0 - 1, nodeName: 'a' }, { id, source: 'rest', definition }),
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

  /** As their node does it: what left no effects is completed afterwards. */
  async function complete(firings: readonly Firing[], results: readonly (FiringResult | null)[]) {
    for (const [index, result] of results.entries()) {
      const { run, decision } = firings[index]!;
      if (result!.entries === null) continue;
      await jobStore(database.db).complete(A, [{ run, next: decision.next, entries: result!.entries }]);
    }
  }

  async function tables(): Promise<unknown> {
    const { rows } = await sql`
      select (select jsonb_object_agg(id, jsonb_build_array(rev, data)) from managed_object) as objects,
             (select jsonb_agg(jsonb_build_array(object_id, event->'operation', event->'before', event->'after', event->'userId')
                               order by object_id, event->'operation', event->'after'->'_rev', event->'userId') from audit_event) as audit,
             (select jsonb_agg(data order by data) from work_job) as jobs,
             (select jsonb_agg(jsonb_build_array(job_id, planned_at, outcome, error, log, why) order by job_id)
              from scheduler_firing) as ledger,
             (select jsonb_agg(jsonb_build_array(trigger_id, fire_at) order by trigger_id) from scheduler_due) as due,
             (select count(*)::int from scheduler_run) as runs`.execute(database.db);
    return rows[0];
  }

  const ends = (results: readonly (FiringResult | null)[]) =>
    results.map((result) => [result?.end, result?.error]);

  async function both(plans: readonly (readonly Step[])[]) {
    await clear();
    const alone = await start(plans);
    const one: FiringResult[] = [];
    for (const firing of alone) one.push(await fireTrigger(core, firing));
    await complete(alone, one);
    const expected = [ends(one), await tables()];

    await clear();
    const firings = await start(plans);
    const results = await fireTogether(core, firings);
    await complete(firings, results);
    return { expected, actual: [ends(results), await tables()] };
  }

  it('leave objects, audit, jobs, ledger and errors as they do one by one', {
    timeout: 300_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(PLANS, async (plans) => {
        const { expected, actual } = await both(plans);
        expect(actual).toEqual(expected);
      }),
      { numRuns: runs(20) },
    );
  });

  it('are all of this kind: they change, delete, enqueue and fail', async () => {
    const { actual } = await both([['create', 'job'], ['unique'], ['unique'], ['delete'], ['fail']]);
    expect(actual).toEqual([
      [
        ['completed', null],
        ['completed', null],
        ['failed', 'Policy validation failed'],
        ['completed', null],
        ['failed', expect.stringContaining('It was to fail')],
      ],
      expect.objectContaining({ jobs: [{ by: 'job-00', index: 0 }], runs: 0 }),
    ]);
    const { audit } = actual[1] as { audit: readonly (readonly string[])[] };
    const ofMarks = audit.filter(([object]) => object!.startsWith('managed/mark'));
    expect(ofMarks.map(([object, operation]) => `${operation} ${object}`)).toEqual([
      'CREATE managed/mark/job-00-0',
      'CREATE managed/mark/job-01-0',
      'DELETE managed/mark/other',
    ]);
  });
});
