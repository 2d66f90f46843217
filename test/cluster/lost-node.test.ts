import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import '../support/takes-long.ts';

describe('a cluster', () => {
  it('loses and doubles nothing when one of three nodes is killed in mid-run', async () => {
    await using cluster = await Cluster.createPatient();
    const nodes = await Promise.all(['a', 'b', 'c'].map((name) => cluster.start(name)));
    for (let n = 0; n < 30; n++) await cluster.schedule(nodes[0]!, `tick-${n}`, { workMs: 1 });
    await cluster.schedule(nodes[0]!, 'held', { type: 'simple', schedule: null, gate: 'held' });
    const victim = await cluster.begun('held');
    const others = nodes.filter(({ name }) => name !== victim);
    const killed = nodes.find(({ name }) => name === victim)!;
    killed.signal('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    const lost = await Promise.race(others.map((node) => node.logged((line) => line.kind === 'node.lost')));
    expect(lost).toMatchObject({ msg: expect.stringContaining(`node ${victim} lost`), by: 'session' });
    await cluster.open(others[0]!, 'held');
    await cluster.rowWith((row) => row.outcome === 'recovered' && row.schedule === 'held');
    await cluster.rowsMore(60);

    // Nodes wait for one another's end without keeping vacuum from what has died since.
    const { db } = cluster.database;
    const { rows: now } = await sql<{ xid: string }>`select pg_current_xact_id() as xid`.execute(db);
    await eventually(
      async () =>
        (
          await sql`select pid from pg_stat_activity where datname = current_database()
            and age(backend_xmin) > age(${now[0]!.xid}::xid)`.execute(db)
        ).rows,
      (holders) => holders.length === 0,
    );

    const rows = await cluster.expectExactlyOnce();
    expect(new Set(rows.map((row) => row.schedule)).size).toBe(31);
    const recovered = rows.filter((row) => row.outcome === 'recovered');
    expect(recovered.every((row) => row.node !== victim)).toBe(true);
    const after = await sql`select node as name, state from svc_node order by node`.execute(db);
    expect(after.rows).toEqual(
      nodes.map(({ name }) => ({ name, state: name === victim ? 'down' : 'running' })),
    );
  });
});

// Both mostly wait: for a lease to end, and for a name to become free.
describe.concurrent('a node', () => {
  it('that hung past its lease has its late effects refused', async () => {
    await using cluster = await Cluster.create();
    const a = await cluster.start('a');
    await cluster.schedule(a, 'hung', { type: 'simple', schedule: null, gate: 'hung' });
    expect(await cluster.begun('hung')).toBe('a');
    a.signal('SIGSTOP');

    const b = await cluster.start('b');
    const lost = await b.logged((line) => line.kind === 'node.lost');
    expect(lost).toMatchObject({ msg: expect.stringMatching(/node a lost/), by: 'heartbeat' });
    await cluster.open(b, 'hung');
    const row = await cluster.rowWith(() => true);
    expect(row).toMatchObject({ outcome: 'recovered', node: 'b' });

    a.signal('SIGCONT');
    await a.logged((line) => line.kind === 'trigger.fencedOut');
    await a.logged((line) => line.kind === 'node.fenced');
    await a.logged((line) => line.kind === 'node.joined' && Number(line['epoch']) > 2);
    await cluster.expectExactlyOnce();
    expect(await cluster.ledger()).toHaveLength(1);
  });

  it('that was given up has nothing in memory any more when it comes back, but what is in files', async () => {
    await using cluster = await Cluster.create();
    const a = await cluster.start('a');
    const { db } = cluster.database;
    const local = { persisted: false };
    await cluster.schedule(a, 'local', local);
    await cluster.schedule(a, 'held', { ...local, type: 'simple', schedule: null, gate: 'held' });
    const invokeContext = { script: { type: 'text/javascript', source: '1' } };
    const ofFile = { schedule: '* * * * * ?', timeZone: 'UTC', invokeService: 'script', invokeContext };
    expect((await a.api('PUT', 'config/schedule/of-file', { body: ofFile })).status).toBe(201);
    await cluster.rowWith(({ schedule }) => schedule === 'of-file');
    await cluster.rowWith(({ schedule }) => schedule === 'local');
    expect(await cluster.begun('held')).toBe('a');
    a.signal('SIGSTOP');

    const b = await cluster.start('b');
    await b.logged((line) => line.kind === 'node.lost');
    for (const job of ['local', 'held'])
      expect((await b.api('GET', `scheduler/job/${job}`)).status).toBe(404);
    const lost = await sql`select why from svc_firing where schedule = 'held' and outcome = 'lost'`.execute(
      db,
    );
    expect(lost.rows).toEqual([{ why: 'node a was lost while it ran, and the schedule was in its memory' }]);
    await cluster.open(b, 'held');

    const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db);
    a.signal('SIGCONT');
    await a.logged((line) => line.kind === 'trigger.fencedOut');
    await eventually(
      async () =>
        (
          await sql`select from svc_firing
                    where schedule = 'of-file' and node = 'a' and started_at > ${rows[0]!.now}::timestamptz`.execute(
            db,
          )
        ).rows,
      ({ length }) => length >= 3,
    );
    const late = await sql`select * from svc_firing
                           where schedule in ('local', 'held') and ended_at > ${rows[0]!.now}::timestamptz`.execute(
      db,
    );
    expect(late.rows).toEqual([]);
    const { body: marks } = await b.api('GET', 'managed/mark?_queryFilter=job+eq+"held"');
    expect(marks.result).toEqual([]);

    a.signal('SIGTERM');
    await a.ended;
    const owners = await sql`select schedule, owner from svc_schedule`.execute(db);
    expect(owners.rows).toEqual([{ schedule: 'of-file', owner: 'b' }]);
  });

  it('of the same name as a live one is refused, and takes nothing from it', async () => {
    await using cluster = await Cluster.createPatient();
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
