import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '#database/index.ts';
import { awaitStarted, closeGate } from '../../../src/scheduler/store/start-gate-repository.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';

describe('what was started ahead of its time', () => {
  let database: Database & AsyncDisposable;
  beforeAll(async () => {
    database = await createMigratedDatabase();
  });
  beforeEach(() => sql`truncate scheduler_run`.execute(database.db));
  afterAll(() => database?.[Symbol.asyncDispose]());

  async function start(triggerId: number, dueInMs: number): Promise<number> {
    const { rows } = await sql<{ due: number }>`
      insert into scheduler_run (trigger_id, generation, fire_at, attempt, next_planned, node_id, node_epoch, started_at)
      select ${triggerId}, 1, clock_timestamp() + ${dueInMs}::float8 * interval '1 ms', 1, false, 1, 1, clock_timestamp()
      returning extract(epoch from fire_at)::float8 * 1000 as due`.execute(database.db);
    return rows[0]!.due;
  }
  async function now(): Promise<number> {
    const { rows } = await sql<{ now: number }>`
      select extract(epoch from clock_timestamp())::float8 * 1000 as now`.execute(database.db);
    return rows[0]!.now;
  }

  it('has begun when a pause is answered', async () => {
    const due = await start(1, 20);
    await closeGate(database.db);
    expect(await now()).toBeGreaterThan(due);
  });

  it('has begun when an edit of its schedule is answered', async () => {
    const due = await start(1, 20);
    await awaitStarted(database.db, 1);
    expect(await now()).toBeGreaterThan(due);
  });

  it('is waited for by nobody who changes another schedule', async () => {
    const due = await start(1, 60_000);
    await awaitStarted(database.db, 2);
    expect(await now()).toBeLessThan(due);
  });
});
