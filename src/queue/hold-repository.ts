import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';

/** Queues of which nothing is begun. */
export const HELD_QUEUES: RawBuilder<string[]> =
  sql`array(select name from work_queue where held_since is not null)`;

export interface HeldQueue {
  readonly queue: string;
  readonly since: Date;
  /** Jobs that wait in it and are due. */
  readonly due: number;
}

/** Has nothing of any queue begun until it is released. @returns how many jobs are due */
export async function holdQueues(db: Db): Promise<number> {
  const { rows } = await sql<{ due: number }>`
    with held as (update work_queue set held_since = clock_timestamp() where held_since is null)
    select count(*)::int as due from work_job where due_at <= clock_timestamp()`.execute(db);
  return rows[0]?.due ?? 0;
}

export async function listHeldQueues(db: Db): Promise<readonly HeldQueue[]> {
  const { rows } = await sql<HeldQueue>`
    select name as queue, held_since as since,
           (select count(*)::int from work_job where queue = name and due_at <= clock_timestamp()) as due
    from work_queue where held_since is not null order by name`.execute(db);
  return rows;
}

/** What is due is due now: claims look only a little behind what they have seen. */
export async function releaseQueue(db: Db, queue: string): Promise<void> {
  await sql`
    with released as (update work_queue set held_since = null where name = ${queue} and held_since is not null returning name)
    update work_job j set due_at = clock_timestamp() from released
    where j.queue = released.name and j.node_id is null and j.due_at < clock_timestamp()`.execute(db);
}

/**
 * Jobs of a held queue that were there when it was held, and due by then, become dead letters: they are not done, and can be made
 * jobs again.
 *
 * @returns how many
 */
export async function buryHeldJobs(db: Db, queue: string, error: JsonObject): Promise<number> {
  const { numAffectedRows } = await sql`
    with dead as (
      delete from work_job j using work_queue q
      where q.name = ${queue} and q.held_since is not null and j.queue = q.name
        and j.created_at <= q.held_since and j.due_at <= q.held_since
      returning j.*)
    insert into work_dead_letter (id, queue, job_id, data, priority, attempts, retry_delay_ms, tried, error, created_at)
    select gen_random_uuid(), queue, id, data, priority, attempts, retry_delay_ms, attempt, ${JSON.stringify(error)}::jsonb,
           created_at
    from dead`.execute(db);
  return Number(numAffectedRows);
}
