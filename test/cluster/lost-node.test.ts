import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';

describe('a cluster', () => {
  it('loses and doubles nothing when one of three nodes is killed in mid-run', async () => {
    await using cluster = await Cluster.create();
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => cluster.start(name)));
    for (let n = 0; n < 30; n++) await cluster.schedule(a!, `tick-${n}`, { workMs: n < 3 ? 200 : 1 });
    const { db } = cluster.database;
    const runningOnB = await eventually(
      async () =>
        (
          await sql<{ job: string }>`
            select j.id as job from scheduler_run r join scheduler_job j using (trigger_id)
            join cluster_node n on n.id = r.node_id
            where n.name = 'b' and r.started_at < clock_timestamp() - interval '20 ms'
              and j.id in ('tick-0', 'tick-1', 'tick-2')`.execute(db)
        ).rows,
      (rows) => rows.length > 0,
    );
    b!.signal('SIGKILL');
    expect(await b!.ended).toBe('SIGKILL');
    const lost = await Promise.race([a!, c!].map((node) => node.logged((line) => line.kind === 'node.lost')));
    expect(lost).toMatchObject({ msg: expect.stringMatching(/node b lost/), by: 'session' });
    await cluster.rowWith((row) => row.outcome === 'recovered' && row.schedule === runningOnB[0]!.job);
    await cluster.rowsMore(60);

    const rows = await cluster.expectExactlyOnce();
    expect(new Set(rows.map((row) => row.schedule)).size).toBe(30);
    const recovered = rows.filter((row) => row.outcome === 'recovered');
    expect(recovered.every((row) => row.node !== 'b')).toBe(true);
    const after = await sql`select name, state from svc_node order by name`.execute(db);
    expect(after.rows).toEqual([
      { name: 'a', state: 'running' },
      { name: 'b', state: 'down' },
      { name: 'c', state: 'running' },
    ]);
  });
});

// Both mostly wait: for a lease to end, and for a name to become free.
describe.concurrent('a node', () => {
  it('that hung past its lease has its late effects refused', async () => {
    await using cluster = await Cluster.create();
    const a = await cluster.start('a');
    await cluster.schedule(a, 'hung', { type: 'simple', schedule: null, workMs: 1_500 });
    await a.logged((line) => line.kind === 'trigger.fired' && line.msg.includes('hung'));
    // The mark is written inside the transaction of the run, which is still open.
    await eventually(
      async () =>
        (
          await sql`select 1 from pg_stat_activity
                    where datname = current_database() and application_name like 'svc:%'
                      and state = 'idle in transaction'`.execute(cluster.database.db)
        ).rows.length,
      (count) => count > 0,
    );
    a.signal('SIGSTOP');

    const b = await cluster.start('b');
    const lost = await b.logged((line) => line.kind === 'node.lost');
    expect(lost).toMatchObject({ msg: expect.stringMatching(/node a lost/), by: 'heartbeat' });
    const row = await cluster.rowWith(() => true);
    expect(row).toMatchObject({ outcome: 'recovered', node: 'b' });

    a.signal('SIGCONT');
    await a.logged((line) => line.kind === 'trigger.fencedOut');
    await a.logged((line) => line.kind === 'node.fenced');
    await a.logged((line) => line.kind === 'node.joined' && Number(line['epoch']) > 2);
    await cluster.expectExactlyOnce();
    expect(await cluster.ledger()).toHaveLength(1);
  });

  it('of the same name as a live one is refused, and takes nothing from it', async () => {
    await using cluster = await Cluster.create();
    const starts = [cluster.start('a'), cluster.start('a')];
    const ends = Promise.allSettled(starts);
    // The other one still tries for the name while runs are under way.
    const winner = await Promise.any(starts);
    for (const job of ['one', 'two']) await cluster.schedule(winner, job, { workMs: 20 });
    const refused = (await ends).filter(({ status }) => status === 'rejected');
    expect(refused.map((end) => String((end as PromiseRejectedResult).reason))).toEqual([
      expect.stringMatching(/another live node is called 'a'/),
    ]);
    await cluster.rowsMore(2);
    const rows = await cluster.expectExactlyOnce();
    expect(rows.filter(({ outcome }) => outcome === 'recovered')).toEqual([]);
    expect(winner.lines.filter(({ kind }) => /^node\.(fenced|lost)$/.test(kind ?? ''))).toEqual([]);
  });
});
