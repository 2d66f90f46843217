import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { startEmbeddedServer } from '#database/index.ts';
import { Cluster } from '../support/cluster.ts';
import { type Fault, faultyEnvironment, JUMP_SIGNAL } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';
import '../support/takes-long.ts';

const HOUR_MS = 3_600_000;

describe('a cluster under faults', () => {
  it('goes on by itself when a node is stopped for longer than its lease, whatever it was doing', async () => {
    await using cluster = await Cluster.create();
    const fault: Fault = { statement: 'insert into .?managed_object', when: 'after', what: 'stop' };
    const witness = await cluster.start('witness', { SVC_ROLES: 'api' });
    for (const job of ['one', 'two', 'three']) await cluster.schedule(witness, job);
    const sleeper = await cluster.start('sleeper', faultyEnvironment(fault));
    await sleeper.logged((line) => line.kind === 'test.fault');
    const heir = await cluster.start('heir');
    const lost = await Promise.race(
      [witness, heir].map((node) => node.logged((line) => line.kind === 'node.lost')),
    );
    expect(lost).toMatchObject({ msg: expect.stringMatching(/sleeper/), by: 'heartbeat' });
    await cluster.rowsMore(3);
    sleeper.signal('SIGCONT');
    await sleeper.logged((line) => line.kind === 'node.joined' && Number(line['epoch']) > 2);
    await cluster.rowsMore(6);
    await cluster.expectExactlyOnce();
  });

  it('neither gaps nor doubles through a rolling restart of three nodes under load', async () => {
    await using cluster = await Cluster.createPatient();
    const names = ['a', 'b', 'c'];
    const started = await Promise.all(names.map((name) => cluster.start(name)));
    for (let n = 0; n < 12; n++) {
      await cluster.schedule(started[0]!, `job-${n}`, { concurrentExecution: n % 2 === 0 });
    }
    for (const node of started) {
      node.signal('SIGTERM');
      expect(await node.ended).toBe(0);
      const next = await cluster.start(node.name);
      // It takes part again before the next one goes.
      await next.logged((line) => line.kind === 'trigger.fired');
    }
    const rows = await cluster.expectExactlyOnce();
    expect(rows.filter((row) => row.outcome === 'recovered')).toEqual([]);
    expect(new Set(rows.map((row) => row.node))).toEqual(new Set(names));
  });

  it('fires at the database’s time, whatever the clocks of its nodes say, and when they are set', async () => {
    await using cluster = await Cluster.createPatient();
    const [ahead, , jumping] = await Promise.all([
      cluster.start('ahead', faultyEnvironment(null, { clockOffsetsMs: [HOUR_MS] })),
      cluster.start('behind', faultyEnvironment(null, { clockOffsetsMs: [-HOUR_MS] })),
      cluster.start('jumping', faultyEnvironment(null, { clockOffsetsMs: [0, HOUR_MS, -HOUR_MS] })),
    ]);
    // Long enough for scripts to be under way when the clock jumps.
    for (let n = 0; n < 12; n++) await cluster.schedule(ahead, `job-${n}`, { workMs: 10 });
    for (let jump = 0; jump < 2; jump++) {
      await jumping.logged((line) => line.kind === 'trigger.fired');
      await cluster.rowsMore(12);
      jumping.signal(JUMP_SIGNAL);
      await jumping.logged((line) => line.kind === 'test.jump' && line['count'] === jump + 1);
      await cluster.rowsMore(24);
    }
    const rows = await cluster.expectExactlyOnce();
    expect(Math.min(...rows.map((row) => row.late_ms))).toBeGreaterThanOrEqual(0);
    expect(rows.filter((row) => row.outcome !== 'fired' && row.outcome !== 'late')).toEqual([]);
    expect(jumping.lines.filter((line) => /Killed|fenced|lost/.test(line.kind ?? ''))).toEqual([]);
    await ahead.logged((line) => line.kind === 'node.clockSkew');
  });

  it('survives restarts of the database, planned and not, and connections that are cut', async () => {
    await using scope = new AsyncDisposableStack();
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-test-restart-'));
    scope.defer(() => rm(dataDir, { recursive: true, force: true }));
    let server = await startEmbeddedServer({ dataDir });
    scope.defer(() => server.stop());
    const cluster = scope.use(await Cluster.create(server.url));
    const [a, b] = await Promise.all(['a', 'b'].map((name) => cluster.start(name)));
    for (let n = 0; n < 10; n++) await cluster.schedule(a!, `job-${n}`);
    const reachable = () =>
      eventually(
        () => cluster.ledger().catch(() => []),
        (rows) => rows.length > 0,
      );
    await cluster.rowsMore(10);

    await sql`select pg_terminate_backend(pid) from pg_stat_activity
              where application_name like 'svc:%'`.execute(cluster.database.db);
    await cluster.rowsMore(20);

    await server.stop();
    server = await startEmbeddedServer({ dataDir });
    expect(server.url).toBe(cluster.databaseUrl);
    await reachable();
    await cluster.rowsMore(20);

    process.kill(server.pid, 'SIGQUIT');
    await eventually(
      async () => isAlive(server.pid),
      (alive) => !alive,
    );
    server = await startEmbeddedServer({ dataDir });
    await reachable();
    await cluster.rowsMore(20);
    await cluster.expectExactlyOnce();
    for (const node of [a!, b!]) expect((await node.api('GET', 'health')).status).toBeLessThan(500);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
