import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase, startEmbeddedServer } from '#database/index.ts';
import { type Fault, faultyEnvironment } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createProject, type TestProject } from '../support/project.ts';

/** Leaves a mark per run, which says for which planned time it was. */
const MARK = {
  type: 'text/javascript',
  source: `
    var name = context.security.authenticationId;
    svc.create('managed/mark', null, { job: object.job, planned: name.substring(name.length - 24) });`,
};

interface LedgerRow {
  readonly schedule: string;
  readonly planned: string;
  readonly outcome: string;
  readonly failed: boolean;
  readonly node: string;
  readonly late_ms: number;
}

describe('a cluster under faults', () => {
  let database: Database;
  let databaseUrl: string;
  let project: TestProject;
  let scope: AsyncDisposableStack;

  beforeEach(async () => {
    scope = new AsyncDisposableStack();
    project = scope.use(
      await createProject({
        'conf/managed.json': { objects: [{ name: 'mark' }] },
        'conf/scheduler.json': { threadPool: { threadCount: 20 } },
      }),
    );
  });
  afterEach(() => scope.disposeAsync());

  async function onTestDatabase(): Promise<TestDatabase> {
    const test = scope.use(await createTestDatabase());
    connect(test.url);
    return test;
  }

  function connect(url: string): void {
    databaseUrl = url;
    database = openDatabase({ url, poolSize: 2, applicationName: 'test' });
    const opened = database;
    scope.defer(() => opened.close());
  }

  async function start(name: string, environment: Record<string, string> = {}): Promise<NodeProcess> {
    const options = { name, databaseUrl, project: project.location, environment };
    return scope.use(await startNodeProcess(options));
  }

  async function schedule(node: NodeProcess, job: string, fields: object = {}): Promise<void> {
    const body = {
      schedule: '* * * * * ?',
      timeZone: 'UTC',
      invokeService: 'script',
      invokeContext: { input: { job }, script: MARK },
      ...fields,
    };
    const { status } = await node.api('PUT', `scheduler/job/${job}`, { body });
    expect(status).toBe(201);
  }

  const ledger = async (): Promise<readonly LedgerRow[]> =>
    (
      await sql<LedgerRow>`
        select schedule, to_char(planned_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as planned,
               outcome, failed, node, late_ms::float8 as late_ms
        from svc_firing order by schedule, planned_at`.execute(database.db)
    ).rows;

  const rowsAfter = async (count: number) => eventually(ledger, (rows) => rows.length >= count);

  /** Stops the clockwork and waits until nothing runs; then the database has to be consistent. */
  async function expectExactlyOnce(): Promise<readonly LedgerRow[]> {
    await sql`update scheduler_setting set paused = true`.execute(database.db);
    await eventually(
      async () =>
        (await sql<{ n: number }>`select count(*) as n from scheduler_run`.execute(database.db)).rows[0]!.n,
      (open) => open === 0,
    );
    const rows = await ledger();
    const gaps = rows.filter((row, index) => {
      const before = rows[index - 1];
      return (
        before?.schedule === row.schedule && Date.parse(row.planned) - Date.parse(before.planned) !== 1000
      );
    });
    expect(gaps).toEqual([]);
    expect(rows.filter((row) => row.failed)).toEqual([]);
    const marks = await sql<{ key: string; count: number }>`
      select (data->>'job') || ' ' || (data->>'planned') as key, count(*) as count
      from managed_object where type = 'mark' group by 1`.execute(database.db);
    expect(Object.fromEntries(marks.rows.map((row) => [row.key, row.count]))).toEqual(
      Object.fromEntries(rows.map((row) => [`${row.schedule} ${row.planned}`, 1])),
    );
    return rows;
  }

  it.each<[string, Fault]>([
    ['has claimed', { statement: 'insert into scheduler_run', when: 'after', minRows: 2, what: 'kill' }],
    ['has started runs', { statement: 'set started_at', when: 'after', minRows: 1, what: 'kill' }],
    ['runs, its effects written', { statement: 'insert into .?managed_object', when: 'after', what: 'kill' }],
    ['is about to complete', { statement: 'delete from scheduler_run r', when: 'before', what: 'kill' }],
    [
      'is about to commit',
      { armedBy: 'delete from scheduler_run r', statement: '^commit$', when: 'before', what: 'kill' },
    ],
    [
      'has committed',
      { armedBy: 'delete from scheduler_run r', statement: '^commit$', when: 'after', what: 'kill' },
    ],
  ])(
    'loses and doubles nothing when a node that %s is killed',
    async (_phase, fault) => {
      await onTestDatabase();
      const witness = await start('witness', { SVC_ROLES: 'api' });
      for (const job of ['one', 'two', 'three']) await schedule(witness, job);
      await schedule(witness, 'concurrent', { concurrentExecution: true });
      const victim = await start('victim', faultyEnvironment(fault));
      expect(await victim.ended).toBe('SIGKILL');
      await start('heir');
      await rowsAfter((await ledger()).length + 16);
      const rows = await expectExactlyOnce();
      expect(new Set(rows.map((row) => row.schedule)).size).toBe(4);
      const { body } = await witness.api('GET', 'cluster/victim');
      expect(body).toMatchObject({
        state: 'down',
        recovery: { recoveryAttempts: 1, recoveryFinished: expect.any(String) },
      });
    },
    60_000,
  );

  it('goes on by itself when a node is stopped for longer than its lease, whatever it was doing', async () => {
    await onTestDatabase();
    const fault: Fault = { statement: 'insert into .?managed_object', when: 'after', what: 'stop' };
    const witness = await start('witness', { SVC_ROLES: 'api' });
    for (const job of ['one', 'two', 'three']) await schedule(witness, job);
    const sleeper = await start('sleeper', faultyEnvironment(fault));
    await sleeper.logged((line) => line.kind === 'test.fault');
    const heir = await start('heir');
    const lost = await Promise.race(
      [witness, heir].map((node) => node.logged((line) => line.kind === 'node.lost')),
    );
    expect(lost).toMatchObject({ msg: expect.stringMatching(/sleeper/), by: 'heartbeat' });
    await rowsAfter((await ledger()).length + 9);
    sleeper.signal('SIGCONT');
    await sleeper.logged((line) => line.kind === 'node.joined' && Number(line['epoch']) > 2);
    await rowsAfter((await ledger()).length + 9);
    await expectExactlyOnce();
  }, 60_000);

  it('neither gaps nor doubles through a rolling restart of three nodes under load', async () => {
    await onTestDatabase();
    const names = ['a', 'b', 'c'];
    const nodes = new Map<string, NodeProcess>();
    for (const name of names) nodes.set(name, await start(name));
    for (let n = 0; n < 40; n++) {
      await schedule(nodes.get('a')!, `job-${n}`, { concurrentExecution: n % 2 === 0 });
    }
    await rowsAfter(80);
    for (const name of names) {
      const node = nodes.get(name)!;
      node.signal('SIGTERM');
      expect(await node.ended).toBe(0);
      nodes.set(name, await start(name));
      await rowsAfter((await ledger()).length + 80);
    }
    const rows = await expectExactlyOnce();
    expect(rows.filter((row) => row.outcome === 'recovered')).toEqual([]);
    expect(new Set(rows.map((row) => row.node))).toEqual(new Set(names));
  }, 90_000);

  it('fires at the database’s time, whatever the clocks of its nodes say', async () => {
    await onTestDatabase();
    const hour = 3_600_000;
    const ahead = await start('ahead', faultyEnvironment(null, { clockOffsetMs: hour }));
    await start('behind', faultyEnvironment(null, { clockOffsetMs: -hour }));
    await start('right');
    for (let n = 0; n < 12; n++) await schedule(ahead, `job-${n}`);
    await rowsAfter(120);
    const rows = await expectExactlyOnce();
    expect(Math.min(...rows.map((row) => row.late_ms))).toBeGreaterThanOrEqual(0);
    expect(rows.filter((row) => row.outcome !== 'fired' && row.outcome !== 'late')).toEqual([]);
    expect(await ahead.logged((line) => line.kind === 'node.clockSkew')).toBeDefined();
  }, 60_000);

  it('survives restarts of the database, planned and not, and connections that are cut', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-test-restart-'));
    scope.defer(() => rm(dataDir, { recursive: true, force: true }));
    let server = await startEmbeddedServer({ dataDir });
    scope.defer(() => server.stop());
    connect(server.url);
    const a = await start('a');
    const b = await start('b');
    for (let n = 0; n < 10; n++) await schedule(a, `job-${n}`, { misfirePolicy: 'fireAndProceed' });
    await rowsAfter(30);

    await sql`select pg_terminate_backend(pid) from pg_stat_activity
              where application_name like 'svc:%'`.execute(database.db);
    await rowsAfter((await ledger()).length + 30);

    await server.stop();
    server = await startEmbeddedServer({ dataDir });
    expect(server.url).toBe(databaseUrl);
    await eventually(
      () => ledger().catch(() => []),
      (rows) => rows.length > 0,
    );
    await rowsAfter((await ledger()).length + 30);

    process.kill(server.pid, 'SIGQUIT');
    await eventually(
      async () => {
        try {
          process.kill(server.pid, 0);
          return true;
        } catch {
          return false;
        }
      },
      (alive) => !alive,
    );
    server = await startEmbeddedServer({ dataDir });
    await eventually(
      () => ledger().catch(() => []),
      (rows) => rows.length > 0,
    );
    await rowsAfter((await ledger()).length + 30);
    await expectExactlyOnce();
    for (const node of [a, b]) expect((await node.api('GET', 'health')).status).toBeLessThan(500);
  }, 120_000);
});
