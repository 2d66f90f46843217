import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#database/index.ts';
import { ALL_CHECKS } from '../../bench/soak/check/all-checks.ts';
import { findOffences } from '../../bench/soak/check/check.ts';
import { measureGrowth, offencesAtRest } from '../../bench/soak/gauges.ts';
import { installOracle } from '../../bench/soak/oracle.ts';
import { PLACES } from '../../bench/soak/project.ts';
import { createMigratedDatabase } from '../support/migrated-database.ts';

const INSTANCE = '00000000-0000-0000-0000-000000000000';
const SCAN = '00000000-0000-0000-0000-00000000000a';

/** A soak of three seconds in which everything went as it should. */
const SOUND = `
  insert into cluster_node (name, state) values ('a', 'running');
  insert into soak.schedule values ('tick-0', 'exact'), ('loose-0', 'loose'), ('once-1', 'once'), ('edited-0', 'edited'),
    ('again-0', 'recoverable');
  insert into scheduler_job (id, definition, source, content_hash)
    values ('tick-0', '{"type": "cron"}', 'rest', ''), ('loose-0', '{"type": "cron"}', 'rest', '');
  insert into scheduler_due (due_at, fire_at, trigger_id, generation)
    select t, t, trigger_id, 1 from scheduler_job, (values (timestamptz '2026-01-01 00:00:03Z')) v(t);
  insert into scheduler_firing (planned_at, trigger_id, generation, job_id, outcome, node, started_at, ended_at)
    select t, trigger_id, 1, id, 'fired', 'a', t + interval '1 ms', t + interval '9 ms'
    from scheduler_job, generate_series(timestamptz '2026-01-01 00:00:00Z', '2026-01-01 00:00:02Z', '1 second') t
    union all select '2026-01-01 00:00:01Z', 91, 1, 'once-1', 'fired', 'a', '2026-01-01 00:00:01.1Z', '2026-01-01 00:00:01.2Z'
    union all select '2026-01-01 00:00:01Z', 93, 1, 'again-0', 'recovered', 'a', '2026-01-01 00:00:01.6Z', '2026-01-01 00:00:01.8Z'
    union all select '2026-01-01 00:00:01Z', 92, 1, 'edited-0', 'fired', 'a', '2026-01-01 00:00:01.1Z', '2026-01-01 00:00:01.2Z';
  insert into managed_object (type, id, data)
    select 'mark', job_id || planned_at, jsonb_build_object('job', job_id, 'planned', planned_at, 'version', 1)
    from scheduler_firing
    -- Of the attempt before, which made up for the times until then.
    union all select 'mark', 'again', '{"job": "again-0", "planned": "2026-01-01T00:00:01.5Z", "version": 1}'
    union all select 'mark', at, jsonb_build_object('instance', '${INSTANCE}', 'at', at)
    from unnest(array[${PLACES.map((place) => `'${place}'`)}]) at
    union all values ('mark', 'item', '{"item": "scan-1-1"}'::jsonb),
      ('plain', '1', '{"key": "plain-1"}'), ('hooked', '1', '{"key": "hooked-1"}'), ('echo', '1', '{"of": "hooked-1"}'),
      ('item', 'scan-1-1', '{"times": 1, "task": {"completed": "2026"}}'), ('item', 'scan-2-1', '{"times": 0}');
  insert into managed_object (type, id, rev, data) values ('counter', 'counter-0', 1, '{"n": 1}');
  insert into managed_object (type, id, data) values ('step', '1', '{"counter": "counter-0", "op": "op-1"}');
  set constraints all immediate;
  -- As if each had committed a moment after it was entered.
  update soak.effect set entered_at = (data->>'planned')::timestamptz, left_at = (data->>'planned')::timestamptz + interval '5 ms'
    where data ? 'planned';
  insert into soak.begun values ('edited-0', 1, '2026-01-01 00:00:01.5Z'), ('edited-0', 2, '2026-01-01 00:00:02Z');
  insert into soak.quiet values ('2026-01-01 00:00:01Z');
  insert into soak.item values ('scan-1-1', 'scan-1'), ('scan-2-1', 'scan-2');
  insert into scan_run (id, state, definition, security, total, successes, paged)
    values ('${SCAN}', 'COMPLETED', '{}', '{}', 1, 1, true);
  insert into workflow_instance (id, definition_id, definition_key, root_id, business_key, started_at, ended_at)
    values ('${INSTANCE}', 'soak:1:1', 'soak', '${INSTANCE}', 'process-1', now(), now());
  insert into workflow_task (id, instance_id, execution, element, definition_id, definition_key, priority, created_at, ended_at)
    values ('${INSTANCE}', '${INSTANCE}', 1, 'last', 'soak:1:1', 'soak', 50, now(), now());
  insert into soak.answer (deed, key, info, outcome, status, node, asked_at, answered_at)
    select deed, key, info, outcome, 0, 'a', timestamptz '2026-01-01 00:00:01.5Z', timestamptz '2026-01-01 00:00:01.6Z'
    from (values ('createPlain', 'plain-1', null, 'done'), ('createPlain', 'plain-2', null, 'done'),
      ('createPlain', 'plain-3', null, 'refused'), ('deletePlain', 'plain-2', null, 'done'),
      ('createHooked', 'hooked-1', null, 'done'), ('increment', 'op-1', null, 'done'), ('schedule', 'once-1', null, 'done'),
      ('editSchedule', 'edited-0', '2', 'done'), ('scan', 'scan-1', '${SCAN}', 'done'), ('scan', 'scan-2', null, 'refused'),
      ('startProcess', 'process-1', '${INSTANCE}', 'done'), ('completeTask', '${INSTANCE}', null, 'done'),
      ('sendMessage', '${INSTANCE}', null, 'done')) a(deed, key, info, outcome)`;

