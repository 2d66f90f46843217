import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countStatements } from '../support/count-statements.ts';
import { eventually } from '../support/eventually.ts';
import { WATCHFUL } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the status', () => {
  let server: TestServer;
  let name: string;

  const PASSWORD = 'Passw0rd-of-users';

  interface Shown {
    readonly id: string;
    readonly severity: string;
    readonly subject: string;
    readonly text: string;
    readonly hint: string;
    readonly since: string;
    readonly at?: string;
    readonly actions?: readonly { readonly title: string; readonly request: string }[];
  }

  beforeAll(async () => {
    server = await startTestServer({ files: { 'conf/boot/boot.properties': WATCHFUL } });
    name = (await server.observed('node.named')).node;
    const body = { userName: 'eve', givenName: 'Eve', sn: 'E', mail: 'eve@example.com', password: PASSWORD };
    await server.api('PUT', 'managed/user/eve', { body });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const status = async (): Promise<{
    state: string;
    findings: readonly Shown[];
    counts: Record<string, number>;
  }> => (await server.api('GET', 'status')).body;
  const finding = async (id: string): Promise<Shown> => {
    const { findings } = await eventually(status, (shown) => shown.findings.some((one) => one.id === id));
    return findings.find((one) => one.id === id)!;
  };
  const gone = (id: string) => eventually(status, ({ findings }) => findings.every((one) => one.id !== id));
  const schedule = (source: string, more = {}) => ({
    schedule: '0 0 0 1 1 ?',
    invokeService: 'script',
    invokeContext: { script: { type: 'text/javascript', source } },
    ...more,
  });

  it('is well where nothing needs anybody', async () => {
    const shown = await eventually(status, ({ counts }) => counts['nodesReady'] === 1);
    expect(shown).toEqual({
      _id: '',
      state: 'ok',
      findings: [],
      counts: {
        nodes: 1,
        nodesReady: 1,
        schedules: expect.any(Number),
        firingsRunning: expect.any(Number),
        jobsWaiting: 0,
        deadLetters: 0,
        workflowDeadLetters: 0,
        scansActive: 0,
        operationsActive: 0,
        instancesOpen: 0,
        tasksOpen: 0,
      },
    });
  });

  it('is for administrators', async () => {
    expect((await server.api('GET', 'status', { user: 'eve', password: PASSWORD })).status).toBe(403);
    expect((await fetch(`${server.url}/svc/status`)).status).toBe(401);
    expect((await server.api('POST', 'status?_action=x')).status).toBe(501);
  });

  it('tells who has paused all schedules, and how they go on', async () => {
    await server.api('POST', 'scheduler/job?_action=pauseJobs');
    expect(await finding('SCHEDULES_PAUSED')).toMatchObject({
      severity: 'warning',
      subject: 'scheduler/job',
      text: 'all schedules are paused by svc-admin',
      since: expect.any(String),
      actions: [{ title: 'Resume', request: 'POST scheduler/job?_action=resumeJobs' }],
    });
    expect((await status()).state).toBe('attention');
    await server.api('POST', 'scheduler/job?_action=resumeJobs');
    await gone('SCHEDULES_PAUSED');
  });

  it('tells of a schedule that fails, why, and where', async () => {
    await server.api('PUT', 'scheduler/job/broken', { body: schedule("throw new Error('out of paper')") });
    for (const times of [1, 2]) {
      const { firing } = (await server.api('POST', 'scheduler/job/broken?_action=trigger')).body;
      await eventually(
        () => server.api('GET', `scheduler/firing/${firing}`),
        (answer) => answer.status === 200,
      );
      const text = times === 1 ? 'failed 1 time in the last hour' : 'failed 2 times in the last hour';
      await eventually(
        () => finding('SCHEDULE_FAILS'),
        (found) => found.text.startsWith(text),
      );
    }
    const found = await finding('SCHEDULE_FAILS');
    expect(found).toMatchObject({ severity: 'error', subject: 'scheduler/job/broken' });
    expect(found.text).toContain('out of paper');
    expect((await server.api('GET', found.subject)).status).toBe(200);
  });

  it('tells of what is late, given up, dead or stuck, by the times that the database has', async () => {
    const { pool } = server.database;
    await server.api('PUT', 'scheduler/job/late', { body: schedule('1') });
    await server.api('PUT', 'scheduler/job/parked', { body: schedule('1') });
    // Locked, nobody can claim it.
    const client = await pool.connect();
    await client.query('begin');
    await client.query(
      `update scheduler_due d set due_at = now() - interval '1 minute', fire_at = now() - interval '1 minute'
       from scheduler_job j where j.trigger_id = d.trigger_id and j.id = 'late'`,
    );
    await client.query('savepoint late');
    await client.query(`update scheduler_job set parked = '{"nodes": 3}' where id = 'parked'`);
    await client.query(
      `insert into scheduler_firing (planned_at, trigger_id, generation, job_id, outcome, node)
       select now() - interval '5 minutes', 1, n, 'tardy', 'misfired', 'a' from generate_series(1, 3) n`,
    );
    await client.query(
      `insert into work_dead_letter (id, queue, job_id, data, attempts, retry_delay_ms, tried, error, created_at)
       values (gen_random_uuid(), 'letters', gen_random_uuid(), '{}', 1, 1, 1, '{"message": "no stamp"}', now())`,
    );
    await client.query(
      `insert into scan_run (id, name, state, definition, security) values ('01a20000-0000-7000-8000-000000000001', 'scan', 'ACTIVE', '{}', '{}')`,
    );
    await client.query(
      `insert into scan_slice (run_id, number, objects, stuck) values ('01a20000-0000-7000-8000-000000000001', 1, '[]', 2)`,
    );
    const { rows } = await client.query(
      'select id, severity, subject, text from svc_finding order by id, subject',
    );
    await client.query('rollback');
    client.release();
    expect(rows).toEqual([
      {
        id: 'DEAD_LETTERS',
        severity: 'error',
        subject: 'queue/letters',
        text: '1 job has failed for good: no stamp',
      },
      {
        id: 'SCAN_STUCK',
        severity: 'error',
        subject: 'taskscanner/01a20000-0000-7000-8000-000000000001',
        text: 'processing an object ended its node or thread: scan',
      },
      expect.objectContaining({ id: 'SCHEDULE_FAILS' }),
      {
        id: 'SCHEDULE_LATE',
        severity: 'error',
        subject: 'scheduler/job/late',
        text: expect.stringMatching(/^is overdue by 6\d s$/),
      },
      {
        id: 'SCHEDULE_MISFIRED',
        severity: 'warning',
        subject: 'scheduler/job/tardy',
        text: '3 planned times could not be kept and were given up in the last hour',
      },
      {
        id: 'SCHEDULE_PARKED',
        severity: 'error',
        subject: 'scheduler/job/parked',
        text: 'was given up, because nodes died of it',
      },
    ]);
  });

  it('tells of a file that is refused, with the place, until it is mended', async () => {
    await server.project.write('conf/schedule-wrong.json', '{ "schedule": "every day" }');
    await server.observed('config.refused');
    expect(await finding('CONFIG_REFUSED')).toMatchObject({
      severity: 'error',
      subject: 'config/schedule/wrong',
      text: expect.stringMatching(new RegExp(`^was refused on ${name}, .*schedule-wrong.json`)),
    });
    await server.project.write('conf/schedule-wrong.json', JSON.stringify(schedule('1')));
    await gone('CONFIG_REFUSED');
  });

  it('tells of nodes: drained, lost, not ready, without a key', async () => {
    await server.api('POST', `cluster/${name}?_action=drain`);
    expect(await finding('NODE_DRAINED')).toMatchObject({
      severity: 'info',
      subject: `cluster/${name}`,
      actions: [{ title: 'Resume', request: `POST cluster/${name}?_action=resume` }],
    });
    await server.api('POST', `cluster/${name}?_action=resume`);
    await gone('NODE_DRAINED');

    const { pool } = server.database;
    await pool.query(
      "insert into crypto_key (alias, key_id, first_used_by) values ('svc-sym-default', 'ffffffffffff', 'z')",
    );
    expect(await finding('KEY_LACKING')).toMatchObject({ subject: 'key/svc-sym-default:ffffffffffff' });
    expect(await finding('NODE_NOT_READY')).toMatchObject({
      subject: `cluster/${name}`,
      text: expect.stringMatching(/^keys is down: the key ring lacks key ffffffffffff/),
    });
    await pool.query("delete from crypto_key where key_id = 'ffffffffffff'");
    await gone('NODE_NOT_READY');
  });

  it('asks the database once a second, however many look', async () => {
    const look = () => Promise.all(Array.from({ length: 50 }, () => server.api('GET', 'status')));
    expect(await countStatements(look, /svc_finding/)).toBeLessThan(10);
  });
});
