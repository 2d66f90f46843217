import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

interface TriggerState {
  readonly state: number;
  readonly previous_state: number;
}

/**
 * Changes a schedule and notes which state its trigger has left by that. A change that leaves the state as it is carries
 * on what was there before it, so that whatever happened longest ago need not be known any more.
 */
export async function notingTransition<T>(db: Db, triggerId: number, change: () => Promise<T>): Promise<T> {
  const { rows } = await sql<TriggerState>`select * from scheduler_state_of(${triggerId})`.execute(db);
  const result = await change();
  const before = rows[0];
  if (before === undefined) return result;
  await sql`
    update scheduler_job j
    set state_changed_at = clock_timestamp(),
        state_before = case when now.state = ${before.state}::int then ${before.previous_state}::int else ${before.state}::int end
    from scheduler_state_of(${triggerId}) now where j.trigger_id = ${triggerId}`.execute(db);
  return result;
}

/** The same for all schedules at once, whose state a pause of all does not change while they run. */
export async function carryTransitions(db: Db): Promise<void> {
  await sql`
    update scheduler_job j set state_changed_at = clock_timestamp(), state_before = t.previous_state
    from (select distinct trigger_id from scheduler_run where started_at is not null) r
    cross join lateral scheduler_state_of(r.trigger_id) t
    where t.state = 4 and j.ctid = any(array(
      -- One that is being edited is carried on by that.
      select ctid from scheduler_job where trigger_id in (select trigger_id from scheduler_run where started_at is not null)
      for update skip locked))
      and j.trigger_id = r.trigger_id`.execute(db);
}