const mark = (data: object) =>
  `insert into managed_object (type, id, data) values ('mark', 'planted', '${JSON.stringify(data)}')`;

/** By the check that must find it: a way to break its promise. */
const PLANTS: Readonly<Record<string, string>> = {
  created: `delete from managed_object where data->>'key' = 'plain-1'`,
  'not created': `insert into managed_object (type, id, data) values ('plain', '3', '{"key": "plain-3"}')`,
  deleted: `insert into managed_object (type, id, data) values ('plain', '2', '{"key": "plain-2"}')`,
  hooks: `delete from managed_object where type = 'echo'`,
  updates: `insert into managed_object (type, id, data) values ('step', '2', '{"counter": "counter-0", "op": "op-1"}')`,
  counters: `update managed_object set data = '{"n": 0}' where type = 'counter'`,
  schedules: `delete from scheduler_firing where job_id = 'once-1'`,
  'edited schedules': `insert into soak.begun values ('edited-0', 1, '2026-01-01 00:00:03Z')`,
  'started processes': `insert into workflow_instance (id, definition_id, definition_key, root_id, business_key, started_at)
    select gen_random_uuid(), definition_id, definition_key, root_id, business_key, started_at from workflow_instance`,
  'completed tasks': 'update workflow_task set ended_at = null',
  messages: `insert into soak.answer select * from soak.answer where deed = 'sendMessage'`,
  sessions: `insert into soak.answer (deed, key, info, outcome, status, node, asked_at, answered_at)
    values ('useSession', 's', 'ended', 'done', 200, 'b', now(), now())`,
  effects: `delete from soak.effect where data->>'job' = 'tick-0' and left_at > '2026-01-01 00:00:02Z'`,
  'one transaction': `update soak.effect set xid = '3' where data->>'job' = 'tick-0' and left_at > '2026-01-01 00:00:02Z'`,
  'runs outside transactions': mark({ job: 'loose-0', planned: '2026-01-01T00:00:01Z' }),
  'no gap': `delete from scheduler_firing where job_id = 'tick-0' and planned_at = '2026-01-01 00:00:01Z'`,
  'no stop': `insert into soak.schedule values ('silent', 'exact')`,
  'never early': `update soak.effect set entered_at = entered_at - interval '1 ms' where data->>'job' = 'tick-0'`,
  'no overlap': `update soak.effect set left_at = left_at + interval '1 second' where data->>'job' = 'tick-0'`,
  'one place': `insert into scheduler_due (due_at, fire_at, trigger_id, generation)
    select due_at, fire_at + interval '1 second', trigger_id, generation from scheduler_due`,
  'not parked': `update scheduler_job set parked = '{}'`,
  'bounded repeats': `update scheduler_firing set attempt = 20 where job_id = 'tick-0'`,
  'many nodes': `insert into soak.crowd values ('a', true, true, 1, 12, 11)`,
  poison: `insert into soak.poison values ('object', 'k', true, 11)`,
  'scans end': `update scan_run set state = 'ACTIVE'`,
  'scanned objects': mark({ item: 'scan-1-1' }),
  'refused scans': mark({ item: 'scan-2-1' }),
  steps: `delete from soak.effect where data->>'at' = 'left'`,
  'processes end': 'update workflow_instance set ended_at = null',
  'steps of nothing': mark({ instance: SCAN, at: 'job' }),
  'no orphaned run': `insert into scheduler_run (trigger_id, generation, fire_at, attempt, next_planned, node_id, node_epoch)
    select trigger_id, 1, now(), 1, true, 1, 1 from scheduler_job`,
  'no orphaned firing': `update scheduler_job set generation = 2`,
  'no orphaned schedule': `update scheduler_job set owner_id = 1, owner_epoch = 0`,
  'no orphaned claim': `insert into work_job (id, queue, data, due_at, attempts, retry_delay_ms, node_id, node_epoch)
    values ('${SCAN}', 'q', '{}', now(), 1, 0, 1, 1)`,
  'no orphaned job': `insert into work_job (id, queue, data, due_at, attempt, attempts, retry_delay_ms)
    values ('${SCAN}', 'q', '{}', now(), 2, 2, 0)`,
  'no orphaned step': `insert into workflow_subscription (event, name, instance_id, execution, element)
    values ('message', 'hello', '${INSTANCE}', 1, 'call')`,
  'no orphaned slice': `insert into scan_slice (run_id, number, objects) values ('${SCAN}', 1, '[]')`,
  // By a session that is really there.
  'no orphaned session': 'select 1',
  'no orphaned lock': 'select 1',
  sizes: `insert into soak.peak values ('scheduler_due', 3);
    insert into scheduler_due (due_at, fire_at, trigger_id, generation)
    select due_at, fire_at + n * interval '1 second', trigger_id, generation from scheduler_due, generate_series(1, 20000) n`,
  'half recovered': `update cluster_node set state = 'down', recovery = '{}'`,
};

