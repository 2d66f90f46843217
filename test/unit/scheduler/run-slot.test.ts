import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '#database/index.ts';
import type { Holder } from '#work/index.ts';
import type { Completion, Run } from '../../../src/scheduler/run/run.ts';
import { eventually } from '../../support/eventually.ts';
import { A, B, type JobStoreHarness, openJobStore } from '../../support/job-store-harness.ts';

const MANY = 60;
const C = { nodeId: 3, epoch: 1 };

/** A number below `n` that a seed decides. */
function dice(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

describe('runs of a schedule that may not run twice', () => {
  let h: JobStoreHarness;
  let database: Database;
  beforeAll(async () => {
    h = await openJobStore(true);
    database = h.database;
  });
  beforeEach(() => h.clear());
  afterAll(() => h[Symbol.asyncDispose]());

  const claim = async (holder: Holder = A) =>
    (await h.store.claim({ holder, limit: 10, lookAheadMs: 1_000, watermark: 0 })).runs;
  const completionOf = (run: Run): Completion => ({
    run,
    next: run.nextPlanned ? null : run.fireAt + 1_000,
    entries: [],
  });
  const waiters = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
    return rows[0]!.n;
  };
  const slots = async () =>
    (await sql<{ slot: string }>`select slot from scheduler_run`.execute(database.db)).rows.map(
      ({ slot }) => slot,
    );

  it('have a key each, so that nobody passes the dead versions of all runs before', async () => {
    await h.put('j');
    const seen = new Set<unknown>();
    for (let n = 0; n < 5; n++) {
      const [run] = await claim();
      for (const slot of await slots()) seen.add(slot);
      await h.store.complete(A, [completionOf(run!)]);
    }
    expect(seen.size).toBe(5);
  });

  it('wait for one that an edit left going', async () => {
    await h.put('j');
    const [left] = await h.store.start(A, await claim());
    await h.put('j', { schedule: '*/2 * * * * ?' });
    expect(await claim(B)).toEqual([]);
    await h.trigger('j');
    expect(await claim(B)).toEqual([]);
    await h.store.complete(A, [completionOf(left!)]);
    expect(await claim(B)).toHaveLength(1);
  });

  it('never run at once, whoever fires them by hand, edits, disables and gives them back meanwhile', async () => {
    await h.put('j');
    await sql`insert into cluster_node (name) values ('c')`.execute(database.db);
    const held = new Map<Holder, string>();
    const together: string[] = [];
    let completed = 0;
    let isOver = false;
    const claimer = async (holder: Holder, seed: number) => {
      const roll = dice(seed);
      while (!isOver) {
        const claimed = await claim(holder);
        const way = roll(10);
        if (way === 0) await h.store.handBack(holder);
        if (way === 1) await h.store.release(holder, 'b');
        // What was given back while an edit was under way is claimed again, and not started.
        const runs = way < 2 ? [] : await h.store.start(holder, claimed);
        if (runs.length > 1) together.push(runs.map(({ key }) => key).join(' with '));
        const [run] = runs;
        if (run === undefined) continue;
        for (const other of held.values()) together.push(`${run.key} beside ${other}`);
        held.set(holder, run.key!);
        for (let n = roll(4); n > 0; n--) await sql`select 1`.execute(database.db);
        held.delete(holder);
        if (way === 2) await h.store.release(holder, 'b', { isSuspect: false });
        else completed += (await h.store.complete(holder, [completionOf(run)])).size;
      }
    };
    const operator = async (seed: number, times: number) => {
      const roll = dice(seed);
      for (let n = 0; n < times && !isOver; n++) {
        const ways = [
          {},
          { enabled: false },
          { priority: 1 + roll(9) },
          { schedule: `*/${1 + roll(3)} * * * * ?` },
        ];
        const fields = ways[roll(8)];
        if (fields === undefined) await h.trigger('j');
        else await h.put('j', fields);
        // What waits in vain for its slot asks again only after a while.
        await sql`update scheduler_due set due_at = clock_timestamp() where due_at < 'infinity'`.execute(
          database.db,
        );
      }
    };
    const operators = Promise.all([operator(4, MANY), operator(5, MANY)]).finally(() => {
      isOver = true;
    });
    await Promise.all([operators, claimer(A, 1), claimer(B, 2), claimer(C, 3)]).finally(() => {
      isOver = true;
    });
    expect(together).toEqual([]);
    expect(completed).toBeGreaterThan(MANY / 10);
  });

  it('take no slot by what waited when the claim began, if that has fired since then', async () => {
    await h.put('j', { type: 'simple', startTime: '2030-01-01T00:00:00' });
    await sql`update scheduler_due set due_at = 'infinity'`.execute(database.db);
    await h.trigger('j');
    const [gate, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const shut = database.db.transaction().execute(async (db) => {
      await sql`select scheduler_close_gate()`.execute(db);
      gate.resolve();
      await open.promise;
    });
    await gate.promise;
    const claimed = claim();
    await eventually(waiters, (n) => n === 1);
    // As a claim and a completion leave it that were faster.
    await sql`
      with fired as (delete from scheduler_due where kind = 'planned' returning *)
      insert into scheduler_due (due_at, fire_at, trigger_id, generation)
      select clock_timestamp(), fire_at + interval '1 hour', trigger_id, generation from fired`.execute(
      database.db,
    );
    open.resolve();
    await shut;
    const first = await claimed;
    const second = await claim(B);
    expect([...first, ...second]).toHaveLength(1);
  });
});
