import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster } from '../support/cluster.ts';
import { type Fault, faultyEnvironment } from '../support/database-faults.ts';
import { some } from '../support/long.ts';
import type { NodeProcess } from '../support/node-process.ts';
import '../support/takes-long.ts';

/** The statement that ends runs, by what it deletes. */
const COMPLETION = String.raw`delete from scheduler_run where ctid = any\(array\(select at from mine\)\)`;

describe('a cluster of which a node is killed', () => {
  let cluster: Cluster;
  let heir: NodeProcess;

  beforeAll(async () => {
    cluster = await Cluster.createPatient();
    heir = await cluster.start('heir');
    for (const job of ['one', 'two']) await cluster.schedule(heir, job);
    await cluster.schedule(heir, 'asking', { asks: true });
    await cluster.schedule(heir, 'concurrent', { concurrentExecution: true });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  it.each(
    some<[string, string, Fault]>(
      [
        [
          'claimed',
          'has claimed',
          { statement: 'insert into scheduler_run', when: 'after', minRows: 2, what: 'kill' },
        ],
        [
          'runs',
          'runs, its effects written',
          { statement: 'insert into .?managed_object', when: 'after', what: 'kill' },
        ],
        [
          'committed',
          'has committed',
          { armedBy: COMPLETION, statement: '^commit$', when: 'after', what: 'kill' },
        ],
      ],
      [
        [
          'started',
          'has started runs',
          { statement: 'set started_at', when: 'after', minRows: 1, what: 'kill' },
        ],
        ['completing', 'is about to complete', { statement: COMPLETION, when: 'before', what: 'kill' }],
        [
          'committing',
          'is about to commit',
          { armedBy: COMPLETION, statement: '^commit$', when: 'before', what: 'kill' },
        ],
      ],
    ),
  )('loses and doubles nothing: %s, when it %s', async (name, _phase, fault) => {
    await sql`update scheduler_setting set paused = false`.execute(cluster.database.db);
    const victim = await cluster.start(name, faultyEnvironment(fault));
    expect(await victim.ended).toBe('SIGKILL');
    const lost = await heir.logged(
      (line) => line.kind === 'node.lost' && line.msg.includes(`node ${name} lost`),
    );
    expect(lost).toMatchObject({ by: 'session' });
    await cluster.rowsMore(8);
    const rows = await cluster.expectExactlyOnce();
    expect(new Set(rows.map((row) => row.schedule)).size).toBe(4);
    const { body } = await heir.api('GET', `cluster/${name}`);
    expect(body).toMatchObject({
      state: 'down',
      recovery: { recoveredBy: 'heir', recoveryAttempts: 1, recoveryFinished: expect.any(String) },
    });
  });
});

/** What stores the effects of several runs, their completions and entries of the ledger included. */
const BATCH = String.raw`insert into .?managed_object[\s\S]*${COMPLETION}`;

describe('a cluster of which a node is killed while firings go together', () => {
  it.each(
    some<[string, Fault]>(
      [['has stored a batch', { statement: BATCH, nth: 12, when: 'after', what: 'kill' }]],
      [['has executed a batch', { statement: BATCH, nth: 12, when: 'before', what: 'kill' }]],
    ),
  )('loses and doubles nothing when it %s', async (_phase, fault) => {
    await using cluster = await Cluster.createPatient();
    const heir = await cluster.start('heir', { SVC_ROLES: 'api' });
    const jobs = Array.from({ length: 40 }, (_, n) => `job-${n}`);
    await Promise.all(jobs.map((job) => cluster.schedule(heir, job)));
    const victim = await cluster.start('victim', faultyEnvironment(fault));
    expect(await victim.ended).toBe('SIGKILL');
    await cluster.start('next');
    await cluster.rowsMore(jobs.length * 2);
    await cluster.expectExactlyOnce();
  });
});
