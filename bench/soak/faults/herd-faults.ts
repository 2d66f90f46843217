import type pg from 'pg';
import type { Fault } from './fault.ts';

const HERD = 300;
const GREAT_HERD = 100_000;
/** A machine that is busy with other things fires some 150 a second. */
const GREAT_PATIENCE_MS = 1_800_000;

/** Schedules for one time, as the interface would have made them; the journal has them as acknowledged. */
const GATHER = `
  with job as (
    insert into scheduler_job (id, definition, source, content_hash)
    select $3 || '-' || n, jsonb_set(t.definition || '{"type": "simple", "schedule": null}' || $5::jsonb,
                                     '{invokeContext,input,job}', to_jsonb($3 || '-' || n)), 'rest', $3
    from generate_series(1, $2::int) n, scheduler_job t where t.id = 'tick-0' returning trigger_id, id, generation
  ), due as (
    insert into scheduler_due (due_at, fire_at, trigger_id, generation) select $1, $1, trigger_id, generation from job
  ), known as (
    insert into soak.schedule (id, kind) select id, $4 from job
  )
  insert into soak.answer (deed, key, node, outcome, status, asked_at, answered_at)
  select 'schedule', id, 'herd', 'done', 201, now(), now() from job`;

/** Lets so many schedules be due at one time, whose runs leave a mark each; their ids begin with the name. */
export async function gatherHerd(pool: pg.Pool, name: string, at: Date, count: number): Promise<void> {
  await pool.query(GATHER, [at, count, name, 'once', {}]);
}

export const HERD_FAULTS: readonly Fault[] = [
  {
    name: 'herd',
    what: `${HERD} schedules are due at the same instant`,
    boundMs: 5_000,
    async strike({ pool }) {
      const since = Date.now() + 1_000;
      await gatherHerd(pool, `herd-${since}`, new Date(since), HERD);
      return { target: 'all nodes', since };
    },
  },
  {
    name: 'great-herd',
    what: `${GREAT_HERD} schedules are due at the same instant`,
    boundMs: 120_000,
    once: { leastMinutes: 20 },
    async strike({ pool }) {
      const name = `great-herd-${Date.now()}`;
      const since = Date.now() + 5_000;
      // What they do is nothing: it is the scheduler that is put to the test.
      await pool.query(GATHER, [new Date(since), GREAT_HERD, name, 'herd', { invokeService: 'idle' }]);
      await pool.query('analyze scheduler_job, scheduler_due');
      // All of them pass through both tables, faster than the sizes are looked at.
      await pool.query(
        `insert into soak.peak values ('scheduler_due', $1), ('scheduler_run', $1)
         on conflict (name) do update set rows = greatest(peak.rows, excluded.rows)`,
        [GREAT_HERD],
      );
      const until = Date.now() + GREAT_PATIENCE_MS;
      for (;;) {
        const { rows } = await pool.query<{ fired: number; last: Date }>(
          `select count(*)::int as fired, max(ended_at) as last from scheduler_firing
           where job_id like $1 || '-%' and started_at is not null`,
          [name],
        );
        const { fired, last } = rows[0]!;
        const seconds = ((last?.getTime() ?? since) - since) / 1_000;
        const isOver = fired >= GREAT_HERD || Date.now() > until;
        if (isOver) return { target: `${fired} fired in ${seconds.toFixed(1)} s`, since: Date.now() };
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    },
  },
];
