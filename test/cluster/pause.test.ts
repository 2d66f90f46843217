import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import type { NodeProcess } from '../support/node-process.ts';
import '../support/takes-long.ts';

const SCHEDULES = ['kept', 'in-memory-of-a', 'in-memory-of-b'];

let cluster: Cluster;
let a: NodeProcess;
let b: NodeProcess;

beforeAll(async () => {
  cluster = await Cluster.createPatient();
  [a, b] = await Promise.all([cluster.start('a'), cluster.start('b')]);
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

/** By the clock of the database, as firings are. @returns the time, epoch ms */
async function sleepUntilSecond(plusMs: number): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    with second as (
      select ceil(extract(epoch from clock_timestamp()) * 1000 / 1000 - ${plusMs}::float8 / 1000) + ${plusMs}::float8 / 1000 as at
    ), slept as materialized (
      select pg_sleep(at::float8 - extract(epoch from clock_timestamp())::float8) from second
    )
    select extract(epoch from clock_timestamp())::float8 * 1000 as now from slept`.execute(
    cluster.database.db,
  );
  return rows[0]!.now;
}

async function now(): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now`.execute(cluster.database.db);
  return rows[0]!.now;
}

async function startsBetween(from: number, to: number): Promise<readonly string[]> {
  const { rows } = await sql<{ job_id: string }>`
    select job_id from scheduler_firing
    where started_at > to_timestamp(${from}::float8 / 1000) and started_at < to_timestamp(${to}::float8 / 1000)
    union all
    select j.id from scheduler_run r join scheduler_job j using (trigger_id)
    where r.started_at > to_timestamp(${from}::float8 / 1000)`.execute(cluster.database.db);
  return rows.map((row) => row.job_id);
}

/** Whether each of the schedules has run since. */
async function allRunSince(from: number): Promise<void> {
  await eventually(
    async () => new Set(await startsBetween(from, Number.MAX_SAFE_INTEGER / 1000)),
    (ran) => SCHEDULES.every((schedule) => ran.has(schedule)),
  );
}

test('nothing that was planned starts on any node once a pause has been answered, however near its time is', async () => {
  await cluster.schedule(a, 'kept');
  await cluster.schedule(a, 'in-memory-of-a', { persisted: false });
  await cluster.schedule(b, 'in-memory-of-b', { persisted: false });
  await allRunSince(0);
  for (const msBefore of [450, 200, 40]) {
    await sleepUntilSecond(-msBefore);
    expect((await a.api('POST', 'scheduler/job?_action=pauseJobs')).status).toBe(200);
    const answered = await now();
    const nextSecondOver = await sleepUntilSecond(300);
    expect(await startsBetween(answered, nextSecondOver)).toEqual([]);
    expect((await b.api('POST', 'scheduler/job?_action=resumeJobs')).status).toBe(200);
    await allRunSince(nextSecondOver);
  }
});

test('nothing that was planned of one schedule starts once its own pause has been answered', async () => {
  for (const [msBefore, node] of [[300, a] as const, [20, b] as const]) {
    await sleepUntilSecond(-msBefore);
    expect((await node.api('POST', 'scheduler/job/kept?_action=pause')).status).toBe(200);
    const answered = await now();
    const nextSecondOver = await sleepUntilSecond(300);
    expect(await startsBetween(answered, nextSecondOver)).not.toContain('kept');
    expect((await node.api('POST', 'scheduler/job/kept?_action=resume')).status).toBe(200);
    await allRunSince(nextSecondOver);
  }
});