describe('the checks of the soak', () => {
  let database: Database & AsyncDisposable;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await installOracle(client);
    await client.query(SOUND);
  });
  afterAll(async () => {
    await client.end();
    await database[Symbol.asyncDispose]();
  });

  it('find nothing where everything is right', async () => {
    expect(await findOffences(client, ALL_CHECKS)).toEqual([]);
  });

  it.each(ALL_CHECKS.map((check) => [check.name, check] as const))(
    'find what is planted: %s',
    async (name, check) => {
      expect(Object.keys(PLANTS)).toContain(name);
      const orphan = new pg.Client({ connectionString: database.url, application_name: 'svc:999' });
      const needsSession = /orphaned (session|lock)/.test(name);
      if (needsSession) {
        await orphan.connect();
        await orphan.query('select pg_advisory_lock(1473, 999)');
        // What changed a moment ago may be on its way.
        await client.query('select pg_sleep(2.1)');
      }
      await client.query('begin');
      try {
        await client.query(PLANTS[name]!);
        const [finding] = await findOffences(client, [check]);
        expect(finding?.rows.length).toBeGreaterThan(0);
      } finally {
        await client.query('rollback');
        if (needsSession) await orphan.end();
      }
    },
  );

  it('wait for what is on its way out', async () => {
    const check = ALL_CHECKS.filter(({ name }) => name === 'no orphaned run');
    await client.query(PLANTS['no orphaned run']!);
    expect(await findOffences(client, check)).toHaveLength(1);
    const looking = findOffences(client, check, Date.now() + 60_000);
    await client.query('delete from scheduler_run');
    expect(await looking).toEqual([]);
  });

  it('tell a node that leaks from one at rest', () => {
    const atRest = new Map([
      ['svc_db_pool_size', 5],
      ['svc_db_pool_waiting', 0],
      ['svc_script_threads_busy', 0],
      ['svc_script_sandboxes_busy', 0],
      ['svc_firings_running', 0],
      ['svc_jobs_running', 0],
      ['svc_timers', 30],
      ['svc_sockets', 20],
    ]);
    expect(offencesAtRest('a', atRest)).toEqual([]);
    expect(offencesAtRest('a', new Map([...atRest, ['svc_db_pool_size', 40]]))).toHaveLength(1);
    expect(offencesAtRest('a', new Map())).toHaveLength(8);
  });

  it('tell memory that grows from memory that does not', () => {
    const life = (perMinuteMib: number) =>
      Array.from({ length: 300 }, (_, n) => ({
        node: 'a',
        livedFrom: 0,
        at: n * 2_000,
        rssMib: 200 + (n / 30) * perMinuteMib + (n % 7),
        heapMib: null,
      }));
    expect(measureGrowth(life(0)).map(({ isTooMuch }) => isTooMuch)).toEqual([false]);
    expect(measureGrowth(life(40)).map(({ isTooMuch }) => isTooMuch)).toEqual([true]);
    expect(measureGrowth(life(40).slice(0, 60))).toEqual([]);
  });
});
