import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import { eventually } from '../support/eventually.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createProject, type TestProject } from '../support/project.ts';

/** Leaves a mark per run, which says for which planned time it was, then works for a while. */
const MARK = {
  type: 'text/javascript',
  source: `
    var name = context.security.authenticationId;
    svc.create('managed/mark', null, { job: object.job, planned: name.substring(name.length - 24) });
    var until = Date.now() + object.workMs;
    while (Date.now() < until) {}`,
};

interface LedgerRow {
  readonly schedule: string;
  readonly planned: string;
  readonly outcome: string;
  readonly failed: boolean;
  readonly node: string;
}

describe('a cluster', () => {
  let test: TestDatabase;
  let database: Database;
  let project: TestProject;
  const nodes: NodeProcess[] = [];

  beforeEach(async () => {
    test = await createTestDatabase();
    database = openDatabase({ url: test.url, poolSize: 2, applicationName: 'test' });
    project = await createProject({
      'conf/managed.json': { objects: [{ name: 'mark' }] },
      'conf/scheduler.json': { threadPool: { threadCount: 20 } },
    });
  });

  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node[Symbol.asyncDispose]()));
    await database.close();
    await project[Symbol.asyncDispose]();
    await test[Symbol.asyncDispose]();
  });

  async function start(name: string, environment: Record<string, string> = {}): Promise<NodeProcess> {
    const node = await startNodeProcess({
      name,
      databaseUrl: test.url,
      project: project.location,
      environment,
    });
    nodes.push(node);
    return node;
  }

  const schedule = (job: string, workMs: number, fields: object = {}) => ({
    type: 'cron',
    schedule: '* * * * * ?',
    timeZone: 'UTC',
    invokeService: 'script',
    invokeContext: { input: { job, workMs }, script: { ...MARK, timeout: 30_000 } },
    ...fields,
  });

  const ledger = async (): Promise<readonly LedgerRow[]> =>
    (
      await sql<LedgerRow>`
        select schedule, to_char(planned_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as planned,
               outcome, failed, node
        from svc_firing order by schedule, planned_at`.execute(database.db)
    ).rows;

  const marks = async () =>
    (
      await sql<{ key: string; count: number }>`
        select (data->>'job') || ' ' || (data->>'planned') as key, count(*) as count
        from managed_object where type = 'mark' group by 1`.execute(database.db)
    ).rows;

  const open = async () =>
    (await sql<{ count: number }>`select count(*) as count from scheduler_run`.execute(database.db)).rows[0]!
      .count;

  const rowsAfter = async (count: number) => eventually(ledger, (rows) => rows.length >= count);

  /** Each planned time ran once: consecutive seconds in the ledger, one mark for each, no mark besides. */
  async function expectExactlyOnce(): Promise<readonly LedgerRow[]> {
    const rows = await ledger();
    const gaps = rows.filter((row, index) => {
      const before = rows[index - 1];
      return (
        before?.schedule === row.schedule && Date.parse(row.planned) - Date.parse(before.planned) !== 1000
      );
    });
    expect(gaps).toEqual([]);
    expect(rows.filter((row) => row.failed)).toEqual([]);
    const expected = Object.fromEntries(rows.map((row) => [`${row.schedule} ${row.planned}`, 1]));
    const actual = Object.fromEntries((await marks()).map((row) => [row.key, row.count]));
    expect(actual).toEqual(expected);
    return rows;
  }

  it('loses and doubles nothing when a node is killed in mid-run', async () => {
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => start(name)));
    for (let n = 0; n < 30; n++) {
      const id = `tick-${String(n).padStart(2, '0')}`;
      await a!.api('PUT', `scheduler/job/${id}`, { body: schedule(id, n < 3 ? 200 : 1) });
    }
    await rowsAfter(90);
    const midRun = await b!.logged(
      (line) => line.kind === 'trigger.fired' && /tick-0[012]/.test(line.msg) && line !== b!.lines[0],
    );
    expect(midRun).toBeDefined();
    const runOfB = await eventually(
      async () =>
        (
          await sql<{ key: string }>`
            select j.id as key from scheduler_run r join scheduler_job j using (trigger_id)
            join cluster_node n on n.id = r.node_id
            where n.name = 'b' and r.started_at is not null and j.id < 'tick-03'`.execute(database.db)
        ).rows,
      (rows) => rows.length > 0,
    );
    expect(runOfB.length).toBeGreaterThan(0);
    b!.signal('SIGKILL');
    expect(await b!.ended).toBe('SIGKILL');
    const lost = await Promise.race([a!, c!].map((node) => node.logged((line) => line.kind === 'node.lost')));
    expect(lost).toMatchObject({ msg: expect.stringMatching(/node b lost/), by: 'session' });
    await rowsAfter((await ledger()).length + 120);

    await a!.api('POST', 'scheduler/job?_action=pauseJobs');
    await eventually(open, (count) => count === 0);
    const rows = await expectExactlyOnce();
    expect(new Set(rows.map((row) => row.schedule)).size).toBe(30);
    const recovered = rows.filter((row) => row.outcome === 'recovered');
    expect(recovered.length).toBeGreaterThan(0);
    expect(recovered.every((row) => row.node !== 'b')).toBe(true);
    const after = await sql`select name, state from svc_node order by name`.execute(database.db);
    expect(after.rows).toEqual([
      { name: 'a', state: 'running' },
      { name: 'b', state: 'down' },
      { name: 'c', state: 'running' },
    ]);
  }, 90_000);

  it('rejects the late effects of a node that hung past its lease', async () => {
    const a = await start('a');
    const once = schedule('hung', 1_500, { type: 'simple', schedule: null });
    await a.api('PUT', 'scheduler/job/hung', { body: once });
    await a.logged((line) => line.kind === 'trigger.fired' && line.msg.includes('hung'));
    // The mark is written inside the transaction of the run, which is still open.
    await eventually(
      async () =>
        (
          await sql`select 1 from pg_stat_activity where application_name like 'svc:%' and state = 'idle in transaction'`.execute(
            database.db,
          )
        ).rows.length,
      (count) => count > 0,
    );
    a.signal('SIGSTOP');

    const b = await start('b');
    const lost = await b.logged((line) => line.kind === 'node.lost');
    expect(lost).toMatchObject({ msg: expect.stringMatching(/node a lost/), by: 'heartbeat' });
    const [row] = await rowsAfter(1);
    expect(row).toMatchObject({ outcome: 'recovered', node: 'b' });

    a.signal('SIGCONT');
    await a.logged((line) => line.kind === 'trigger.fencedOut');
    await a.logged((line) => line.kind === 'node.fenced');
    await a.logged((line) => line.kind === 'node.joined' && Number(line['epoch']) > 2);
    await expectExactlyOnce();
    expect(await ledger()).toHaveLength(1);
  }, 60_000);

  it('hands over without a gap when a node is asked to stop', async () => {
    const [a, b] = await Promise.all(['a', 'b'].map((name) => start(name)));
    for (let n = 0; n < 10; n++) await a!.api('PUT', `scheduler/job/t${n}`, { body: schedule(`t${n}`, 50) });
    await rowsAfter(30);
    a!.signal('SIGTERM');
    expect(await a!.ended).toBe(0);
    await rowsAfter((await ledger()).length + 30);
    await b!.api('POST', 'scheduler/job?_action=pauseJobs');
    await eventually(open, (count) => count === 0);
    const rows = await expectExactlyOnce();
    expect(rows.filter((row) => row.outcome === 'recovered')).toEqual([]);
  }, 60_000);

  it('refuses a second live node of the same name', async () => {
    await start('a');
    await expect(start('a')).rejects.toThrow(/another live node is called 'a'/);
  }, 60_000);
});
